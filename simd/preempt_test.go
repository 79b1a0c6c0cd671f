package simd

import (
	"runtime"
	"sync/atomic"
	"testing"
)

// TestLongCallsCanBePreempted has the world stopped again and again while one call works on much memory. Where the call
// cannot be preempted it is stopped once, when the call has ended.
func TestLongCallsCanBePreempted(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(max(2, runtime.GOMAXPROCS(0))))
	const most, enough = 1 << 30, 5
	var stats runtime.MemStats
	levels(t, func(t *testing.T) {
		for name, call := range longCalls {
			for size := 16 << 20; ; size *= 2 { // a busy machine needs more
				m := make([]byte, size)
				var begun, ended atomic.Bool
				go func() {
					begun.Store(true)
					call(m)
					ended.Store(true)
				}()
				for !begun.Load() {
					runtime.Gosched()
				}
				stops := 0
				for !ended.Load() {
					runtime.ReadMemStats(&stats)
					stops++
				}
				if stops >= enough {
					break
				}
				if size == most {
					t.Errorf("%s: the world could be stopped %d times while a call worked on %d bytes", name, stops, size)
					break
				}
			}
		}
	})
}

// longCalls use the same memory for all; where a destination must lie apart it is the second half.
var longCalls = map[string]func(m []byte){
	"Reduce": func(m []byte) { KernelFor(Int8, Prod).Reduce(m, m, m) },
	"Reduce2Stream": func(m []byte) {
		KernelFor(Float32, Sum).Reduce2Stream(m[:len(m)/2], m[len(m)/2:], m[:len(m)/2], m[:len(m)/2])
	},
	"Copy":          func(m []byte) { Copy(m[len(m)/2:], m[:len(m)/2]) },
	"Copy2":         func(m []byte) { n := len(m) / 4; Copy2(m[n:2*n], m[2*n:3*n], m[:n]) },
	"Stream":        func(m []byte) { Stream(m[len(m)/2:], m[:len(m)/2]) },
	"Scale":         func(m []byte) { Scale(Float32)(m, m, 3) },
	"ConversionFor": func(m []byte) { ConversionFor(BFloat16, Float32)(m[len(m)*2/3&^3:][:len(m)/3&^1], m[:len(m)/3&^1*2]) },
}
