package simd

import (
	"sync"
	"testing"
)

func TestStoreAndLoad(t *testing.T) {
	const beside = 0xa5a5a5a5a5a5a5a5
	w := [3]uint64{beside, 0, beside}
	for _, v := range []uint64{0, 1, 1 << 63, ^uint64(0), 0x0123456789abcdef} {
		StoreRelease64(&w[1], v)
		if got := LoadAcquire64(&w[1]); got != v || w[0] != beside || w[2] != beside {
			t.Errorf("stored %#x, loaded %#x, around it %#x and %#x", v, got, w[0], w[2])
		}
	}
}

func TestPauseReturns(t *testing.T) {
	for _, n := range []int{-1, 0, 1, 100} {
		Pause(n)
	}
}

// TestMessages passes plain memory from one goroutine to another and back under release and acquire.
// Built with race and drop_acquire or drop_release, this is the test that must fail.
func TestMessages(t *testing.T) {
	const rounds = 2000
	var there, back uint64
	var letter [8]int
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range rounds {
			for LoadAcquire64(&there) != uint64(i+1) {
				Pause(10)
			}
			for k, v := range letter {
				if v != i+k {
					t.Errorf("round %d: element %d is %d", i, k, v)
				}
				letter[k] = -i
			}
			StoreRelease64(&back, uint64(i+1))
		}
	})
	for i := range rounds {
		for k := range letter {
			letter[k] = i + k
		}
		StoreRelease64(&there, uint64(i+1))
		for LoadAcquire64(&back) != uint64(i+1) {
			Pause(10)
		}
		if letter[3] != -i {
			t.Errorf("round %d: the answer is %d", i, letter[3])
		}
	}
	wg.Wait()
}
