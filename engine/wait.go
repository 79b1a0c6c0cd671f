package engine

import (
	"time"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// policy is how long a rank spins, and then yields, before it sleeps.
type policy struct {
	spin, yield time.Duration
	share       int // of the ranks, for each processor; 0 if they do not take turns
}

// waited is what a call waits for: a collective, or messages.
type waited interface {
	// advance does what can be done at once. The error, which names a culprit, is one that ends the communicator.
	advance() (moved bool, e *Error)
	finished() bool
	// disagreement looks, before a sleep, for a reason why the wait would have no end though everybody is there.
	disagreement() *Error
	// abandoned looks for a peer that is gone and needed. In looking it may move on.
	abandoned() (moved bool, e *Error)
	// hasBorrowed says whether it has read from the memory of a peer's user, who may change that when the communicator is
	// given up.
	hasBorrowed() bool
	// awaits says whom the wait is for.
	awaits() awaited
	// forget lets go of the caller's memory.
	forget()
}

func (o *operation) hasBorrowed() bool { return o.borrowed }

func (o *operation) forget() {
	o.call = call{}
	o.comm.port.Ended()
}

// run executes a program on the caller's thread. The error has been told to all ranks.
func (c *Comm) run(p *plan.Program, h link.Header, what call) *Error {
	if c.port.Condemned() {
		return c.ended(c.verdict())
	}
	c.start(p, h, what)
	return c.finish(&c.op)
}

// finish steps what has begun until it is done.
func (c *Comm) finish(x waited) *Error {
	c.turns = turns{}
	return c.finishOverdue(x)
}

// finishOverdue is finish of what has been waited for already: the foreign function comes first.
func (c *Comm) finishOverdue(x waited) *Error {
	c.moved()
	for moves := 1; !x.finished(); moves++ {
		moved, e := c.look(x)
		switch {
		case e != nil:
		case !moved && !x.finished():
			e = c.pause(x)
		case moves%movesPerCheck == 0:
			e = c.givenUp()
		}
		if moved {
			c.moved()
			c.foreignTurn()
		}
		if e != nil {
			x.forget()
			return c.ended(e)
		}
	}
	e := c.stillWhole(x.hasBorrowed())
	x.forget()
	if e != nil {
		return c.ended(e)
	}
	if c.shownIn != nil {
		c.hideElsewhere()
	}
	return nil
}

// look does what can be done at once for what is waited for, and for all that is under way beside it.
func (c *Comm) look(x waited) (moved bool, e *Error) {
	moved, e = x.advance()
	if e == nil && c.tasks.Load() > 0 {
		var did bool
		did, e = c.step()
		moved = moved || did
	}
	return moved, e
}

// stillWhole is the error if what was read last may have been changed since a peer's call has failed.
func (c *Comm) stillWhole(borrowed bool) *Error {
	if !borrowed {
		return nil
	}
	simd.FenceAcquire()
	return c.givenUp()
}

// givenUp says why the communicator was given up, nil if it was not.
func (c *Comm) givenUp() *Error {
	switch {
	case c.abortedHere():
		return errorf(InvalidUsage, "aborted")
	case c.port.Condemned():
		return c.verdict()
	}
	return nil
}

// ended turns the error that ended a wait into what its caller gets.
func (c *Comm) ended(e *Error) *Error {
	if c.abortedHere() {
		c.condemn(c.abortion()) // before the caller gets its memory back: others may be reading it
		e = errorf(InvalidUsage, "the communicator was aborted in this process while the call waited").on("aborted")
	} else {
		e = c.condemn(e)
	}
	if c.tasks.Load() > 0 {
		c.failTasks(e)
	}
	c.leaveElsewhere(e)
	return e
}

// waiter remembers how long nothing has moved.
type waiter struct {
	rounds int           // looks since the last glance at the clock
	since  time.Time     // the first such glance
	warned bool          // somebody was told
	shown  bool          // and those who wait for this rank in other communicators
	pieces time.Duration // how long the last sleep was, if there is a foreign function
}

// moved is called when something has moved, or a wait begins.
func (c *Comm) moved() {
	c.still.rounds = 0
	if !c.still.since.IsZero() {
		c.still = waiter{}
		c.stillSince.Store(0)
		c.hideElsewhere()
	}
}

// stillFor is how long nothing has moved.
func (c *Comm) stillFor() time.Duration {
	now := time.Now()
	if c.still.since.IsZero() {
		c.still.since = now
		c.stillSince.Store(now.UnixNano())
	}
	return now.Sub(c.still.since)
}

const (
	tight             = 50 * time.Microsecond // spinning only; after that, others that want the processor get it
	pausesPerRound    = 2                     // PAUSE instructions between two looks
	roundsPerCheck    = 64                    // looks between two glances at clocks, the abort flag and the dead
	yieldsPerSettling = 32
	movesPerCheck     = 16 // the same while there is something to do, in steps of up to 64 KiB
)

// Settle sees to it that ranks that take turns are spread over the processors.
func (c *Comm) Settle() {
	if port, ok := c.port.(interface{ Settle(most int) }); ok && c.wait.share > 0 {
		port.Settle(c.wait.share)
	}
}

// pause is called when nothing moved: it spins, yields or sleeps a little, and returns an error if there is no use in
// waiting longer.
func (c *Comm) pause(x waited) *Error {
	w := &c.still
	if w.rounds++; w.rounds < roundsPerCheck && c.wait.spin > 0 {
		simd.Pause(pausesPerRound)
		return nil
	}
	if moved, e := c.hopeless(x); moved || e != nil {
		c.moved()
		return e
	}
	c.foreignTurn()
	idle := c.stillFor()
	switch {
	case idle < min(c.wait.spin, tight):
		w.rounds = 0
		return nil
	case idle < c.wait.spin+c.wait.yield:
		w.rounds = roundsPerCheck - 1 // a system call is glance enough: look at the clock each time
		if c.yields++; c.yields%yieldsPerSettling == 0 {
			c.Settle()
		}
		yield()
		return nil
	}
	w.rounds = roundsPerCheck - 1
	c.showElsewhere(x, idle)
	if e := c.clocks(x, idle); e != nil {
		return e
	}
	return c.sleep(x, idle)
}

// sleep sleeps until somebody rings this rank's bell.
func (c *Comm) sleep(x waited, idle time.Duration) *Error {
	if e := x.disagreement(); e != nil {
		return e
	}
	c.port.Arm()
	moved, e := c.look(x)
	if !moved && e == nil && !x.finished() {
		moved, e = c.hopeless(x)
		if !moved && e == nil {
			nap := c.nap(idle)
			if !c.still.shown {
				nap = min(nap, max(c.limits.showAfter()-idle, time.Millisecond))
			}
			c.port.Sleep(c.still.piece(nap))
			return nil
		}
	}
	c.port.Disarm()
	if moved {
		c.moved()
	}
	return e
}

// hopeless says why the wait has no end: an abort here, a verdict, or a peer that is gone and needed. In looking it may
// move what is waited for. Whatever the wait is for, messages from point to point are taken in, so that their senders
// can go on.
func (c *Comm) hopeless(x waited) (moved bool, e *Error) {
	if e := c.givenUp(); e != nil {
		return false, e
	}
	if moved, e := c.messages.collect(); moved || e != nil {
		return moved, e
	}
	if c.port.Gone() > 0 {
		return x.abandoned()
	}
	return false, nil
}
