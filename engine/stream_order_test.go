package engine

import (
	"errors"
	"testing"
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
