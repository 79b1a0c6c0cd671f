package engine

import "golang.org/x/sys/unix"

// Probe waits for a message of a source and a tag, either of which may be a wildcard, and does not receive it.
func (c *Comm) Probe(source, tag int) (Status, error) {
	s, _, err := c.probe(source, tag, (*exchange).await)
	return s, err
}

// Iprobe says whether there is such a message now.
func (c *Comm) Iprobe(source, tag int) (Status, bool, error) {
	return c.probe(source, tag, (*exchange).look)
}

func (c *Comm) probe(source, tag int, how func(*exchange) *Error) (Status, bool, error) {
	if e := c.checkPattern(source, tag, &namesOfReceive); e != nil {
		return Status{}, false, e
	}
	if source == ProcNull {
		return nothing, true, nil
	}
	if e := c.enter(); e != nil {
		return Status{}, false, e
	}
	returned := false
	defer c.leaveUnless(&returned)
	x := &c.messages.call
	x.ownProbe = pattern{space: tagged, source: source, tag: int32(tag)}
	x.probe, x.found, x.failed = &x.ownProbe, c.messages.find(&x.ownProbe), nil
	var e *Error
	if c.port.Condemned() {
		e = c.ended(c.verdict())
	} else if x.found == nil {
		e = how(x)
	}
	x.forget()
	returned = true
	if e != nil || x.found == nil {
		return Status{}, false, c.done(e)
	}
	return x.found.status(), true, c.done(nil)
}

// await waits for the message.
func (x *exchange) await() *Error {
	c := x.p.comm
	if x.probe.source == c.rank || x.probe.source == AnySource && c.Size() == 1 {
		return errorf(InvalidUsage, "%s would wait for ever: this rank has sent itself no such message", x.probe.describe("Probe for a message")).on("waits-for-ever")
	}
	if e := c.finish(x); e != nil {
		return e
	}
	return x.failed
}

// look takes in what has arrived, and looks for the message there.
func (x *exchange) look() *Error {
	c := x.p.comm
	for x.found == nil {
		moved, e := x.advance()
		if !moved && e == nil {
			moved, e = c.hopeless(x)
		}
		if e != nil {
			return c.ended(e)
		}
		if !moved {
			break
		}
	}
	if x.found == nil && c.wait.spin == 0 {
		unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0) // a program that polls must let the sender run
	}
	return nil
}
