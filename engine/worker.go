package engine

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// worker goes on with the tasks of a communicator while no call does: it is what makes a request advance while the program
// computes. It never spins. Only calls that leave tasks behind know of it; it comes with the first of them and goes when
// there has been none for a while.
//
// While the program makes one call after the other it looks each tick, so that a call need not wake it. When there was no
// call for some ticks it sleeps on the rank's bell, and the next call that leaves tasks behind wakes it.
type worker struct {
	comm   *Comm
	state  atomic.Uint32
	calls  atomic.Uint32 // that have left tasks behind
	wanted atomic.Int32  // callers that wait for the claim
	kick   chan struct{}

	mu     sync.Mutex
	exited chan struct{} // closed when the goroutine that was started last has ended; nil before the first
}

// The states.
const (
	absent  uint32 = iota
	ticking        // it looks within a tick
	asleep         // it must be woken
)

const (
	tick         = time.Millisecond
	awakeTicks   = 8  // without a call, then it sleeps
	lingers      = 20 // ticks without a task, then it goes
	stepsAtATime = 16
)

func (w *worker) init(c *Comm) { w.comm, w.kick = c, make(chan struct{}, 1) }

// takeOver is called when a call has left tasks behind, or something that they wait for has happened.
func (w *worker) takeOver() {
	w.calls.Add(1)
	switch w.state.Load() {
	case absent:
		w.start()
	case asleep:
		if w.state.CompareAndSwap(asleep, ticking) {
			w.wake()
		}
	}
}

func (w *worker) start() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.comm.using() == closed || !w.state.CompareAndSwap(absent, ticking) {
		return
	}
	w.exited = make(chan struct{})
	go w.run(w.exited)
}

func (w *worker) wake() {
	select {
	case w.kick <- struct{}{}:
	default:
	}
	w.comm.unclaimed(w.comm.port.Wake)
}

// stop ends the worker of a communicator that is closed, and waits until it has ended.
func (w *worker) stop() {
	w.mu.Lock()
	exited := w.exited
	w.mu.Unlock()
	if exited == nil {
		return
	}
	for {
		select {
		case w.kick <- struct{}{}:
		default:
		}
		w.comm.port.Wake()
		select {
		case <-exited:
			return
		case <-time.After(tick):
		}
	}
}

// cede gets the claim for a caller if it is the worker's, or was; false when a call has it, or nobody can have it.
func (w *worker) cede(to uint32) bool {
	w.wanted.Add(1)
	defer w.wanted.Add(-1)
	for turn := 0; ; turn++ {
		switch w.comm.using() {
		case idle:
			if atomic.CompareAndSwapUint32(&w.comm.shared.Use, idle, to) {
				return true
			}
		case inWorker:
			if runtime.Gosched(); turn > 20 {
				unix.Syscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
			}
		default:
			return false
		}
	}
}

// outcome is what a look of the worker came to.
type outcome int

const (
	still   outcome = iota // the bell is armed
	did                    // something has moved
	refused                // a call has the claim; not all of them wake the worker when they are done
	freed                  // there is nothing more to do, ever
)

func (w *worker) run(exited chan struct{}) {
	defer close(exited)
	timer := time.NewTimer(time.Hour)
	defer timer.Stop()
	quiet, calls := 0, w.calls.Load()
	refusals := 0
	for {
		if now := w.calls.Load(); now != calls {
			quiet, calls = 0, now
		}
		quiet++
		if w.comm.tasks.Load() == 0 {
			if quiet > lingers && w.goAway() {
				return
			}
			w.rest(timer, tick)
			continue
		}
		sleepy := quiet > awakeTicks
		if sleepy {
			w.state.Store(asleep)
		}
		result, nap := w.look()
		d := tick
		if sleepy && w.state.Load() == asleep { // otherwise a call has woken it in between, and will not again
			d = longestNap
		}
		switch result {
		case freed:
			return
		case did:
			w.state.Store(ticking)
			quiet, refusals = 0, 0
			continue
		case refused:
			w.rest(timer, min(d, tick<<min(refusals, 10)))
			refusals++
		case still:
			refusals = 0
			w.comm.port.Doze(min(d, nap))
		}
		w.state.Store(ticking)
		if w.comm.using() == closed {
			return
		}
	}
}

// goAway ends the worker, unless a task has come.
func (w *worker) goAway() bool {
	w.state.Store(absent)
	return w.comm.tasks.Load() == 0 || !w.state.CompareAndSwap(absent, ticking)
}

// rest sleeps until somebody kicks, or for d.
func (w *worker) rest(timer *time.Timer, d time.Duration) {
	timer.Reset(d)
	select {
	case <-w.kick:
	case <-timer.C:
	}
}

// look steps the tasks while that moves something and nobody wants the claim. nap is how long it may sleep then.
func (w *worker) look() (result outcome, nap time.Duration) {
	c := w.comm
	if w.wanted.Load() > 0 || !atomic.CompareAndSwapUint32(&c.shared.Use, idle, inWorker) {
		if c.using() == closed {
			return freed, 0
		}
		return refused, 0
	}
	moved, e := w.advance()
	if e == nil && !moved {
		idle := c.stillFor()
		if a := c.timed(); a != nil {
			e = c.clocks(a, idle)
		}
		nap = c.nap(idle)
	}
	if moved {
		c.moved()
	}
	if e != nil {
		c.ended(e)
		moved = true
	}
	c.letCallsPass()
	atomic.StoreUint32(&c.shared.Use, idle)
	if c.aborted.Load() && c.closeFrom(true) {
		return freed, 0
	}
	if moved {
		return did, 0
	}
	return still, nap
}

// advance does what can be done at once. When nothing has moved, the bell is armed. A panic is an error: there is no caller
// who could make it one.
func (w *worker) advance() (moved bool, e *Error) {
	c := w.comm
	defer func() {
		if p := recover(); p != nil {
			moved, e = false, errorf(InternalError, "%s: a mistake in hcomm, please report it: panic: %v", c.who(c.rank), p).on("internal")
		}
	}()
	if e = c.givenUp(); e != nil {
		return false, e
	}
	for range stepsAtATime {
		var did bool
		did, e = c.step()
		moved = moved || did
		if e != nil || !did || w.wanted.Load() > 0 {
			break
		}
	}
	if moved || e != nil {
		return moved, e
	}
	if c.isRunning() {
		if e = c.op.disagreement(); e != nil {
			return false, e
		}
	}
	c.port.Arm()
	for _, look := range []func() (bool, *Error){c.step, c.messages.collect, c.abandonedWhileComputing} {
		if moved, e = look(); moved || e != nil {
			return moved, e
		}
	}
	return false, c.givenUp()
}

// timed is what the clocks run for though nobody waits: a collective, or a message in a stream; nil if there is none. A
// request that nobody waits for may take its time.
func (c *Comm) timed() *awaiting {
	if c.isRunning() {
		return &awaiting{comm: c}
	}
	if c.streamed.Load() > 0 {
		for _, t := range c.started {
			if t.stream != nil {
				return &awaiting{comm: c, tasks: []*task{t}, passing: true}
			}
		}
	}
	return nil
}

// abandonedWhileComputing looks for a peer that is gone and that a task needs.
func (c *Comm) abandonedWhileComputing() (moved bool, e *Error) {
	if c.port.Gone() == 0 {
		return false, nil
	}
	return c.abandonedTasks(nil)
}
