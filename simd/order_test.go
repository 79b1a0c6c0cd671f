package simd

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"
	"time"
)

func TestStoreAndLoad(t *testing.T) {
	const beside, beside32 = 0xa5a5a5a5a5a5a5a5, 0xa5a5a5a5
	w := [3]uint64{beside, 0, beside}
	for _, v := range []uint64{0, 1, 1 << 63, ^uint64(0), 0x0123456789abcdef} {
		StoreRelease64(&w[1], v)
		if got := LoadAcquire64(&w[1]); got != v || w[0] != beside || w[2] != beside {
			t.Errorf("stored %#x, loaded %#x, around it %#x and %#x", v, got, w[0], w[2])
		}
	}
	h := [3]uint32{beside32, 0, beside32}
	for _, v := range []uint32{0, 1, 1 << 31, ^uint32(0), 0x01234567} {
		StoreRelease32(&h[1], v)
		if got := LoadAcquire32(&h[1]); got != v || h[0] != beside32 || h[2] != beside32 {
			t.Errorf("stored %#x, loaded %#x, around it %#x and %#x", v, got, h[0], h[2])
		}
	}
}

func TestWaitChangeReturns(t *testing.T) {
	p := uint64(7)
	for _, spins := range []int{-1, 0, 1, 2, 1000} {
		if got := WaitChange64(&p, 7, spins); got != 7 {
			t.Errorf("%d spins: returned %d, want the old value 7", spins, got)
		}
		if got := WaitChange64(&p, 8, spins); got != 7 {
			t.Errorf("%d spins: returned %d, want the new value 7", spins, got)
		}
	}
	for _, n := range []int{-1, 0, 1, 100} {
		Pause(n)
	}
}

// TestWaitChangeSees changes the word while one call waits for it.
func TestWaitChangeSees(t *testing.T) {
	// The waiting call holds its processor, so another is needed here, and no collection that waits for both.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	const spins = 1 << 26 // some seconds
	p, started := uint64(1), uint64(0)
	seen := make(chan uint64)
	go func() {
		StoreRelease64(&started, 1)
		seen <- WaitChange64(&p, 1, spins)
	}()
	for LoadAcquire64(&started) == 0 {
		Pause(10)
	}
	time.Sleep(time.Millisecond)
	StoreRelease64(&p, 2)
	if v := <-seen; v != 2 {
		t.Errorf("returned %d, want 2", v)
	}
}

// TestMessages passes plain memory from one goroutine to another and back under release and acquire, through each of the loads.
// Built with race and drop_acquire or drop_release, this is the test that must fail.
func TestMessages(t *testing.T) {
	const rounds = 2000
	var there, back uint64
	var there32 uint32
	var letter [8]int
	wait := func(i int) {
		switch i % 2 {
		case 0:
			for WaitChange64(&there, uint64(i), 100) != uint64(i+1) {
			}
		case 1:
			for LoadAcquire32(&there32) != uint32(i+1) || LoadAcquire64(&there) != uint64(i+1) {
				Pause(10)
			}
		}
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := range rounds {
			wait(i)
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
		StoreRelease32(&there32, uint32(i+1))
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
