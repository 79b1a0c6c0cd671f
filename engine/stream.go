package engine

import (
	"sync"
	"sync/atomic"
)

// Stream is calls that are made one after the other, in the order in which they were put there, on any communicators of
// this process. Whoever puts one there goes on at once. Any thread may use it.
type Stream struct {
	mu      sync.Mutex
	last    *task   // nil if there is none that is not done
	before  []*task // of other streams: what the next call must wait for
	pending int
	err     *Error // of the first call that has failed since the last Synchronize
	closed  bool
}

// Enqueue puts a call in the stream. The error of an earlier call arrives here, too, and then nothing is done.
func (s *Stream) Enqueue(c *Comm, w Work) error {
	if e := s.failed(); e != nil {
		return e
	}
	t, e := c.newTask(w)
	if e != nil {
		return e
	}
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	s.add(t)
	if e = c.submit(t); e == nil {
		c.stepOnce()
	} else {
		t.cancel(e)
	}
	returned = true
	return c.done(e)
}

// failed is the error of an earlier call.
func (s *Stream) failed() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// add puts tasks at the end of the stream, together: they do not wait for each other.
func (s *Stream) add(tasks ...*task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tasks {
		t.stream = s
		t.mustFollow(s.last)
		for _, b := range s.before {
			t.mustFollow(b)
		}
	}
	s.last, s.before = tasks[0], nil
	if len(tasks) > 1 {
		s.last = bundled(tasks)
	}
	s.pending += len(tasks)
}

// bundle stands for the tasks that a group has put in a stream together: it is done when all of them are. It is a task so
// that others can follow it, but of no communicator, and never in line.
type bundle struct {
	task
	left atomic.Int32
}

func bundled(tasks []*task) *task {
	b := &bundle{task: task{before: tasks}}
	b.left.Store(int32(len(tasks)))
	for _, t := range tasks {
		t.bundle = b
	}
	return &b.task
}

// ended counts a task that is done.
func (s *Stream) ended(e *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending--
	if s.err == nil {
		s.err = e
	}
}

// cancel ends a task that was never in line. Its caller gets the error, so the stream does not keep it.
func (t *task) cancel(e *Error) {
	t.stream.ended(nil)
	t.stream = nil
	t.comm.tasks.Add(1)
	t.finish(e)
}

// After has what is put into the stream from now on wait for all that is in another one now.
func (s *Stream) After(other *Stream) {
	other.mu.Lock()
	last := other.last
	before := other.before
	other.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if last != nil && !last.isFinished() {
		s.before = append(s.before, last)
	}
	s.before = append(s.before, before...)
}

// IsDone says whether all that was put there is done; the error is that of a call that has failed.
func (s *Stream) IsDone() (bool, error) {
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	done := last == nil || last.isFinished()
	if !done {
		last.progress()
		done = last.isFinished()
	}
	if e := s.failed(); e != nil { // read last: a call that is done has told it
		return done, e
	}
	return done, nil
}

// progress looks after the communicators that must move for the task to be done.
func (t *task) progress() {
	if t.comm != nil {
		t.comm.progress()
		return
	}
	for _, c := range commsOf(t.unfinishedBefore()) {
		c.progress()
	}
}

// Synchronize waits until all that was put there so far is done, and returns the error of the first call that has failed
// since the last time.
func (s *Stream) Synchronize() error {
	for {
		s.mu.Lock()
		last := s.last
		s.mu.Unlock()
		if last == nil || last.isFinished() {
			break
		}
		last.waitInOrder()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.err
	s.err = nil
	if s.last != nil && s.last.isFinished() {
		s.last = nil
	}
	if e != nil {
		return e
	}
	return nil
}

// waitInOrder waits for a task, by seeing to what comes before it.
func (t *task) waitInOrder() {
	if t.isFinished() { // as all are at once when a communicator ends, however many ways lead back from here
		return
	}
	for _, b := range t.unfinishedBefore() {
		b.waitInOrder()
	}
	if t.comm != nil { // with brief claims, since other threads may make calls there meanwhile
		drive([]*Comm{t.comm}, &awaiting{tasks: []*task{t}}, false)
	}
}

// unfinishedBefore is what must be done first, as another thread than the stepping one sees it.
func (t *task) unfinishedBefore() []*task {
	following.Lock()
	defer following.Unlock()
	var list []*task
	for _, b := range t.before {
		if !b.isFinished() {
			list = append(list, b)
		}
	}
	return list
}
