//go:build !race || !drop_acquire

package simd

// dropAcquire makes acquire loads plain.
const dropAcquire = false
