package main

/*
#include "internal.h"
*/
import "C"

import "hcomm/engine"

// The values of the MPI 5.0 ABI.
const (
	commNull                           = 0x100
	ident, congruent, similar, unequal = 201, 202, 203, 204
	commTypeShared                     = 221
)

// publishMPI makes the handle of a communicator of this half.
func publishMPI(c *engine.Comm, errhandler uintptr) (uintptr, error) {
	e := &entry{comm: c, isMPI: true}
	e.errhandler.Store(errhandler)
	if h := publishAs(e); h != 0 {
		return h, nil
	}
	return 0, tooMany()
}

// derived makes a communicator of another one.
func derived(function string, comm, newcomm uintptr, make func(*engine.Comm) (*engine.Comm, error)) (class C.int) {
	defer recoveredMPI(function, comm, &class)
	c, err := communicator(comm)
	if err != nil {
		return raise(function, comm, err)
	}
	provoke(function)
	to, err := resultAt[uintptr]("newcomm", newcomm)
	if err != nil {
		return raise(function, comm, err)
	}
	*to = commNull
	var child *engine.Comm
	engine.Beside(c, func() { child, err = make(c) })
	if err != nil || child == nil {
		return raise(function, comm, err)
	}
	parent, err := entryFor(comm)
	handler := uintptr(errorsAreFatal)
	if err == nil {
		handler = parent.handlesErrors()
	}
	h, err := publishMPI(child, handler)
	if err != nil {
		child.Destroy()
		return raise(function, comm, err)
	}
	*to = h
	return C.HCOMM_SUCCESS
}

//export goMPICommDup
func goMPICommDup(comm, newcomm uintptr) C.int {
	return derived("HCOMM_Comm_dup", comm, newcomm, func(c *engine.Comm) (*engine.Comm, error) { return c.Dup(nil) })
}

//export goMPICommSplit
func goMPICommSplit(comm uintptr, color, key C.int, newcomm uintptr) C.int {
	return derived("HCOMM_Comm_split", comm, newcomm, func(c *engine.Comm) (*engine.Comm, error) {
		if color == C.HCOMM_UNDEFINED {
			return c.Split(engine.NoColor, int(key), nil)
		}
		if color < 0 {
			return nil, badArgument("color", "color is %d; it must be 0 or more, or HCOMM_UNDEFINED for no communicator", color)
		}
		return c.Split(int(color), int(key), nil)
	})
}

//export goMPICommSplitType
func goMPICommSplitType(comm uintptr, kind, key C.int, info, newcomm uintptr) C.int {
	return derived("HCOMM_Comm_split_type", comm, newcomm, func(c *engine.Comm) (*engine.Comm, error) {
		if info != infoNull {
			return nil, badArgument("info", "info is %#x; it must be HCOMM_INFO_NULL", info)
		}
		switch kind {
		case commTypeShared:
			return c.Split(0, int(key), nil) // all are on this host
		case C.HCOMM_UNDEFINED:
			return c.Split(engine.NoColor, int(key), nil)
		}
		return nil, badArgument("split_type", "split_type is %d; it must be HCOMM_COMM_TYPE_SHARED, or HCOMM_UNDEFINED for no communicator", kind)
	})
}

//export goMPICommFree
func goMPICommFree(at uintptr) C.int {
	const function = "HCOMM_Comm_free"
	err := inTime()
	var comm *uintptr
	if err == nil {
		comm, err = resultAt[uintptr]("comm", at)
	}
	if err != nil {
		return raise(function, 0, err)
	}
	class := free(function, *comm)
	if class == C.HCOMM_SUCCESS {
		*comm = commNull
	}
	return class
}

func free(function string, comm uintptr) (class C.int) {
	defer recoveredMPI(function, comm, &class)
	c, err := communicator(comm)
	switch {
	case err != nil:
	case comm == commWorld || comm == commSelf:
		err = badArgument("comm", "comm is %#x, HCOMM_COMM_WORLD or HCOMM_COMM_SELF, which HCOMM_Finalize frees", comm)
	default:
		if err = c.Destroy(); err == nil {
			retire(comm)
		}
	}
	return raise(function, comm, err)
}

//export goMPICommCompare
func goMPICommCompare(comm1, comm2, result uintptr) (class C.int) {
	const function = "HCOMM_Comm_compare"
	defer recoveredMPI(function, comm1, &class)
	a, err := communicator(comm1)
	if err != nil {
		return raise(function, comm1, err)
	}
	b, err := communicator(comm2)
	var to *C.int
	if err == nil {
		to, err = pointer[C.int]("result", result)
	}
	if err != nil {
		return raise(function, comm1, err)
	}
	same, ordered := a.HasSameRanks(b)
	switch {
	case a == b:
		*to = ident
	case ordered:
		*to = congruent
	case same:
		*to = similar
	default:
		*to = unequal
	}
	return C.HCOMM_SUCCESS
}
