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
	bytes, tries := 256<<20, 10 // on a busy machine a call may be over before this goroutine runs
	if raceDetector {
		bytes /= 16
	}
	memory := make([]byte, bytes)
	clear(memory) // so that calls need not wait for pages
	levels(t, func(t *testing.T) {
		for name, call := range longCalls {
			most := 0
			for i := 0; i < tries && most < enough; i++ {
				most = max(most, stopsDuring(func() { call(memory) }))
			}
			if most < enough {
				t.Errorf("%s: the world could be stopped %d times while a call worked on %d bytes", name, most, bytes)
			}
		}
	})
}

const enough = 5

// stopsDuring is how often the world was stopped from when the call began until it had ended, or that was often enough.
func stopsDuring(call func()) (stops int) {
	var stats runtime.MemStats
	var begun, ended atomic.Bool
	go func() {
		begun.Store(true)
		call()
		ended.Store(true)
	}()
	for !begun.Load() {
		runtime.Gosched()
	}
	for ; !ended.Load() && stops < enough; stops++ {
		runtime.ReadMemStats(&stats)
	}
	for !ended.Load() {
		runtime.Gosched()
	}
	return stops
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
