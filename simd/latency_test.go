package simd

import (
	"runtime"
	"testing"
)

// TestLatency sees what lies in a cache at once.
func TestLatency(t *testing.T) {
	b := make([]byte, LatencyBytes)
	if Latency(b) == 0 {
		t.Skip("there is no counter of ticks here: ", runtime.GOARCH)
	}
	least := Latency(b)
	for range 1000 {
		least = min(least, Latency(b))
	}
	if least > 500 {
		t.Errorf("eight lines in a cache take %d ticks", least)
	}
}

// TestLatencyStaysInside gives it no byte more than it may read.
func TestLatencyStaysInside(t *testing.T) {
	for _, n := range []int{0, 1, LatencyBytes - 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d bytes are enough for it", n)
				}
			}()
			Latency(make([]byte, n))
		}()
	}
}
