package engine

import (
	"slices"
	"sync"
	"sync/atomic"

	"hcomm/link"
	"hcomm/observe"
	"hcomm/plan"
)

// task is a call that was checked and put in line: of a request, a stream, a group, or one that was made while others are
// under way. It is stepped by whoever has the claim on its communicator.
type task struct {
	comm    *Comm
	work    Work
	buffers        // of a collective
	bytes   uint64 // of a message

	stream *Stream // nil if it is in none
	before []*task // what must be done first; changed under following, by who has the claim once it is in line

	send      *send
	receive   *receive
	forgotten bool // nobody will ask for its result
	begun     bool
	status    Status
	err       *Error      // valid once done
	early     bool        // done by an error, before what is in before; valid once done
	done      atomic.Bool // stored last
	follower  []*Comm     // whose tasks wait for this one; guarded by following
}

// following guards the lists of followers: a task that is done has none. A task that was done early keeps what is before it,
// for those behind it to wait for.
var following sync.Mutex

// newTask checks a call. The error is one that leaves everything as it was.
func (c *Comm) newTask(w Work) (*task, *Error) {
	t := &task{comm: c, work: w, status: nothing}
	var e *Error
	switch m := &t.work.message; w.kind {
	case collectiveWork:
		t.work.settle(c)
		t.buffers, e = t.work.check(c, w.collective)
	case sendWork:
		t.bytes, e = c.checkSend(m, &namesOfSend)
	case recvWork:
		t.bytes, e = c.checkReceive(m, &namesOfReceive)
	case sendTypedWork:
		t.bytes, e = c.checkTyped(m, &namesOfTyped[0])
	case recvTypedWork:
		t.bytes, e = c.checkTyped(m, &namesOfTyped[1])
	}
	return t, e
}

// again is the same call once more.
func (t *task) again() *task {
	return &task{comm: t.comm, work: t.work, buffers: t.buffers, bytes: t.bytes, status: nothing}
}

func (t *task) isCollective() bool { return t.work.kind == collectiveWork }

func (t *task) isReceive() bool { return t.work.kind == recvWork || t.work.kind == recvTypedWork }

// isUnmatched says whether it is a receive that no message has matched.
func (t *task) isUnmatched() bool {
	return t.isReceive() && (t.receive == nil || t.receive.stage == waiting)
}

func (t *task) isFinished() bool { return t.done.Load() }

// isPassed says whether it is done, and so is all that must be done before it.
func (t *task) isPassed() bool {
	if !t.isFinished() {
		return false
	}
	if !t.early {
		return true
	}
	following.Lock()
	defer following.Unlock()
	return t.isPassedAsGuarded()
}

func (t *task) isPassedAsGuarded() bool {
	if !t.isFinished() {
		return false
	}
	for t.early && len(t.before) > 0 {
		if !t.before[0].isPassedAsGuarded() {
			return false
		}
		t.before = t.before[1:]
	}
	return true
}

// isReady says whether what must be done first is done.
func (t *task) isReady() bool {
	for _, b := range t.before {
		if !b.isPassed() {
			return false
		}
	}
	if len(t.before) > 0 {
		following.Lock()
		t.before = nil
		following.Unlock()
	}
	return true
}

// mustFollow has the task begin after another one, which may be of another communicator.
func (t *task) mustFollow(other *task) {
	if other == nil || other.isPassed() {
		return
	}
	following.Lock()
	defer following.Unlock()
	if other.isPassedAsGuarded() {
		return
	}
	t.before = append(t.before, other)
	if other.comm != t.comm {
		other.inform(t.comm)
	}
}

// inform has communicators be roused when the task is done, or what is before it if that is done early. following is held.
func (t *task) inform(comms ...*Comm) {
	if !t.isFinished() {
		t.follower = append(t.follower, comms...)
		return
	}
	for _, b := range t.before {
		b.inform(comms...)
	}
}

// failures counts the tasks that have failed, of all communicators: a wait that ends with the first need not look at all of its
// tasks each time.
var failures atomic.Uint64

// finish makes the task done, and lets go of the caller's memory.
func (t *task) finish(e *Error) {
	if e == nil && t.isCollective() {
		t.work.toFront(t.comm)
	}
	t.err, t.buffers = e, buffers{}
	if t.stream != nil {
		t.stream.ended(e)
		t.comm.streamed.Add(-1)
	}
	following.Lock()
	t.before = slices.DeleteFunc(t.before, (*task).isPassedAsGuarded)
	t.early = len(t.before) > 0
	t.done.Store(true)
	others := t.follower
	t.follower = nil
	if t.early {
		t.inform(others...)
	}
	following.Unlock()
	t.send, t.receive = nil, nil
	t.comm.tasks.Add(-1)
	if e != nil {
		failures.Add(1)
	}
	for _, c := range others {
		c.rouse()
	}
}

// submit puts a task in line and begins it, if it is its turn. The claim is held. The error says that nothing was done,
// or that the communicator was given up before; the task is then none any more.
func (c *Comm) submit(t *task) *Error {
	if c.port.Condemned() {
		return c.ended(c.verdict())
	}
	if t.isCollective() {
		c.queue = append(c.queue, t)
		c.count(t)
		return nil
	}
	if t.work.message.Peer == ProcNull {
		c.count(t)
		t.finish(nil)
		return nil
	}
	if !t.isReady() || c.isHeld(t, len(c.held)) {
		c.held = append(c.held, t)
		c.count(t)
		return nil
	}
	if e := c.tooMuchForSelf(t); e != nil {
		return e
	}
	c.count(t)
	if e := c.startMessage(t); e != nil {
		c.ended(e) // which ends this task, too
	}
	return nil
}

