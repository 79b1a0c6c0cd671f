package engine

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/simd"
)

// drive steps several communicators in turn until what is awaited is done. claimed says that the caller has their claims;
// otherwise it takes those that it can get, for the time of a look. Since each communicator has a bell of its own, a long
// wait looks now and then instead of sleeping on one.
func drive(comms []*Comm, a *awaiting, claimed bool) {
	var idle time.Time                // since when nothing has moved
	begun := make([]bool, len(comms)) // whose clocks are those of this wait
	var turns turns
	for round := 1; !a.finished(); round++ {
		moved := false
		for i, c := range comms {
			switch {
			case claimed, c.enterBriefly():
				if !begun[i] {
					begun[i] = true
					c.moved()
				}
				moved = c.driven(round, claimed) || moved
			}
		}
		if moved || round%roundsPerCheck == 0 {
			turns.glance()
		}
		switch {
		case moved:
			idle = time.Time{}
		case round%roundsPerCheck != 0:
			simd.Pause(pausesPerRound)
		case idle.IsZero():
			idle = time.Now()
		default:
			pauseTogether(comms[0].wait, time.Since(idle))
		}
	}
}

// enterBriefly claims the communicator for a look, as the worker does: a call that comes meanwhile waits for its end.
func (c *Comm) enterBriefly() bool {
	return c.worker.wanted.Load() == 0 && atomic.CompareAndSwapUint32(&c.shared.Use, idle, inWorker)
}

// driven is turn with a claim that stays, or a brief one, which it ends.
func (c *Comm) driven(round int, stays bool) (moved bool) {
	if stays {
		return c.turn(round)
	}
	returned := false
	defer c.leaveUnless(&returned)
	moved = c.turn(round)
	returned = true
	c.leaveBriefly(moved)
	return moved
}

// leaveBriefly ends such a claim. The worker need not know of a look that has moved nothing.
func (c *Comm) leaveBriefly(moved bool) {
	if moved || c.aborted.Load() {
		c.leave()
		return
	}
	c.letCallsPass()
	atomic.StoreUint32(&c.shared.Use, idle)
	if c.aborted.Load() {
		c.close()
	}
}

// turn looks after one of several communicators, now and then also at what a wait looks at.
func (c *Comm) turn(round int) (moved bool) {
	if c.tasks.Load() == 0 {
		return false
	}
	moved, e := c.step()
	if e == nil && !moved && round%roundsPerCheck == 0 {
		a := &awaiting{comm: c, tasks: c.allTasks(), passing: true}
		if moved, e = c.hopeless(a); e == nil && !moved {
			if e = a.disagreement(); e == nil {
				e = c.clocks(a, c.stillFor())
			}
		}
	}
	if moved {
		c.moved()
	}
	if e != nil {
		c.ended(e)
		return true
	}
	return moved
}

// allTasks is everything under way.
func (c *Comm) allTasks() []*task {
	return append(append(append([]*task(nil), c.queue...), c.started...), c.held...)
}

// pauseTogether is the wait of one who looks after several communicators.
func pauseTogether(p policy, idle time.Duration) {
	switch {
	case idle < min(p.spin, tight):
	case idle < p.spin+p.yield:
		yield()
	default:
		time.Sleep(min(max(idle/16, 20*time.Microsecond), time.Millisecond))
	}
}

// yield lets others run.
func yield() { unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }
