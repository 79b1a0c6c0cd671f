package shm

import (
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Where ranks take turns on processors, each tells on which one it is lately: its seat. For the kernel does not always spread
// them. It puts them where somebody woke them, and evens that out some time later; one that is to pack the work of a guest
// on few of its processors leaves four ranks on one of two for as long as they run (a barrier of 4 ranks: 1.8 us with two
// ranks on each processor, 3.4 with three on one, 5 with all; 2 processors, Linux 6.18, 2026-11).

// Settle tells where this rank is. If more than most ranks are there, and there are at least two fewer on another processor
// that the calling thread may use, that is moved there, unless it has been lately.
func (p *Port) Settle(most int) {
	runtime.LockOSThread() // what is moved is a thread
	defer runtime.UnlockOSThread()
	here, ok := processor()
	if !ok {
		return
	}
	p.sit(here)
	if p.seated(here) <= most || !p.settling.rested(p.Now()) {
		return
	}
	var mask unix.CPUSet
	if unix.SchedGetaffinity(0, &mask) != nil {
		return
	}
	if there, ok := p.emptier(here, &mask); ok {
		move(there, &mask)
		p.settling.move(p.Now())
		p.sit(there)
	}
}

// settling is when a rank has moved last, on the monotonic clock, and how long it stays there at least.
type settling struct{ moved, rest time.Duration }

// A rank that must move again and again stays longer and longer: the kernel may have reasons to put it elsewhere.
const leastRest, mostRest, forgotten = time.Millisecond, 128 * time.Millisecond, time.Second

func (s *settling) rested(now time.Duration) bool { return s.rest == 0 || now-s.moved > s.rest }

func (s *settling) move(now time.Duration) {
	if s.rest == 0 || now-s.moved > forgotten {
		s.rest = leastRest / 2
	}
	s.moved, s.rest = now, min(2*s.rest, mostRest)
}

// sit tells where this rank is; C tells it, too (capi/queue.h).
func (p *Port) sit(cpu int) {
	if seat := uint32(cpu) + 1; atomic.LoadUint32(&p.own.seat) != seat {
		atomic.StoreUint32(&p.own.seat, seat)
	}
}

// seated counts the ranks on a processor.
func (p *Port) seated(cpu int) (n int) {
	for _, q := range p.peers {
		if atomic.LoadUint32(&q.Segment.control().seat) == uint32(cpu)+1 {
			n++
		}
	}
	return n
}

// emptier is the processor in the mask with the fewest ranks, if those are at least two fewer than here.
func (p *Port) emptier(here int, mask *unix.CPUSet) (there int, ok bool) {
	fewest := p.seated(here) - 1
	for cpu := range len(mask) * 64 {
		if !mask.IsSet(cpu) {
			continue
		}
		if n := p.seated(cpu); n < fewest {
			there, fewest, ok = cpu, n, true
		}
	}
	return there, ok
}

// move takes the calling thread to a processor and leaves it free to go wherever it may.
func move(cpu int, mask *unix.CPUSet) {
	var one unix.CPUSet
	one.Set(cpu)
	if unix.SchedSetaffinity(0, &one) == nil {
		unix.SchedSetaffinity(0, mask)
	}
}
