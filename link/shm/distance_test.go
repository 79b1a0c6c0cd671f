package shm

import (
	"sync/atomic"
	"testing"
)

// TestAdvice has a receiver say that it is far: then its sender, and no other, stores past the caches, but for the messages
// by which it may be found out that this is no longer so.
func TestAdvice(t *testing.T) {
	p := ports(t, NewLayout(3, 2, page, 4), false)
	stream := func(to []int, channel int) (n int) {
		for range probeEvery {
			if _, stream := p[0].Slot(to, channel); stream {
				n++
			}
		}
		return n
	}
	if n := stream([]int{1, 2}, 1); n != 0 {
		t.Errorf("%d messages past the caches before anybody is far", n)
	}
	atomic.StoreUint64(beside(p[1].in[p[1].queue(0, 1)].ack, toldFar), isFar)
	if n := stream([]int{1, 2}, 1); n < probeEvery-askEvery || n == probeEvery {
		t.Errorf("%d of %d messages past the caches, one of whose receivers is far", n, probeEvery)
	}
	if n := stream([]int{2}, 1) + stream([]int{1}, 0); n != 0 {
		t.Errorf("%d messages past the caches to one who is not far", n)
	}
}
