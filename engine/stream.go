package engine

import (
	"slices"
	"sync"
)

// Stream is calls that are made one after the other, in the order in which they were put there, on any communicators of
// this process. Whoever puts one there goes on at once. Any thread may use it.
type Stream struct {
	mu     sync.Mutex
	last   []*task // those that have all others before them: one, or the calls of a group; none that was passed need be there
	before []*task // of other streams: what the next call must wait for
	err    *Error  // of the first call that has failed since the last Synchronize
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
	s.add([]*task{t})
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

// add puts tasks behind what is there. They do not wait for each other.
func (s *Stream) add(tasks []*task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range tasks {
		t.stream = s
		for _, b := range s.last {
			t.mustFollow(b)
		}
		for _, b := range s.before {
			t.mustFollow(b)
		}
	}
	s.last, s.before = tasks, nil
}

// ended counts a task that is done.
func (s *Stream) ended(e *Error) {
	s.mu.Lock()
	defer s.mu.Unlock()
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
	others := other.ends(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = append(s.before, others...)
}

// ends are those of the last tasks that are not passed; if all, also those of other streams that the next one waits for.
func (s *Stream) ends(all bool) []*task { return s.endsIn(nil, all) }

// endsIn is ends in memory of the caller's, if there is enough.
func (s *Stream) endsIn(ends []*task, all bool) []*task {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.ContainsFunc(s.last, (*task).isPassed) {
		s.last = slices.DeleteFunc(slices.Clone(s.last), (*task).isPassed)
	}
	ends = append(ends, s.last...)
	if all {
		ends = append(ends, s.before...)
	}
	return ends
}

// IsDone says whether all that was put there is done; the error is that of a call that has failed.
func (s *Stream) IsDone() (bool, error) {
	var room [4]*task // a program may ask without a pause
	for _, t := range s.endsIn(room[:0], false) {
		t.progress()
	}
	done := len(s.endsIn(room[:0], false)) == 0
	if e := s.failed(); e != nil {
		return done, e
	}
	return done, nil
}

// progress looks after the task, or after what is before it.
func (t *task) progress() {
	if !t.isFinished() {
		t.comm.progress()
		return
	}
	for _, b := range t.unfinishedBefore() {
		b.progress()
	}
}

// Synchronize waits until all that was put there so far is done, and returns the error of the first call that has failed
// since the last time.
func (s *Stream) Synchronize() error {
	for _, t := range s.ends(false) {
		for !t.isPassed() {
			t.waitInOrder()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.err
	s.err = nil
	if e != nil {
		return e
	}
	return nil
}

// waitInOrder waits for a task, by seeing to what comes before it.
func (t *task) waitInOrder() { t.waitOnce(map[*task]bool{}) }

// waitOnce is waitInOrder but for what was seen to: many ways may lead back through the groups of a stream.
func (t *task) waitOnce(seen map[*task]bool) {
	if seen[t] || t.isPassed() {
		return
	}
	seen[t] = true
	for _, b := range t.unfinishedBefore() {
		b.waitOnce(seen)
	}
	// With brief claims, since other threads may make calls there meanwhile.
	drive([]*Comm{t.comm}, &awaiting{tasks: []*task{t}}, false)
}

// unfinishedBefore is what must be done first, as another thread than the stepping one sees it.
func (t *task) unfinishedBefore() []*task {
	following.Lock()
	defer following.Unlock()
	var list []*task
	for _, b := range t.before {
		if !b.isPassedAsGuarded() {
			list = append(list, b)
		}
	}
	return list
}
