package main

/*
#include "internal.h"
*/
import "C"

import (
	"errors"

	"hcomm/engine"
)

//export goMPIWait
func goMPIWait(at, status uintptr) (class C.int) {
	b := batch{function: "HCOMM_Wait"}
	defer b.recovered(&class)
	err := b.openOne(at)
	var to *C.HCOMM_Status
	if err == nil {
		to, err = statusOf(status)
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	b.somethingDone(true)
	r := b.requests[0]
	return b.raised(r, b.finish(0, to))
}

//export goMPITest
func goMPITest(at, flag, status uintptr) (class C.int) {
	b := batch{function: "HCOMM_Test"}
	defer b.recovered(&class)
	err := b.openOne(at)
	is, to, err := flagAndStatus(flag, status, err)
	if err != nil {
		return raise(b.function, 0, err)
	}
	b.somethingDone(false)
	if *is = 0; !b.isDone(0) {
		return C.HCOMM_SUCCESS
	}
	*is = 1
	r := b.requests[0]
	return b.raised(r, b.finish(0, to))
}

func flagAndStatus(flag, status uintptr, before error) (is *C.int, to *C.HCOMM_Status, err error) {
	if before != nil {
		return nil, nil, before
	}
	if is, err = pointer[C.int]("flag", flag); err == nil {
		to, err = statusOf(status)
	}
	return is, to, err
}

//export goMPIWaitall
func goMPIWaitall(count C.int, array, statuses uintptr) (class C.int) {
	b := batch{function: "HCOMM_Waitall"}
	defer b.recovered(&class)
	err := b.open("requests", count, array)
	var to []C.HCOMM_Status
	if err == nil {
		to, err = statusesOf(count, statuses)
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	if n, failed := b.done(); n < len(b.requests) && !failed {
		engine.WaitAllUnlessFailed(b.active())
	}
	return b.collect(b.everyIndex(), to)
}

//export goMPITestall
func goMPITestall(count C.int, array, flag, statuses uintptr) (class C.int) {
	b := batch{function: "HCOMM_Testall"}
	defer b.recovered(&class)
	err := b.open("requests", count, array)
	is, _, err := flagAndStatus(flag, 0, err)
	var to []C.HCOMM_Status
	if err == nil {
		to, err = statusesOf(count, statuses)
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	n, failed := b.done()
	if n < len(b.requests) && !failed {
		engine.Progress(b.active())
		n, failed = b.done()
	}
	if *is = 0; n == len(b.requests) {
		*is = 1
	} else if !failed {
		return C.HCOMM_SUCCESS
	}
	return b.collect(b.everyIndex(), to)
}

//export goMPIWaitany
func goMPIWaitany(count C.int, array, index, status uintptr) (class C.int) {
	b := batch{function: "HCOMM_Waitany"}
	defer b.recovered(&class)
	at, to, err := b.openAny(count, array, index, status)
	if err != nil {
		return raise(b.function, 0, err)
	}
	_, class = b.any(true, at, to)
	return class
}

//export goMPITestany
func goMPITestany(count C.int, array, index, flag, status uintptr) (class C.int) {
	b := batch{function: "HCOMM_Testany"}
	defer b.recovered(&class)
	at, to, err := b.openAny(count, array, index, status)
	var is *C.int
	if err == nil {
		is, err = pointer[C.int]("flag", flag)
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	*is, class = b.any(false, at, to)
	return class
}

func (b *batch) openAny(count C.int, array, index, status uintptr) (at *C.int, to *C.HCOMM_Status, err error) {
	if err = b.open("requests", count, array); err == nil {
		at, err = pointer[C.int]("index", index)
	}
	if err == nil {
		to, err = statusOf(status)
	}
	return at, to, err
}

// any takes the result of one request that is complete; is says whether there was one, or can be none.
func (b *batch) any(mayWait bool, at *C.int, to *C.HCOMM_Status) (is, class C.int) {
	i, active := b.somethingDone(mayWait)
	*at = C.HCOMM_UNDEFINED
	switch {
	case i >= 0:
		*at = C.int(i)
		r := b.requests[i]
		return 1, b.raised(r, b.finish(i, to))
	case len(active) == 0:
		tellNothing(to)
		return 1, C.HCOMM_SUCCESS
	}
	return 0, C.HCOMM_SUCCESS
}

//export goMPIWaitsome
func goMPIWaitsome(count C.int, array, outcount, indices, statuses uintptr, mayWait C.int) (class C.int) {
	b := batch{function: "HCOMM_Testsome"}
	if mayWait != 0 {
		b.function = "HCOMM_Waitsome"
	}
	defer b.recovered(&class)
	err := b.open("requests", count, array)
	var n *C.int
	var at []C.int
	var to []C.HCOMM_Status
	if err == nil {
		n, err = pointer[C.int]("outcount", outcount)
	}
	if err == nil {
		at, err = arrayOf[C.int]("indices", count, indices)
	}
	if err == nil {
		to, err = statusesOf(count, statuses)
	}
	if err != nil {
		return raise(b.function, 0, err)
	}
	_, active := b.somethingDone(mayWait != 0)
	if *n = C.HCOMM_UNDEFINED; len(active) == 0 {
		return C.HCOMM_SUCCESS
	}
	var which []int
	for i, r := range b.requests {
		if r != nil && r.IsActive() && r.IsDone() {
			at[len(which)] = C.int(i)
			which = append(which, i)
		}
	}
	*n = C.int(len(which))
	return b.collect(which, to[:min(len(to), len(which))])
}

//export goMPIRequestGetStatus
func goMPIRequestGetStatus(handle, flag, status uintptr) (class C.int) {
	const function = "HCOMM_Request_get_status"
	defer recoveredMPI(function, 0, &class)
	err := inTime()
	is, to, err := flagAndStatus(flag, status, err)
	if err != nil {
		return raise(function, 0, err)
	}
	r, err := requests.find(handle)
	if err != nil {
		return raise(function, 0, err)
	}
	*is = 1
	if r == nil || !r.IsActive() {
		tellNothing(to)
		return C.HCOMM_SUCCESS
	}
	if !r.IsDone() {
		engine.Progress([]*engine.Request{r.Request})
	}
	if !r.IsDone() {
		*is = 0
		return C.HCOMM_SUCCESS
	}
	s, err := r.Look()
	r.tell(to, s, err)
	var e *engine.Error
	if to != nil && errors.As(err, &e) {
		to.HCOMM_ERROR = errorClass(e)
	}
	return C.HCOMM_SUCCESS
}
