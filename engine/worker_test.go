package engine

import (
	"sync/atomic"
	"testing"
	"time"
)

// The path in C takes the claim and gives it back without a word to the worker: if that wants to look just then, it must come
// again soon, for nobody will wake it.
func TestTheWorkerComesAgainAfterACallInC(t *testing.T) {
	comms := newComms(t, 2)
	for round := range 5 {
		b, got := words(200000, 1, round), make([]byte, 800000)
		r, err := comms[0].Begin(RecvWork(tagged8(got, 1, 5)))
		if err != nil {
			t.Fatal(err)
		}
		until(t, "the worker sleeps", func() bool { return comms[0].worker.state.Load() == asleep })
		until(t, "the claim is there", func() bool { return atomic.CompareAndSwapUint32(&comms[0].shared.Use, idle, inCall) })
		s, err := comms[1].Begin(SendWork(tagged8(b, 0, 5))) // which rings
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(5 * time.Millisecond); time.Now().Before(end); {
			yield() // the worker finds that it is refused
		}
		start := time.Now()
		atomic.StoreUint32(&comms[0].shared.Use, idle)
		until(t, "the message has come", func() bool { return r.IsDone() && s.IsDone() })
		if took := time.Since(start); took > longestNap/2 && !raceDetector {
			t.Errorf("round %d: it took %v", round, took)
		}
	}
}
