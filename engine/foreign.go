package engine

import (
	"sync/atomic"
	"time"
)

// Another progress engine, a host MPI's, may live in this process, and what a peer does before it comes to a call may need
// that. So a call that waits calls a function of the program's now and then, in its caller's thread.

// foreign is that function; nil if there is none.
var foreign atomic.Pointer[func()]

// SetForeign has calls that wait call f now and then, perhaps several of them at once. With nil they call nothing.
func SetForeign(f func()) {
	if f == nil {
		foreign.Store(nil)
		return
	}
	foreign.Store(&f)
}

const (
	foreignEvery   = 20 * time.Microsecond // spinning goes on for so long between two calls of it
	shortestPiece  = 50 * time.Microsecond // of a sleep
	longestPiece   = time.Millisecond      // the same; a rank that waits for 5 ms then uses 3 % of a processor more
	foreignOverdue = 1                     // as the time of the last call: a wait has lasted for long already
)

var foreignClock = time.Now()

// turns are whose turn it is in a wait: that of the foreign function comes after foreignEvery.
type turns struct {
	last time.Duration // when it was called, or when the wait was first looked at; 0 before that
}

// take calls the function if it is time.
func (t *turns) take(f func()) {
	now := time.Since(foreignClock)
	switch {
	case t.last == 0:
		t.last = now
	case now-t.last >= foreignEvery:
		f()
		t.last = time.Since(foreignClock)
	}
}

// glance is take if there is a function.
func (t *turns) glance() {
	if f := foreign.Load(); f != nil {
		t.take(*f)
	}
}

// foreignTurn is for a wait in this communicator.
func (c *Comm) foreignTurn() {
	if f := foreign.Load(); f != nil && !c.aside.Load() {
		c.turns.take(*f)
	}
}

// piece bounds a sleep, so that the function has its turn.
func (w *waiter) piece(nap time.Duration) time.Duration {
	if foreign.Load() == nil {
		return nap
	}
	w.pieces = min(max(2*w.pieces, shortestPiece), longestPiece)
	return min(nap, w.pieces)
}

// Aside does work that waits in another thread than its caller's: what it does in c, which may be nil, calls no foreign
// function.
func (c *Comm) Aside(work func()) {
	if c != nil {
		c.aside.Store(true)
		defer c.aside.Store(false)
	}
	work()
}

// Attend waits as wait does, and gives the foreign function its turns meanwhile.
func Attend(wait func()) {
	if foreign.Load() == nil {
		wait()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		wait()
	}()
	var t turns
	var w waiter
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-done:
			return
		case <-timer.C:
			t.glance()
			timer.Reset(w.piece(longestPiece))
		}
	}
}

// Beside does work that cannot give the foreign function its turns itself, nor can what it does in c, which may be nil. Where
// there is such a function, the work is done by another thread while the caller's attends.
func Beside(c *Comm, work func()) {
	if foreign.Load() == nil {
		work()
		return
	}
	var panicked any
	Attend(func() {
		defer func() { panicked = recover() }()
		c.Aside(work)
	})
	if panicked != nil {
		panic(panicked)
	}
}
