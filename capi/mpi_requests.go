package main

/*
#include "internal.h"
*/
import "C"

import (
	"fmt"
	"sync"

	"hcomm/engine"
)

// The values of the MPI 5.0 ABI for no request and no info.
const requestNull, infoNull = 0x180, 0x130

// request is one that the program has a handle of.
type request struct {
	*engine.Request
	handle    uintptr
	comm      uintptr // as the program named it
	function  string  // that made it
	isReceive bool    // its status tells of a message
}

// requests are those that the program has handles of. A handle's value is index + generation<<32, so that one that was
// completed is not taken for its successor.
var requests requestTable

type requestTable struct {
	sync.Mutex
	places []requestPlace
	free   []uint32 // indices
}

type requestPlace struct {
	generation uint32
	request    *request // nil where there is none
}

// add makes a request's handle.
func (t *requestTable) add(r *request) uintptr {
	t.Lock()
	defer t.Unlock()
	if len(t.free) == 0 {
		t.free = append(t.free, uint32(len(t.places)))
		t.places = append(t.places, requestPlace{})
	}
	at := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	p := &t.places[at]
	p.generation = max(1, p.generation+1)
	p.request, r.handle = r, uintptr(at)|uintptr(p.generation)<<32
	return r.handle
}

// find is the request of a handle, nil for HCOMM_REQUEST_NULL.
func (t *requestTable) find(h uintptr) (*request, error) {
	if h == requestNull {
		return nil, nil
	}
	t.Lock()
	defer t.Unlock()
	if at := h & (1<<32 - 1); at < uintptr(len(t.places)) {
		if p := &t.places[at]; p.request != nil && p.request.handle == h {
			return p.request, nil
		}
	}
	if h == 0 {
		return nil, badArgument("request", "request is NULL; it must be one that a call has made, or HCOMM_REQUEST_NULL")
	}
	return nil, badArgument("request", "request is %#x, which is none, or was completed or freed", h)
}

// remove makes the handle of a request invalid, unless it is so already.
func (t *requestTable) remove(r *request) {
	t.Lock()
	defer t.Unlock()
	at := uint32(r.handle)
	if int(at) < len(t.places) && t.places[at].request == r {
		t.places[at].request = nil
		t.free = append(t.free, at)
	}
}

// allDone is an error if requests are under way.
func (t *requestTable) allDone() error {
	t.Lock()
	var active []*engine.Request
	var names []string
	for _, p := range t.places {
		if r := p.request; r != nil && !r.IsDone() {
			active, names = append(active, r.Request), append(names, r.function)
		}
	}
	t.Unlock()
	engine.Progress(active)
	left, first := 0, ""
	for i, r := range active {
		if r.IsDone() {
			continue
		}
		if left++; first == "" {
			first = names[i]
		}
	}
	if left == 0 {
		return nil
	}
	return usage(fmt.Sprintf("%d requests are under way, one of %s: complete them with HCOMM_Waitall, or let go of them with HCOMM_Request_free, and call it again",
		left, first))
}

// clear makes all handles invalid.
func (t *requestTable) clear() {
	t.Lock()
	defer t.Unlock()
	for i := range t.places {
		if p := &t.places[i]; p.request != nil {
			p.request = nil
			t.free = append(t.free, uint32(i))
		}
	}
}

//export goMPIStartall
func goMPIStartall(count C.int, array uintptr) (class C.int) {
	b := batch{function: "HCOMM_Startall"}
	defer b.recovered(&class)
	if err := b.open("requests", count, array); err != nil {
		return raise(b.function, 0, err)
	}
	return b.start()
}

//export goMPIStart
func goMPIStart(at uintptr) (class C.int) {
	b := batch{function: "HCOMM_Start"}
	defer b.recovered(&class)
	if err := b.openOne(at); err != nil {
		return raise(b.function, 0, err)
	}
	return b.start()
}

func (b *batch) start() C.int {
	for i, r := range b.requests {
		if err := startable(b.handles[i], r); err != nil {
			return raise(b.function, commOf(r), err)
		}
	}
	for _, r := range b.requests {
		if err := r.Start(); err != nil {
			return b.raised(r, err)
		}
	}
	return C.HCOMM_SUCCESS
}

// startable says why HCOMM_Start cannot begin a request.
func startable(handle uintptr, r *request) error {
	switch {
	case r == nil:
		return badArgument("request", "request is HCOMM_REQUEST_NULL; it must be one of an HCOMM_…_init")
	case !r.IsPersistent():
		return badArgument("request", "request is %#x, which %s has begun already: only those of HCOMM_…_init are started", handle, r.function)
	case r.IsActive():
		return badArgument("request", "request is %#x, of %s, and under way: complete it before it is started again", handle, r.function)
	}
	return nil
}

func commOf(r *request) uintptr {
	if r == nil {
		return 0
	}
	return r.comm
}

//export goMPIRequestFree
func goMPIRequestFree(at uintptr) (class C.int) {
	b := batch{function: "HCOMM_Request_free"}
	defer b.recovered(&class)
	err := b.openOne(at)
	if err == nil && b.requests[0] == nil {
		err = badArgument("request", "request is HCOMM_REQUEST_NULL, which is none")
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	r := b.requests[0]
	r.Forget()
	requests.remove(r)
	b.handles[0] = requestNull
	return C.HCOMM_SUCCESS
}
