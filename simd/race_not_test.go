//go:build !race

package simd

const raceDetector = false

// poolElements is how many elements a problem has: a prime, so that whatever is shifted by a power of two meets other elements, and enough for all pairs of special bits.
const poolElements = 3001
