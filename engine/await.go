package engine

import (
	"slices"

	"hcomm/link"
)

// awaiting is the wait of a call for tasks of one communicator.
type awaiting struct {
	comm   *Comm
	tasks  []*task
	any    bool // one of them is enough
	failed bool // one of them that has failed is enough

	seen    int    // how many of the first are done
	failing uint64 // the count of failures when none of these had failed

	passing  bool // it is looked at once, and then forgotten
	intended bool // the others were told that this rank waits for a message
}

var _ waited = (*awaiting)(nil)

// advance leaves it to Comm.step.
func (a *awaiting) advance() (bool, *Error) { return false, nil }

func (a *awaiting) finished() bool {
	if a.any {
		return slices.ContainsFunc(a.tasks, (*task).isFinished)
	}
	if now := failures.Load(); a.failed && now != a.failing {
		if slices.ContainsFunc(a.tasks, (*task).hasFailed) {
			return true
		}
		a.failing = now
	}
	for a.seen < len(a.tasks) && a.tasks[a.seen].isFinished() {
		a.seen++
	}
	return a.seen == len(a.tasks)
}

func (t *task) hasFailed() bool { return t.isFinished() && t.err != nil }

func (a *awaiting) hasBorrowed() bool { return false } // each task sees to that itself

// disagreement looks for a reason why one of the tasks has no end though everybody is there.
func (a *awaiting) disagreement() *Error {
	c := a.comm
	if c.isRunning() {
		if e := c.op.disagreement(); e != nil {
			return e
		}
	} else if !a.passing {
		a.intend()
	}
	for _, t := range a.tasks {
		if r := t.receive; r != nil && r.stage == waiting {
			c.messages.refuseBlocked(r)
		}
	}
	return nil
}

func (a *awaiting) abandoned() (moved bool, e *Error) {
	for _, t := range a.tasks {
		if t.receive != nil && t.receive.stage == waiting {
			return a.comm.abandonedTasks(t.receive)
		}
	}
	return a.comm.abandonedTasks(nil)
}

// intend tells the others of the first message that is waited for.
func (a *awaiting) intend() {
	for _, t := range a.tasks {
		var h link.Header
		switch {
		case t.receive != nil && t.receive.stage != finished:
			h = t.receive.intent()
		case t.send != nil && t.send.stage != finished:
			h = t.send.intent()
		default:
			continue
		}
		a.comm.port.Intend(h)
		a.intended = true
		return
	}
}

func (a *awaiting) forget() {
	if a.intended {
		a.comm.port.Intend(link.Header{})
		a.intended = false
	}
}

// isRunning says whether the first collective in line has begun.
func (c *Comm) isRunning() bool { return len(c.queue) > 0 && c.queue[0].begun }

// abandonedTasks looks for a peer that is gone and that a task needs. A receive that no message has matched needs its
// source only if it is waited for: the program may have others, and never ask for this one.
func (c *Comm) abandonedTasks(wanted *receive) (moved bool, e *Error) {
	if c.isRunning() {
		if moved, e = c.op.abandoned(); moved || e != nil {
			return moved, e
		}
	}
	return c.messages.abandoned(wanted)
}

// inLine puts a task in line and waits for it.
func (c *Comm) inLine(t *task) *Error {
	if e := c.submit(t); e != nil {
		return e
	}
	return c.waitFor(t)
}

// waitFor waits for tasks of this communicator and returns the first one's error.
func (c *Comm) waitFor(tasks ...*task) *Error {
	if e := c.finish(&awaiting{comm: c, tasks: tasks}); e != nil {
		return e
	}
	for _, t := range tasks {
		if t.err != nil {
			return t.err
		}
	}
	return nil
}

// exchangeInLine is a call with a send, a receive, or both, that must not overtake what a stream holds back.
func (c *Comm) exchangeInLine(s *Message, sent uint64, r *Message, room uint64, in space) (Status, *Error) {
	kinds := [2]workKind{sendWork, recvWork}
	if in == typed {
		kinds = [2]workKind{sendTypedWork, recvTypedWork}
	}
	var tasks []*task
	status := nothing
	if r != nil {
		tasks = append(tasks, &task{comm: c, work: Work{kind: kinds[1], message: *r}, bytes: room, status: nothing})
	}
	if s != nil {
		tasks = append(tasks, &task{comm: c, work: Work{kind: kinds[0], message: *s}, bytes: sent, status: nothing})
	}
	for _, t := range tasks {
		if e := c.submit(t); e != nil {
			return status, e
		}
	}
	e := c.waitFor(tasks...)
	if r != nil {
		status = tasks[0].status
	}
	return status, e
}
