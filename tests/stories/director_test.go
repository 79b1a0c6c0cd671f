package stories

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// director tells the actors what to do.
type director struct {
	story    *story
	actors   []*actor
	events   chan event
	ids      map[string]string // of communicators, by name
	root     string            // where ranks meet
	deadline <-chan time.Time
}

// run tells the story to ranks and returns what happened to them, also until an error.
func (s *story) run(program string, slowness time.Duration) (string, error) {
	d := &director{story: s, events: make(chan event), ids: map[string]string{}}
	d.deadline = time.After(time.Duration(s.deadline) * time.Second * slowness)
	defer d.clear()
	err := d.start(program)
	if err == nil {
		err = d.tell()
	}
	return d.tale(), err
}

// start starts the ranks as hcomm run does.
func (d *director) start(program string) error {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	d.root = l.Addr().String()
	l.Close()
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "HCOMM_") })
	env = append(env, "HCOMM_SIZE="+strconv.Itoa(d.story.ranks), "HCOMM_ROOT="+d.root, "HCOMM_SECRET="+d.story.path)
	env = append(env, d.story.env...)
	for rank := range d.story.ranks {
		n := strconv.Itoa(rank)
		a, err := startActor(program, rank, append(slices.Clip(env), "HCOMM_RANK="+n, "HCOMM_LOCAL_RANK="+n), d.events)
		if err != nil {
			return err
		}
		d.actors = append(d.actors, a)
	}
	return nil
}

// clear kills who is still there and waits for their end.
func (d *director) clear() {
	for _, a := range d.actors {
		if a.end == "" {
			a.process.Process.Kill()
		}
	}
	for slices.ContainsFunc(d.actors, func(a *actor) bool { return a.end == "" }) {
		if e := <-d.events; e.kind == ended {
			d.actors[e.rank].end = e.text
		}
	}
}

func (d *director) tell() error {
	if err := d.makeIDs(); err != nil {
		return err
	}
	for _, l := range d.story.lines {
		for _, st := range l.steps {
			if err := d.step(st); err != nil {
				return fmt.Errorf("line %d: %w", l.number, err)
			}
		}
		if err := d.settle(); err != nil {
			return fmt.Errorf("line %d: not all answer or sleep in a call: %w", l.number, err)
		}
	}
	return d.finish()
}

// makeIDs has rank 0 make the ids, which is not part of the story.
func (d *director) makeIDs() error {
	first := d.actors[0].thread(1)
	for _, name := range d.story.communicators() {
		if err := d.actors[0].tell(1, "id", ""); err != nil {
			return err
		}
		if err := d.until(func() bool { return len(first.told) == 0 }); err != nil {
			return err
		}
		d.ids[name] = strings.TrimPrefix(first.history[0], "id: ")
		first.history = nil
	}
	return nil
}

// step gives one command. The director's own wait here.
func (d *director) step(st step) error {
	verb, argument, _ := strings.Cut(st.command, " ")
	switch verb {
	case "done":
		return d.each(st.who, func(a *actor) bool { return a.idle() })
	case "warned":
		return d.each(st.who, func(a *actor) bool { return len(a.said) > 0 })
	case "pause":
		return d.pause(argument)
	}
	for _, t := range st.who {
		if err := d.command(d.actors[t.rank], t.number, verb, st.command); err != nil {
			return err
		}
	}
	return nil
}

func (d *director) command(a *actor, number int, verb, command string) error {
	switch verb {
	case "stop":
		a.stopped = true
		if err := a.process.Process.Signal(syscall.SIGSTOP); err != nil {
			return err
		}
		return d.poll(func() bool { return standsStill(a.process.Process.Pid) })
	case "continue":
		a.stopped = false
		return a.process.Process.Signal(syscall.SIGCONT)
	case "kill":
		t := a.thread(number)
		t.told = append(t.told, command)
		if err := a.process.Process.Kill(); err != nil {
			return err
		}
		return d.until(func() bool { return a.end != "" })
	}
	more := ""
	if name, ok := strings.CutPrefix(command, "init on "); ok {
		more = " " + d.ids[name]
	}
	return a.tell(number, command, more)
}

func (d *director) pause(seconds string) error {
	n, err := numberUpTo(60, seconds)
	if err != nil {
		return err
	}
	over := time.Now().Add(time.Duration(n) * time.Second)
	return d.poll(func() bool { return time.Now().After(over) })
}

// finish waits for all answers and lets the actors return from main; who is stopped is killed.
func (d *director) finish() error {
	running := func(a *actor) bool { return a.end == "" && !a.stopped }
	if err := d.until(func() bool {
		return !slices.ContainsFunc(d.actors, func(a *actor) bool { return running(a) && !a.idle() })
	}); err != nil {
		return err
	}
	for _, a := range d.actors {
		if a.closing = true; running(a) {
			a.stdin.Close()
		} else if a.end == "" {
			a.process.Process.Kill()
		}
	}
	return d.until(func() bool { return !slices.ContainsFunc(d.actors, func(a *actor) bool { return a.end == "" }) })
}

// each waits until a condition holds for some ranks.
func (d *director) each(who []thread, condition func(*actor) bool) error {
	return d.until(func() bool {
		return !slices.ContainsFunc(who, func(t thread) bool { return !condition(d.actors[t.rank]) })
	})
}

var errDeadline = errors.New("it takes too long")

// until waits for a condition that events make true.
func (d *director) until(condition func() bool) error {
	for !condition() {
		select {
		case e := <-d.events:
			if err := d.actors[e.rank].happen(e); err != nil {
				return err
			}
		case <-d.deadline:
			return errDeadline
		}
	}
	return nil
}

// poll waits for a condition that the kernel knows.
func (d *director) poll(condition func() bool) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !condition() {
		select {
		case e := <-d.events:
			if err := d.actors[e.rank].happen(e); err != nil {
				return err
			}
		case <-tick.C:
		case <-d.deadline:
			return errDeadline
		}
	}
	return nil
}

// settle waits until nobody has anything to do: all have answered, or sleep in a call. Who is given a command, or a message
// of another rank, is awake from that moment on.
func (d *director) settle() error {
	return d.poll(func() bool {
		var pids []int
		for _, a := range d.actors {
			if a.end == "" && !a.stopped {
				pids = append(pids, a.process.Process.Pid)
			}
		}
		return asleep(pids)
	})
}

// tale is what has happened so far, without what differs from run to run.
func (d *director) tale() string {
	var text strings.Builder
	pids := map[int]int{}
	for _, a := range d.actors {
		pids[a.process.Process.Pid] = a.rank
		text.WriteString(a.tale())
	}
	return normalise(text.String(), pids, d.root, d.story.env)
}
