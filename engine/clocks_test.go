package engine

import (
	"testing"
	"time"
)

// The clocks are those of a wait: what a request has lain there before, while the program computed, does not count.
func TestATimeoutCountsFromTheStartOfTheWait(t *testing.T) {
	const limit = time.Second
	one, two := newComms(t, 2), newComms(t, 2)
	var requests []*Request
	for _, comms := range [][]*Comm{one, two} {
		comms[0].limits.timeout = limit
		r, err := comms[0].Begin(RecvWork(tagged8(make([]byte, 8), 1, 5)))
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, r)
	}
	until(t, "they have lain there for longer than a wait may last", func() bool {
		for _, comms := range [][]*Comm{one, two} {
			if since := comms[0].stillSince.Load(); since == 0 || time.Since(time.Unix(0, since)) < 2*limit {
				return false
			}
		}
		return true
	})
	time.AfterFunc(limit/10, func() {
		one[1].Send(tagged8(make([]byte, 8), 0, 5))
		two[1].Send(tagged8(make([]byte, 8), 0, 5))
	})
	WaitAll(requests)
	for _, r := range requests {
		if _, err := r.Result(); err != nil {
			t.Error(err)
		}
	}
}
