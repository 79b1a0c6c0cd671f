package engine

// Group is calls of one thread that are made together: none waits for another, in a stream neither, so no order of them can
// deadlock, and one thread can call for several ranks.
type Group struct {
	calls []grouped
}

type grouped struct {
	task   *task
	stream *Stream
}

// Add puts a call into the group. It is made by Run; a mistake in its arguments, and the error of an earlier call in its stream, is
// found here.
func (g *Group) Add(c *Comm, w Work, s *Stream) error {
	if c.Freed() {
		return errorf(InvalidUsage, "the communicator was destroyed or aborted")
	}
	if s != nil {
		if e := s.failed(); e != nil {
			return e
		}
	}
	t, e := c.newTask(w)
	if e != nil {
		return e
	}
	g.calls = append(g.calls, grouped{t, s})
	return nil
}

// Run makes the calls. It returns when those that are in no stream are done, with the error of the first that has one.
// When a communicator cannot be used at all, nothing is done.
func (g *Group) Run() error {
	var tasks []*task
	for _, x := range g.calls {
		tasks = append(tasks, x.task)
	}
	comms := commsOf(tasks)
	for i, c := range comms {
		if e := c.enter(); e != nil {
			leaveAll(comms[:i])
			return e
		}
	}
	returned := false
	defer func() {
		if !returned {
			leaveAll(comms)
		}
	}()
	blocking, first := g.submit()
	if len(comms) == 1 && len(blocking) > 0 {
		comms[0].finish(&awaiting{comm: comms[0], tasks: blocking})
	} else {
		drive(comms, &awaiting{tasks: blocking}, true)
	}
	returned = true
	leaveAll(comms)
	for _, t := range blocking {
		if first == nil {
			first = t.err
		}
	}
	if first != nil {
		return first
	}
	return nil
}

// submit puts the calls in line, and has a look after those that nobody will wait for.
func (g *Group) submit() (blocking []*task, first *Error) {
	for s, tasks := range g.inStreams() {
		s.add(tasks)
	}
	for _, x := range g.calls {
		t := x.task
		e := t.comm.submit(t)
		switch {
		case e != nil && x.stream != nil:
			t.cancel(e)
		case e == nil && x.stream == nil:
			blocking = append(blocking, t)
		}
		if first == nil {
			first = e
		}
	}
	for _, x := range g.calls {
		if x.stream != nil && x.task.comm.tasks.Load() > 0 {
			x.task.comm.stepOnce()
		}
	}
	return blocking, first
}

// inStreams are the calls by stream.
func (g *Group) inStreams() map[*Stream][]*task {
	in := map[*Stream][]*task{}
	for _, x := range g.calls {
		if x.stream != nil {
			in[x.stream] = append(in[x.stream], x.task)
		}
	}
	return in
}

func leaveAll(comms []*Comm) {
	for _, c := range comms {
		c.leave()
	}
}
