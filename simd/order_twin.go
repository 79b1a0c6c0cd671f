//go:build (!amd64 && !arm64) || race || purego

package simd

import (
	"runtime"
	"sync/atomic"
)

// StoreRelease64 stores v in *p; loads and stores before it are not done after it.
func StoreRelease64(p *uint64, v uint64) {
	if dropRelease {
		*p = v
		return
	}
	atomic.StoreUint64(p, v)
}

// FenceAcquire: loads before it are done before loads and stores after it.
func FenceAcquire() { fence() }

// FenceRelease: loads and stores before it are done before stores after it.
func FenceRelease() { fence() }

// fence orders by an atomic addition, to a word of the caller's own: the race detector takes it for no meeting of two.
func fence() {
	var word uint32
	atomic.AddUint32(&word, 0)
}

// Pause gives the processor to another goroutine, if n is at least 1: without assembly there is no PAUSE, and a twin is not there for speed.
func Pause(n int) {
	if n > 0 {
		runtime.Gosched()
	}
}
