package main

/*
#include "internal.h"
*/
import "C"

import (
	"sync"
	"sync/atomic"

	"hcomm/engine"
)

// The handles. A handle's value is index + generation*maxComms, so that one that was freed is not taken for its successor,
// and NULL is none.
const maxComms = C.MAX_COMMS

var table struct {
	entries [maxComms]atomic.Pointer[entry]

	sync.Mutex
	generation [maxComms]uint64
	next       int // where the search for a free place starts
}

type entry struct {
	handle     uintptr
	comm       *engine.Comm   // nil while it is being made
	making     *making        // nil if it was made before it had a handle
	errhandler atomic.Uintptr // of the MPI-style half; 0: none was set
	isMPI      bool           // HCOMM_Finalize frees it
}

// publish makes the handle of a communicator, 0 when there are too many.
func publish(c *engine.Comm) uintptr { return publishAs(&entry{comm: c}) }

// publishAs is publish with what else is to be known of the communicator.
func publishAs(e *entry) uintptr {
	h := reserve(nil)
	if h != 0 {
		fill(h, e)
	}
	return h
}

// reserve makes the handle of a communicator to come, 0 when there are too many.
func reserve(m *making) uintptr {
	table.Lock()
	defer table.Unlock()
	for i := range maxComms {
		at := (table.next + i) % maxComms
		if table.entries[at].Load() != nil {
			continue
		}
		table.next = at + 1
		table.generation[at]++
		h := uintptr(at) + uintptr(table.generation[at])*maxComms
		table.entries[at].Store(&entry{handle: h, making: m})
		return h
	}
	return 0
}

// fill puts a communicator behind the handle that was reserved for it; false if that was retired meanwhile.
func fill(h uintptr, e *entry) bool {
	table.Lock()
	defer table.Unlock()
	reserved := entryOf(h)
	if reserved == nil {
		return false
	}
	at, c := h%maxComms, e.comm
	c.AbortOn((*uint64)(&C.abort_request[at]), uint64(h))
	left := (*C.uint32_t)(c.State())
	C.add_left_word(C.size_t(at), left)
	c.BeforeFree(func() {
		C.remove_left_word(C.size_t(at), left)
		aborting.drop(h)
		retireRegistrations(h)
	})
	openSmallPath(h, c)
	e.handle, e.making = h, reserved.making
	table.entries[at].Store(e)
	return true
}

// lookup finds a communicator by its handle, nil if there is none.
func lookup(h uintptr) *engine.Comm {
	if e := entryOf(h); e != nil {
		return e.comm
	}
	return nil
}

// madeByMPI are the communicators that HCOMM_Finalize frees.
func madeByMPI() (all []*entry) {
	for i := range table.entries {
		if e := table.entries[i].Load(); e != nil && e.isMPI {
			all = append(all, e)
		}
	}
	return all
}

// entryOf finds what is behind a handle, nil if it is none.
func entryOf(h uintptr) *entry {
	if e := table.entries[h%maxComms].Load(); e != nil && e.handle == h {
		return e
	}
	return nil
}

// retire makes a handle invalid; false when somebody else did it first.
func retire(h uintptr) bool {
	e := table.entries[h%maxComms].Load()
	return e != nil && e.handle == h && table.entries[h%maxComms].CompareAndSwap(e, nil)
}

// retireUnmade is retire for one that is not made yet; false when it is.
func retireUnmade(h uintptr) bool {
	table.Lock()
	defer table.Unlock()
	e := entryOf(h)
	if e == nil || e.comm != nil {
		return false
	}
	table.entries[h%maxComms].Store(nil)
	return true
}

// aborting are the communicators whose handles an abort has retired while a call may still hold a claim.
var aborting abortingComms

type abortingComms struct {
	sync.Mutex
	comms map[uintptr]*engine.Comm
}

func (a *abortingComms) get(h uintptr) *engine.Comm {
	a.Lock()
	defer a.Unlock()
	return a.comms[h]
}

// move retires a handle and keeps its communicator until that is freed; false when somebody else has retired it.
func (a *abortingComms) move(h uintptr, c *engine.Comm) bool {
	a.Lock()
	defer a.Unlock()
	if !retire(h) {
		return false
	}
	if a.comms == nil {
		a.comms = map[uintptr]*engine.Comm{}
	}
	a.comms[h] = c
	return true
}

func (a *abortingComms) drop(h uintptr) {
	a.Lock()
	defer a.Unlock()
	delete(a.comms, h)
}
