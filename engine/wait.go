package engine

import (
	"time"

	"golang.org/x/sys/unix"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// policy is how long a rank spins, and then yields, before it sleeps.
type policy struct {
	spin, yield time.Duration
}

// nap bounds one sleep, so that a clock is looked at now and then.
const nap = time.Second

// run executes a program on the caller's thread. The error has been told to all ranks.
func (c *Comm) run(p *plan.Program, h link.Header, what call) *Error {
	if c.port.Condemned() {
		return c.ended(c.verdict())
	}
	c.shared.Sequence++
	h.Op = c.shared.Sequence
	c.op.begin(p, h, what)
	return c.finish()
}

// finish steps the operation that has begun until it is done.
func (c *Comm) finish() *Error {
	o := &c.op
	var w waiter
	for !o.finished() {
		moved, e := o.advance()
		if e == nil && !moved && !o.finished() {
			e = c.pause(&w)
		} else {
			w = waiter{}
		}
		if e != nil {
			return c.ended(e)
		}
	}
	o.call = call{}
	return nil
}

// ended turns the error that ended an operation into what its caller gets.
func (c *Comm) ended(e *Error) *Error {
	c.op.call = call{}
	if c.abortedHere() {
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
)

// pause is called when nothing moved: it spins, yields or sleeps a little, and returns an error if there is no use in
// waiting longer.
func (c *Comm) pause(w *waiter) *Error {
	if w.rounds++; w.rounds < roundsPerCheck && c.wait.spin > 0 {
		simd.Pause(pausesPerRound)
		return nil
	}
	if moved, e := c.hopeless(); moved || e != nil {
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
	return c.sleep()
}

// sleep sleeps until somebody rings this rank's bell.
func (c *Comm) sleep() *Error {
	if e := c.op.disagreement(); e != nil {
		return e
	}
	c.port.Arm()
	moved, e := c.op.advance()
	if !moved && e == nil && !c.op.finished() {
		moved, e = c.hopeless()
		if !moved && e == nil {
			c.port.Sleep(nap)
			return nil
		}
	}
	c.port.Disarm()
	return e
}

// hopeless says why the wait has no end: an abort here, a verdict, or a peer that is gone and needed. In looking it may
// move the operation on.
func (c *Comm) hopeless() (moved bool, e *Error) {
	switch {
	case c.abortedHere():
		return false, errorf(InvalidUsage, "aborted")
	case c.port.Condemned():
		return false, c.verdict()
	case c.port.Gone() > 0:
		return c.op.abandoned()
	}
	return false, nil
}
