//go:build race

package simd

// What makes tests fast under the race detector, which has nothing to find in the twins: they are the same without it.
const (
	raceDetector = true
	poolElements = 1009
)
