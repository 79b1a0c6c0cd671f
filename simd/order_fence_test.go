//go:build !race

package simd

import (
	"runtime"
	"sync"
	"testing"
)

// TestSequenceLock reads what another goroutine writes, and what a word that is read after it says to be unchanged. The two race by
// intent; only a processor that reorders loads or stores, as arm64, can make it fail.
func TestSequenceLock(t *testing.T) {
	var version uint64
	var data [2]uint64
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := uint64(1); i <= 20_000; i++ {
			StoreRelease64(&version, 2*i-1)
			FenceRelease()
			data[0], data[1] = i, i
			StoreRelease64(&version, 2*i)
			if i%16 == 0 {
				runtime.Gosched()
			}
		}
	})
	for v := uint64(0); v < 40_000; {
		v = LoadAcquire64(&version)
		a, b := data[0], data[1]
		FenceAcquire()
		if v%2 == 0 && LoadAcquire64(&version) == v && (a != v/2 || b != v/2) {
			t.Fatalf("version %d: read %d and %d", v, a, b)
		}
	}
	wg.Wait()
}
