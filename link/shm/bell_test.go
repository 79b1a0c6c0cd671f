package shm

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"hcomm/link"
)

// ports makes the ports of ranks in this process.
func ports(t testing.TB, l Layout, fenced bool) []*Port {
	t.Helper()
	segments := make([]*Segment, l.Ranks)
	for r := range segments {
		s, err := Create(l, r)
		if err != nil {
			t.Fatal(err)
		}
		segments[r] = s
	}
	ports := make([]*Port, l.Ranks)
	for r := range ports {
		peers := make([]Peer, l.Ranks)
		for q := range peers {
			peers[q] = Peer{Segment: segments[q].Share(), PIDFD: -1}
		}
		p, err := Open(l, r, peers, fenced)
		if err != nil {
			t.Fatal(err)
		}
		ports[r] = p
	}
	for _, s := range segments {
		s.Release()
	}
	t.Cleanup(func() {
		for _, p := range ports {
			p.Leave()
		}
	})
	return ports
}

var rounds = flag.Int("rounds", 100_000, "how often TestNoWakeIsLost sleeps and wakes")

// given says whether a flag stands on the command line.
func given(name string) (found bool) {
	flag.Visit(func(f *flag.Flag) { found = found || f.Name == name })
	return found
}

// TestNoWakeIsLost has one rank sleep for each message without ever spinning, while the other sends after random delays,
// most of them about as long as it takes to arm the bell. A wake that is lost would cost the whole nap.
func TestNoWakeIsLost(t *testing.T) {
	for name, fenced := range map[string]bool{"membarrier": false, "fenced": true} {
		t.Run(name, func(t *testing.T) { sleepAndWake(t, fenced, *rounds) })
	}
}

func sleepAndWake(t *testing.T, fenced bool, rounds int) {
	if !fenced && !Barrier() {
		t.Skip("this kernel has no membarrier")
	}
	const nap = 20 * time.Second // a busy machine may keep a thread waiting for one
	p := ports(t, NewLayout(2, 1, page, 1), fenced)
	const most = 20 * time.Second // for all rounds, where the machine has much else to do
	var sent, last atomic.Int64   // when the message was sent, in nanoseconds since start; the number of the last one
	last.Store(int64(rounds))
	start := time.Now()
	done := make(chan int)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		slept := 0
		var longest time.Duration
		late := 0
		round := int64(0)
		for ; round < last.Load(); round++ {
			for !p[1].Arrived(0, 0) {
				p[1].Arm()
				if p[1].Arrived(0, 0) {
					p[1].Disarm()
					break
				}
				slept++
				p[1].Sleep(nap)
			}
			wait := time.Since(start) - time.Duration(sent.Load())
			longest = max(longest, wait)
			if wait > time.Millisecond {
				late++
			}
			if wait > nap/2 {
				t.Errorf("a wake was lost: a message was seen after %v", wait)
			}
			p[1].Release(0, 0)
		}
		t.Logf("%d rounds, %d sleeps; the longest wait was %v, %d waits were above 1ms", round, slept, longest, late)
		done <- slept
	}()
	rng := rand.New(rand.NewPCG(1, 2))
	header := link.Header{}
	for round := int64(1); round <= last.Load(); round++ {
		for p[0].Released(1, 0) < p[0].Posted(1, 0) {
			runtime.Gosched()
		}
		delay := 1000 // nanoseconds
		if rng.IntN(4) == 0 {
			delay = 20_000
		}
		for until := time.Now().Add(time.Duration(rng.IntN(delay))); time.Now().Before(until); {
		}
		if time.Since(start) > most && !given("rounds") {
			last.Store(round)
		}
		sent.Store(int64(time.Since(start)))
		p[0].PostInline([]int{1}, 0, &header, nil)
	}
	if slept := <-done; slept == 0 {
		t.Error("the rank never slept, so nothing was tested")
	}
}
