package main

/*
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/engine"
	"hcomm/stack"
)

// prepare finds the communicator and checks what every collective has.
func prepare(function string, sendbuff, recvbuff uintptr, at C.struct_target) (c *engine.Comm, send, recv unsafe.Pointer, err error) {
	stack.Reserve()
	if c, err = find(uintptr(at.comm)); err != nil {
		return
	}
	if send, err = buffer("sendbuff", sendbuff); err == nil {
		recv, err = buffer("recvbuff", recvbuff)
	}
	provoke(function)
	return
}

func find(comm uintptr) (*engine.Comm, error) {
	e := entryOf(comm)
	switch {
	case e == nil:
		return nil, noCommunicator(comm)
	case e.comm == nil:
		return nil, e.making.refusal()
	}
	return e.comm, nil
}

func noCommunicator(comm uintptr) error {
	if comm == 0 {
		return badArgument("comm", "comm is NULL; it must be a communicator from hcommCommInit*")
	}
	return badArgument("comm", "comm is %#x, which is no communicator, or was destroyed or aborted", comm)
}

// firstPage has no memory in it; numbers below are mistakes, and must not look like pointers to the collector.
const firstPage = 4096

// buffer makes the user's number a pointer.
func buffer(name string, p uintptr) (unsafe.Pointer, error) {
	if p != 0 && p < firstPage {
		return nil, badArgument(name, "%s is %#x, which is no address", name, p)
	}
	return *(*unsafe.Pointer)(unsafe.Pointer(&p)), nil
}

// pointer is buffer for a place where a result goes.
func pointer[T any](name string, p uintptr) (*T, error) {
	if p == 0 {
		return nil, badArgument(name, "%s is NULL; it must point to where the result goes", name)
	}
	b, err := buffer(name, p)
	return (*T)(b), err
}

// resultAt is pointer for an argument whose value has an error class of its own: here it is not the value that is wrong.
func resultAt[T any](name string, p uintptr) (*T, error) {
	to, err := pointer[T](name, p)
	if err != nil {
		return nil, badArgument("pointer", "%s", err)
	}
	return to, nil
}

// enum narrows a C enum. What does not fit would otherwise come out as another, valid value.
func enum[T ~uint8](name string, v C.int, before error) (T, error) {
	if before == nil && (v < 0 || v > 255) {
		return 0, badArgument(name, "%s is %d, which is none of hcomm.h's", name, v)
	}
	return T(v), before
}
