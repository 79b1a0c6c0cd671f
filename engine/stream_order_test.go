package engine

import (
	"errors"
	"strings"
	"testing"

	"hcomm/simd"
)

// Each of two calls that a group puts in a stream follows both of the group before: there are 2^60 ways from the last to the
// first, and a wait that is under way when all of them fail must not go them all.
func TestATimeoutEndsAWaitForManyGroups(t *testing.T) {
	comms := newComms(t, 2, "HCOMM_TIMEOUT", "1")
	s := new(Stream)
	for range 60 {
		var g Group
		for range 2 {
			if err := g.Add(comms[0], BarrierWork(), s); err != nil {
				t.Fatal(err)
			}
		}
		if err := g.Run(); err != nil {
			t.Fatal(err)
		}
	}
	ended := make(chan error, 1)
	go func() { ended <- s.Synchronize() }()
	until(t, "the wait has ended", func() bool { return len(ended) > 0 })
	var e *Error
	if err := <-ended; !errors.As(err, &e) || e.Code != Timeout {
		t.Errorf("Synchronize: %v", err)
	}
}

// The clocks run for a message in a stream though nobody waits for it.
func TestATimeoutEndsAMessageInAStream(t *testing.T) {
	comms := newComms(t, 2, "HCOMM_TIMEOUT", "0.1")
	s := new(Stream)
	b := make([]byte, 8)
	if err := s.Enqueue(comms[0], RecvTypedWork(Message{Buffer: address(b), Count: 2, Type: simd.Uint32, Peer: 1})); err != nil {
		t.Fatal(err)
	}
	until(t, "the receive has failed", func() bool { return s.failed() != nil })
	if e := s.failed(); e.Code != Timeout || !strings.HasPrefix(e.Text, "rank 1 ") {
		t.Errorf("%v", e)
	}
}

// Who asks again and again leaves nothing to the collector, whose work would take the time of the call.
func TestAskingAStreamAllocatesNothing(t *testing.T) {
	comms := newComms(t, 2)
	s := new(Stream)
	if err := s.Enqueue(comms[0], BarrierWork()); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(10000, func() { s.IsDone() }); n > 0 {
		t.Errorf("a question allocates %v times", n)
	}
	if err := comms[1].Barrier(); err != nil {
		t.Fatal(err)
	}
	until(t, "the barrier is done", func() bool { done, _ := s.IsDone(); return done })
}
