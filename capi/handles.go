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
	handle uintptr
	comm   *engine.Comm
}

// publish makes the handle of a communicator, 0 when there are too many.
func publish(c *engine.Comm) uintptr {
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
		c.AbortOn((*uint64)(&C.abort_request[at]), uint64(h))
		left := (*C.uint32_t)(c.State())
		C.add_left_word(C.size_t(at), left)
		c.BeforeFree(func() {
			C.remove_left_word(C.size_t(at), left)
			aborting.drop(h)
			retireRegistrations(h)
		})
		openSmallPath(h, c)
		table.entries[at].Store(&entry{h, c})
		return h
	}
	return 0
}

// lookup finds a communicator by its handle, nil if it is none.
func lookup(h uintptr) *engine.Comm {
	if e := table.entries[h%maxComms].Load(); e != nil && e.handle == h {
		return e.comm
	}
	return nil
}

// retire makes a handle invalid; false when somebody else did it first.
func retire(h uintptr) bool {
	e := table.entries[h%maxComms].Load()
	return e != nil && e.handle == h && table.entries[h%maxComms].CompareAndSwap(e, nil)
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