// count counts a task that is in line from now on.
func (c *Comm) count(t *task) {
	c.tasks.Add(1)
	if t.stream != nil {
		c.streamed.Add(1)
	}
}

// tooMuchForSelf is the error for a message to this rank itself for which there is no room.
func (c *Comm) tooMuchForSelf(t *task) *Error {
	p := &c.messages
	if t.isReceive() || t.work.message.Peer != c.rank || p.kept[c.rank].size+keepSize(int(t.bytes)) <= mostToSelf {
		return nil
	}
	return errorf(InvalidUsage, "a Send of %d bytes to this rank itself: up to %d bytes wait for a receive, and %d do already; receive first",
		t.bytes, mostToSelf, p.kept[c.rank].size).on("waits-for-ever")
}

// isHeld says whether one of the first n messages that are held back must begin before this one: it goes the same way.
func (c *Comm) isHeld(t *task, n int) bool {
	for _, h := range c.held[:n] {
		a, b := h.work.message.Peer, t.work.message.Peer
		if h.isReceive() == t.isReceive() && (a == b || a == AnySource || b == AnySource) {
			return true
		}
	}
	return false
}

// startMessage begins a message. The error is one that ends the communicator.
func (c *Comm) startMessage(t *task) *Error {
	p := &c.messages
	in := tagged
	if t.work.kind == sendTypedWork || t.work.kind == recvTypedWork {
		in = typed
	}
	t.begun = true
	c.started = append(c.started, t)
	var e *Error
	if t.isReceive() {
		t.receive = new(receive)
		t.receive.set(&t.work.message, t.bytes, in)
		e = p.post(t.receive)
	} else {
		t.send = new(send)
		p.setSend(t.send, &t.work.message, t.bytes, in)
		e = p.start(t.send)
	}
	p.unswept = p.unswept || t.isOver()
	return e
}

// step does what can be done at once for all tasks.
func (c *Comm) step() (moved bool, e *Error) {
	if len(c.queue) > 0 {
		moved, e = c.stepQueue()
	}
	if e == nil && len(c.held) > 0 {
		var did bool
		did, e = c.letGo()
		moved = moved || did
	}
	if e == nil && (len(c.started) > 0 || c.messages.active()) {
		var did bool
		did, e = c.messages.advance()
		moved = moved || did
		if e == nil && c.messages.unswept {
			did, e = c.sweep()
			moved = moved || did
		}
	}
	return moved, e
}

// stepQueue goes on with the first collective, and with those behind it when it is done.
func (c *Comm) stepQueue() (moved bool, e *Error) {
	for len(c.queue) > 0 {
		t := c.queue[0]
		if !t.begun {
			if !t.isReady() {
				return moved, nil
			}
			c.beginCollective(t)
			moved = true
		}
		did, e := c.op.advance()
		moved = moved || did
		if e != nil || !c.op.finished() {
			return moved, e
		}
		if e := c.stillWhole(c.op.borrowed); e != nil {
			return moved, e
		}
		c.op.forget()
		c.queue = takenOff(c.queue, 0)
		t.finish(nil)
		moved = true
	}
	return moved, nil
}

// beginCollective begins the first in line.
func (c *Comm) beginCollective(t *task) {
	t.begun = true
	p, what := c.prepare(t.work.collective, &t.work.arguments, t.buffers)
	c.start(p, t.work.header(t.work.collective), what)
}

// start begins the next operation.
func (c *Comm) start(p *plan.Program, h link.Header, what call) {
	c.shared.Sequence++
	h.Op = c.shared.Sequence
	if observe.Shows(observe.Traces) {
		c.trace(h)
	}
	c.op.begin(p, h, what)
	c.port.Began(&c.op.header)
}

// letGo begins the messages that are held back and need not be any longer.
func (c *Comm) letGo() (moved bool, e *Error) {
	kept := 0
	for _, t := range c.held {
		if e != nil || !t.isReady() || c.isHeld(t, kept) {
			c.held[kept] = t
			kept++
			continue
		}
		moved = true
		e = c.startMessage(t)
	}
	clear(c.held[kept:])
	c.held = c.held[:kept]
	return moved, e
}

// sweep ends the messages that are done.
func (c *Comm) sweep() (moved bool, e *Error) {
	c.messages.unswept = false
	kept := 0
	for i, t := range c.started {
		if e == nil && t.isOver() && t.receive != nil {
			e = c.stillWhole(t.receive.borrowed)
		}
		if e != nil {
			kept += copy(c.started[kept:], c.started[i:])
			break
		}
		if !t.isOver() {
			c.started[kept] = t
			kept++
			continue
		}
		moved = true
		if r := t.receive; r != nil {
			t.status = r.got.status()
			t.finish(r.failed)
		} else {
			t.finish(nil)
		}
	}
	clear(c.started[kept:])
	c.started = c.started[:kept]
	return moved, e
}

// isOver says whether nothing is left to do for a message that has begun.
func (t *task) isOver() bool {
	return (t.send == nil || t.send.stage == finished) && (t.receive == nil || t.receive.stage == finished)
}

// failTasks ends all tasks with the error that ends the communicator.
func (c *Comm) failTasks(e *Error) {
	all := append(append(c.queue, c.started...), c.held...)
	c.queue, c.started, c.held = nil, nil, nil
	c.messages.drop()
	for _, t := range all {
		t.finish(e)
	}
}

// drop lets go of all messages under way, and of the callers' memory.
func (p *pointToPoint) drop() {
	p.sends, p.receives, p.posted = nil, nil, nil
}
