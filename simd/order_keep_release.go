//go:build !race || !drop_release

package simd

// dropRelease makes release stores plain.
const dropRelease = false
