package engine

import (
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hcomm/link"
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

// broken is a port with a mistake, from a moment on.
type broken struct {
	link.Port
	is atomic.Bool
}

func (b *broken) Arrived(peer, channel int) bool {
	if b.is.Load() {
		panic("as it must be")
	}
	return b.Port.Arrived(peer, channel)
}

// A panic is an error on all ranks, be it that only the worker is there to find it, or that a wait has a brief claim, which
// must not stay.
func TestAPanicEndsTheCommunicator(t *testing.T) {
	for _, byWorker := range []bool{true, false} {
		comms := newComms(t, 2)
		port := &broken{Port: comms[0].port}
		comms[0].port = port
		s := new(Stream)
		b := words(100, 0, 1)
		if err := s.Enqueue(comms[0], allreduceWork(b)); err != nil {
			t.Fatal(err)
		}
		until(t, "the claim is there", func() bool { return atomic.CompareAndSwapUint32(&comms[0].shared.Use, idle, inCall) })
		port.is.Store(true)
		if byWorker {
			comms[0].leave()
			until(t, "the worker has found it", comms[0].Condemned)
		} else {
			atomic.StoreUint32(&comms[0].shared.Use, inWorker)
			func() {
				defer func() { comms[0].Poison(recover().(string)) }()
				comms[0].driven(roundsPerCheck, false)
			}()
		}
		for _, c := range comms {
			var e *Error
			if err := c.Barrier(); !errors.As(err, &e) || e.Code != InternalError || !strings.Contains(e.Text, "as it must be") {
				t.Errorf("by the worker %v: rank %d: %v", byWorker, c.Rank(), err)
			}
		}
		if s.Synchronize() == nil {
			t.Errorf("by the worker %v: the stream is fine", byWorker)
		}
	}
}
