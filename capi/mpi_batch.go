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

// batch is the requests that a call is to complete, or start.
type batch struct {
	function string
	handles  []uintptr  // the program's
	requests []*request // nil for HCOMM_REQUEST_NULL
}

// inTime is an error before HCOMM_Init and after HCOMM_Finalize.
func inTime() error {
	_, err := handle(commWorld)
	return err
}

// openOne finds a request.
func (b *batch) openOne(at uintptr) error { return b.open("request", 1, at) }

// open finds the requests of an array, an argument with this name.
func (b *batch) open(name string, count C.int, array uintptr) error {
	stack.Reserve()
	if err := inTime(); err != nil {
		return err
	}
	var err error
	if b.handles, err = arrayOf[uintptr](name, count, array); err != nil {
		return err
	}
	b.requests = make([]*request, len(b.handles))
	for i, h := range b.handles {
		if b.requests[i], err = requests.find(h); err != nil {
			return err
		}
	}
	provoke(b.function)
	return nil
}

// arrayOf is an argument of count elements.
func arrayOf[T any](name string, count C.int, p uintptr) ([]T, error) {
	if count < 0 {
		return nil, badArgument("count", "count is %d; it must not be negative", count)
	}
	if count == 0 {
		return nil, nil
	}
	if p == 0 {
		return nil, badArgument("pointer", "%s is NULL; it must point to as many as the call is for, %d", name, count)
	}
	first, err := resultAt[T](name, p)
	if err != nil {
		return nil, err
	}
	return unsafe.Slice(first, int(count)), nil
}

// statusesOf is an array of statuses, nil for HCOMM_STATUSES_IGNORE.
func statusesOf(count C.int, p uintptr) ([]C.HCOMM_Status, error) {
	if p == 0 {
		return nil, nil
	}
	return arrayOf[C.HCOMM_Status]("statuses", count, p)
}

// statusOf is where a status goes, nil for HCOMM_STATUS_IGNORE.
func statusOf(p uintptr) (*C.HCOMM_Status, error) {
	to, err := buffer("status", p)
	return (*C.HCOMM_Status)(to), err
}

// recovered is recoveredMPI for the communicators of all requests.
func (b *batch) recovered(class *C.int) {
	p := recover()
	if p == nil {
		return
	}
	err, comm := afterPanic(p, 0), uintptr(0)
	for _, r := range b.requests {
		if r != nil {
			h, _ := handle(r.comm)
			err, comm = afterPanic(p, h), r.comm
		}
	}
	*class = raise(b.function, comm, err)
}

// active are the requests that are to be completed.
func (b *batch) active() (all []*engine.Request) {
	for _, r := range b.requests {
		if r != nil && r.IsActive() {
			all = append(all, r.Request)
		}
	}
	return all
}

// isDone says whether the i-th request is complete; those that there are not are.
func (b *batch) isDone(i int) bool { return b.requests[i] == nil || b.requests[i].IsDone() }

// done counts the requests that are complete; failed says whether one of them has failed.
func (b *batch) done() (n int, failed bool) {
	for i, r := range b.requests {
		if !b.isDone(i) {
			continue
		}
		if n++; r != nil {
			_, err := r.Look()
			failed = failed || err != nil
		}
	}
	return n, failed
}

// firstDone is the first request that was begun and is complete, -1 if there is none.
func (b *batch) firstDone() int {
	for i, r := range b.requests {
		if r != nil && r.IsActive() && r.IsDone() {
			return i
		}
	}
	return -1
}

// finish takes the result of a request that is complete. Its handle is then none any more, or inactive.
func (b *batch) finish(i int, to *C.HCOMM_Status) error {
	r := b.requests[i]
	if r == nil {
		tellNothing(to)
		return nil
	}
	active := r.IsActive()
	s, err := r.Result()
	if !r.IsPersistent() { // and inactive only if it is twice in the array
		requests.remove(r)
		b.handles[i] = requestNull
	}
	if !active {
		tellNothing(to)
		return nil
	}
	r.tell(to, s, err)
	return err
}

// tell fills in the status of a request that is complete.
func (r *request) tell(to *C.HCOMM_Status, s engine.Status, err error) {
	if r.isReceive {
		tell(to, s, err)
	} else {
		tellNothing(to)
	}
}

// tellNothing makes a status the empty one.
func tellNothing(to *C.HCOMM_Status) {
	if to != nil {
		tell(to, engine.Status{Source: engine.AnySource, Tag: engine.AnyTag}, nil)
		to.HCOMM_ERROR = C.HCOMM_SUCCESS
	}
}

// raised tells the error handler of a request's communicator of what became of the request.
func (b *batch) raised(r *request, err error) C.int {
	if err == nil {
		return C.HCOMM_SUCCESS
	}
	return raise(b.function+" ("+r.function+")", r.comm, err)
}

// collect takes the results of those of some requests that are complete. If one has failed, each one's class goes to its
// status.
func (b *batch) collect(which []int, statuses []C.HCOMM_Status) C.int {
	var first *engine.Error
	var culprit *request
	classes := make([]C.int, len(which))
	for k, i := range which {
		r := b.requests[i]
		if !b.isDone(i) {
			classes[k] = C.HCOMM_ERR_PENDING
			continue
		}
		err := b.finish(i, statusAt(statuses, k))
		if err == nil {
			continue
		}
		e := told(err)
		classes[k] = errorClass(e)
		if first == nil {
			first, culprit = e, r
		}
	}
	if first == nil {
		return C.HCOMM_SUCCESS
	}
	for k := range statuses {
		statuses[k].HCOMM_ERROR = classes[k]
	}
	return raiseAs(b.function+" ("+culprit.function+")", culprit.comm, first, C.HCOMM_ERR_IN_STATUS)
}

func statusAt(statuses []C.HCOMM_Status, i int) *C.HCOMM_Status {
	if statuses == nil {
		return nil
	}
	return &statuses[i]
}

func (b *batch) everyIndex() []int {
	all := make([]int, len(b.requests))
	for i := range all {
		all[i] = i
	}
	return all
}

// somethingDone waits until one of the requests is complete, if it may wait, and returns the first; -1 if none is.
func (b *batch) somethingDone(mayWait bool) (first int, active []*engine.Request) {
	if active = b.active(); len(active) == 0 {
		return -1, nil
	}
	first = b.firstDone()
	switch {
	case first >= 0:
		return first, active
	case mayWait:
		engine.WaitAny(active)
	default:
		engine.Progress(active)
	}
	return b.firstDone(), active
}
