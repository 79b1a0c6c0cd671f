package engine

import (
	"time"

	"golang.org/x/sys/unix"

	"hcomm/link"
	"hcomm/observe"
	"hcomm/plan"
	"hcomm/simd"
)

// policy is how long a rank spins, and then yields, before it sleeps.
type policy struct {
	spin, yield time.Duration
}

// nap bounds one sleep, so that a clock is looked at now and then.
const nap = time.Second

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
	// forget lets go of the caller's memory.
	forget()
}

func (o *operation) hasBorrowed() bool { return o.borrowed }

func (o *operation) forget() { o.call = call{} }

// run executes a program on the caller's thread. The error has been told to all ranks.
func (c *Comm) run(p *plan.Program, h link.Header, what call) *Error {
	if c.port.Condemned() {
		return c.ended(c.verdict())
	}
	c.shared.Sequence++
	h.Op = c.shared.Sequence
	if observe.Shows(observe.Traces) {
		c.trace(h)
	}
	c.op.begin(p, h, what)
	return c.finish(&c.op)
}

// finish steps what has begun until it is done.
func (c *Comm) finish(x waited) *Error {
	var w waiter
	for moves := 1; !x.finished(); moves++ {
		moved, e := x.advance()
		switch {
		case e != nil:
		case !moved && !x.finished():
			e = c.pause(&w, x)
		case moves%movesPerCheck == 0:
			e = c.givenUp()
		}
		if moved {
			w = waiter{}
		}
		if e != nil {
			x.forget()
			return c.ended(e)
		}
	}
	var e *Error
	if x.hasBorrowed() { // what was read last may have been changed if a peer's call has failed
		simd.FenceAcquire()
		e = c.givenUp()
	}
	x.forget()
	if e != nil {
		return c.ended(e)
	}
	return nil
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
		return errorf(InvalidUsage, "the communicator was aborted in this process while the call waited")
	}
	return c.condemn(e)
}

// waiter remembers how long nothing has moved.
type waiter struct {
	rounds int       // looks since the last glance at the clock
	since  time.Time // the first such glance
}

const (
	tight          = 50 * time.Microsecond // spinning only; after that, others that want the processor get it
	pausesPerRound = 2                     // PAUSE instructions between two looks
	roundsPerCheck = 64                    // looks between two glances at clocks, the abort flag and the dead
	movesPerCheck  = 16                    // the same while there is something to do, in steps of up to 64 KiB
)

// pause is called when nothing moved: it spins, yields or sleeps a little, and returns an error if there is no use in
// waiting longer.
func (c *Comm) pause(w *waiter, x waited) *Error {
	if w.rounds++; w.rounds < roundsPerCheck && c.wait.spin > 0 {
		simd.Pause(pausesPerRound)
		return nil
	}
	if moved, e := c.hopeless(x); moved || e != nil {
		*w = waiter{}
		return e
	}
	now := time.Now()
	if w.since.IsZero() {
		w.since = now
	}
	switch idle := now.Sub(w.since); {
	case idle < min(c.wait.spin, tight):
		w.rounds = 0
		return nil
	case idle < c.wait.spin+c.wait.yield:
		w.rounds = roundsPerCheck - 1 // a system call is glance enough: look at the clock each time
		unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
		return nil
	}
	w.rounds = roundsPerCheck - 1
	return c.sleep(x)
}

// sleep sleeps until somebody rings this rank's bell.
func (c *Comm) sleep(x waited) *Error {
	if e := x.disagreement(); e != nil {
		return e
	}
	c.port.Arm()
	moved, e := x.advance()
	if !moved && e == nil && !x.finished() {
		moved, e = c.hopeless(x)
		if !moved && e == nil {
			c.port.Sleep(nap)
			return nil
		}
	}
	c.port.Disarm()
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
