package main

/*
#include "internal.h"
*/
import "C"

import (
	"hcomm/engine"
)

// forms are the names of a call: made until it is done, begun, and prepared to be begun by HCOMM_Start.
type forms struct{ blocking, begun, persistent string }

func (n *forms) of(f *C.struct_form) string {
	switch {
	case f == nil:
		return n.blocking
	case f.persistent != 0:
		return n.persistent
	}
	return n.begun
}

// described is a call, and what its function has for words that the engine uses for the arguments: old, new, old, new, …
type described struct {
	engine.Work
	words []string
}

// made makes a call as its form says: describe checks what the engine cannot see of the arguments.
func made(names *forms, comm uintptr, f *C.struct_form, describe func(c *engine.Comm) (described, error)) (class C.int) {
	function := names.of(f)
	defer recoveredMPI(function, comm, &class)
	to, bad := requestAt(f)
	c, err := communicator(comm)
	if err == nil {
		err = bad
	}
	if err != nil {
		return raise(function, comm, err)
	}
	provoke(function)
	d, err := describe(c)
	switch {
	case err != nil:
	case f == nil:
		err = renamed(c.Do(d.Work), d.words...)
	default:
		*to, err = asRequest(function, comm, c, d.Work, f.persistent != 0, names == &recvForms)
		err = renamed(err, d.words...)
	}
	return raise(function, comm, err)
}

// requestAt is where the request of a call goes, which is HCOMM_REQUEST_NULL until there is one; nil if it has none.
func requestAt(f *C.struct_form) (*uintptr, error) {
	if f == nil {
		return nil, nil
	}
	to, err := resultAt[uintptr]("request", uintptr(f.request))
	if err != nil {
		return nil, err
	}
	if *to = requestNull; f.info != infoNull {
		return nil, badArgument("info", "info is %#x; it must be HCOMM_INFO_NULL", uintptr(f.info))
	}
	return to, nil
}

// asRequest begins, or prepares, a call.
func asRequest(function string, comm uintptr, c *engine.Comm, w engine.Work, persistent, isReceive bool) (uintptr, error) {
	do := c.Begin
	if persistent {
		do = c.Prepare
	}
	r, err := do(w)
	if err != nil {
		return requestNull, err
	}
	return requests.add(&request{Request: r, comm: comm, function: function, isReceive: isReceive}), nil
}
