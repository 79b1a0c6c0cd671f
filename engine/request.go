package engine

import (
	"time"
)

// Request is a call that was begun and is to be completed: by [WaitAll], [WaitAny] or [TestAll]. It is used by one
// thread at a time.
type Request struct {
	task       *task // nil while a persistent one is inactive
	persistent *task // what Start begins; nil if it is not persistent
}

// Begin begins a call and returns at once.
func (c *Comm) Begin(w Work) (*Request, error) {
	t, e := c.newTask(w)
	if e == nil {
		e = c.begin(t)
	}
	if e != nil {
		return nil, e
	}
	return &Request{task: t}, nil
}

// Prepare makes a persistent request, which Start begins as often as one likes.
func (c *Comm) Prepare(w Work) (*Request, error) {
	t, e := c.newTask(w)
	if e != nil {
		return nil, e
	}
	return &Request{persistent: t}, nil
}

// Start begins a persistent request that is not under way.
func (r *Request) Start() error {
	switch {
	case r.persistent == nil:
		return errorf(InvalidUsage, "the request is not persistent: it was begun when it was made")
	case r.task != nil:
		return errorf(InvalidUsage, "the request is under way: complete it before it is started again").on("under-way")
	}
	t := r.persistent.again()
	if e := t.comm.begin(t); e != nil {
		return e
	}
	r.task = t
	return nil
}

// IsPersistent says whether Start can begin it.
func (r *Request) IsPersistent() bool { return r.persistent != nil }

// IsActive says whether it was begun, and Result has not been taken.
func (r *Request) IsActive() bool { return r.task != nil }

// IsDone says whether it is complete; an inactive one is.
func (r *Request) IsDone() bool { return r.task == nil || r.task.isFinished() }

// Result is what came of a request that is done; a persistent one can then be started again.
func (r *Request) Result() (Status, error) {
	s, err := r.Look()
	r.task = nil
	return s, err
}

// Look is Result that leaves everything as it is.
func (r *Request) Look() (Status, error) {
	t := r.task
	if t == nil {
		return nothing, nil
	}
	if t.err != nil {
		return t.status, t.err
	}
	return t.status, nil
}

// Forget says that nobody will ask for the result. What was begun goes on.
func (r *Request) Forget() {
	if r.task != nil {
		r.task.forgotten = true
	}
}

// begin puts a task in line and has a first look.
func (c *Comm) begin(t *task) *Error {
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	e := c.submit(t)
	if e == nil {
		c.stepOnce()
	}
	returned = true
	c.leave()
	return e
}

// stepOnce looks once after all tasks. What ends the communicator is told by the tasks.
func (c *Comm) stepOnce() {
	moved, e := c.step()
	if e == nil {
		e = c.givenUp()
	}
	if moved {
		c.moved()
	}
	if e != nil {
		c.ended(e)
	}
}

func tasksOf(requests []*Request) []*task {
	var all []*task
	for _, r := range requests {
		if r != nil && r.task != nil {
			all = append(all, r.task)
		}
	}
	return all
}

// WaitAll waits until all requests are done; nil ones are.
func WaitAll(requests []*Request) { wait(tasksOf(requests), false) }

// WaitAllUnlessFailed is WaitAll that also ends when one of the requests has failed: the others may never be done then.
func WaitAllUnlessFailed(requests []*Request) {
	waitFor(&awaiting{tasks: tasksOf(requests), failed: true})
}

// WaitAny waits until one of the requests is done, if there is one that is active.
func WaitAny(requests []*Request) {
	if all := tasksOf(requests); len(all) > 0 {
		wait(all, true)
	}
}

// Progress looks after what is under way in the communicators of requests, without waiting.
func Progress(requests []*Request) {
	for _, c := range commsOf(tasksOf(requests)) {
		c.progress()
	}
}

// progress looks after the tasks, unless somebody else is at it.
func (c *Comm) progress() {
	if !c.enterBriefly() {
		return
	}
	returned := false
	defer c.leaveUnless(&returned)
	c.stepOnce()
	if c.polls++; c.tasks.Load() > 0 && c.polls%roundsPerCheck == 0 {
		c.polled()
	}
	returned = true
	c.leave()
}

// polled is what a wait does now and then beside looking.
func (c *Comm) polled() {
	moved, e := c.messages.collect()
	if e == nil && c.port.Gone() > 0 {
		moved, e = c.abandonedPosted()
	}
	if e == nil && !moved && c.isRunning() {
		if e = c.op.disagreement(); e == nil {
			e = c.clocks(&awaiting{comm: c}, c.stillFor())
		}
	}
	if e != nil {
		c.ended(e)
	}
	if c.wait.spin == 0 {
		yield()
	}
}

// abandonedPosted is abandonedTasks with all receives.
func (c *Comm) abandonedPosted() (moved bool, e *Error) {
	if moved, e = c.abandonedTasks(nil); moved || e != nil {
		return moved, e
	}
	for _, t := range c.started {
		if t.receive != nil && t.receive.stage == waiting {
			if moved, e = c.messages.abandoned(t.receive); moved || e != nil {
				return moved, e
			}
		}
	}
	return false, nil
}

// wait waits for tasks: all, or any.
func wait(tasks []*task, any bool) { waitFor(&awaiting{tasks: tasks, any: any}) }

func waitFor(a *awaiting) {
	comms := commsOf(a.tasks)
	var turns turns
	for !a.finished() {
		switch {
		case len(comms) > 1:
			drive(comms, a, false)
		case !comms[0].await(a): // another thread sees to it, or all has ended
			time.Sleep(50 * time.Microsecond)
			if !comms[0].aside.Load() {
				turns.glance()
			}
		}
	}
}

// await waits as the one who steps the communicator; false if that is another thread.
func (c *Comm) await(a *awaiting) bool {
	if c.enter() != nil {
		return false
	}
	returned := false
	defer c.leaveUnless(&returned)
	a.comm = c
	c.finish(a)
	returned = true
	c.leave()
	return true
}

func commsOf(tasks []*task) []*Comm {
	var all []*Comm
next:
	for _, t := range tasks {
		for _, c := range all {
			if c == t.comm {
				continue next
			}
		}
		all = append(all, t.comm)
	}
	return all
}

// drain waits for what was put in streams or is forgotten, before the communicator goes.
func (c *Comm) drain() *Error {
	for c.tasks.Load() > 0 {
		if c.enter() != nil {
			return nil // close says what is wrong
		}
		if done, e := c.drainOnce(); done || e != nil {
			return e
		}
	}
	return nil
}

// drainOnce waits for what there is now, and ends the claim; done says that nothing is worth waiting for.
func (c *Comm) drainOnce() (done bool, e *Error) {
	defer c.leave()
	var list []*task
	for _, t := range c.allTasks() {
		if t.stream == nil && !t.forgotten {
			return true, errorf(InvalidUsage, "%d requests are under way on the communicator: complete them first", c.tasks.Load()).on("under-way")
		}
		if !t.isUnmatched() || !t.forgotten {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return true, nil
	}
	c.finish(&awaiting{comm: c, tasks: list})
	return false, nil
}
