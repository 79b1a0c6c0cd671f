package main

/*
#cgo CFLAGS: -O3 -D_GNU_SOURCE
#include <stdlib.h>
#include "message.h"
*/
import "C"

import (
	"sync/atomic"
	"unsafe"

	"hcomm/engine"
	"hcomm/link/shm"
	"hcomm/plan"
	"hcomm/simd"
	"hcomm/stack"
)

// openSmallPath lets the small-message path in C work on the communicator behind a handle.
func openSmallPath(h uintptr, c *engine.Comm) {
	at := h % maxComms
	path := C.small_paths[at]
	isNew := path == nil
	if isNew {
		path = (*C.struct_small)(C.calloc(1, C.sizeof_struct_small))
	}
	if path == nil {
		return
	}
	if !c.Share((*engine.Shared)(unsafe.Pointer(&path.shared))) {
		if isNew {
			C.free(unsafe.Pointer(path))
		}
		return
	}
	path.handle = C.uint64_t(h)
	c.Open()
	atomic.StorePointer((*unsafe.Pointer)(unsafe.Pointer(&C.small_paths[at])), unsafe.Pointer(path))
}

//export goResume
func goResume(collective C.int, call C.struct_small_call) (result C.int) {
	function, comm := "hcomm"+plan.Names[collective], uintptr(call.handle)
	defer recovered(function, comm, &result)
	stack.Reserve()
	return report(function, resume(plan.Collective(collective), &call))
}

//export goMPIResume
func goMPIResume(collective C.int, call C.struct_small_call, comm uintptr) (class C.int) {
	function := formsOf[collective].blocking
	defer recoveredMPI(function, comm, &class)
	stack.Reserve()
	return raise(function, comm, resume(plan.Collective(collective), &call))
}

// resume goes on with a call that the exchange in C has begun.
func resume(k plan.Collective, call *C.struct_small_call) error {
	c := claimed(uintptr(call.handle))
	var send, recv unsafe.Pointer // a buffer that this rank does not have may be any number
	shape := k.Shape(plan.Role{Rank: c.Rank(), Ranks: c.Size(), Root: int(call.root)})
	if shape.Input != plan.None {
		send, _ = buffer("sendbuff", uintptr(call.send))
	}
	if shape.Output != plan.None {
		recv, _ = buffer("recvbuff", uintptr(call.recv))
	}
	count, t, op := uint64(call.count), simd.Type(call.datatype), simd.Op(call.op)
	if call.in_front != 0 {
		return c.Resume(engine.ReduceScatterInFrontWork(recv, count, t, op))
	}
	return c.Resume(engine.CollectiveWork(k, send, recv, count, t, op, int(call.root)))
}

//export goSettle
func goSettle(comm uintptr) {
	defer func() {
		if p := recover(); p != nil {
			_ = afterPanic(p, comm)
		}
	}()
	stack.Reserve()
	if c := claimed(comm); c != nil {
		c.Settle()
	}
}

//export goCloseAborted
func goCloseAborted(comm uintptr) {
	if c := aborting.get(comm); c != nil {
		c.Close()
	}
}

// claimed finds a communicator that the calling thread holds a claim on; its handle may have been retired by an abort.
func claimed(h uintptr) *engine.Comm {
	if c := lookup(h); c != nil {
		return c
	}
	return aborting.get(h)
}

// layout lists the offsets and sizes of small.h in the order of [shm.Places].
func layout() []uintptr {
	var e C.struct_entry
	var o C.struct_out_queue
	var i C.struct_in_queue
	var a C.struct_activity
	return []uintptr{
		unsafe.Offsetof(e.op), unsafe.Offsetof(e.count), unsafe.Offsetof(e.signature), unsafe.Offsetof(e.length),
		unsafe.Offsetof(e.kind), unsafe.Offsetof(e.in_line), unsafe.Offsetof(e.behind), unsafe.Sizeof(e),
		unsafe.Offsetof(o.ring), unsafe.Offsetof(o.ack), unsafe.Offsetof(o.bell), unsafe.Offsetof(o.posted),
		unsafe.Offsetof(o.read), unsafe.Sizeof(o),
		unsafe.Offsetof(i.ring), unsafe.Offsetof(i.ack), unsafe.Offsetof(i.bell), unsafe.Offsetof(i.released), unsafe.Sizeof(i),
		unsafe.Offsetof(a.op), unsafe.Offsetof(a.count), unsafe.Offsetof(a.signature),
	}
}

// sizesAgree says whether Go and C know the same types.
func sizesAgree() bool {
	for h := range uintptr(0x400) {
		want := 0
		if t, ok := datatypes[h]; ok {
			want = t.Size()
		}
		if int(C.mpi_size(C.uintptr_t(h))) != want || h < 256 && int(C.datatype_size(C.int(h))) != simd.Type(h).Size() {
			return false
		}
		if t := C.mpi_type(C.uintptr_t(h)); t >= 0 && simd.Type(t) != datatypes[h] {
			return false
		}
		if o := C.mpi_op(C.uintptr_t(h)); o >= 0 && simd.Op(o) != operators[h] {
			return false
		}
	}
	return true
}

// layoutAgrees says whether Go and C see the same structures.
func layoutAgrees() bool {
	here, there := layout(), shm.Places()
	for i := range there {
		if here[i] != there[i] {
			return false
		}
	}
	var c C.struct_shared
	var g engine.Shared
	return len(here) == len(there) && unsafe.Sizeof(c) == unsafe.Sizeof(g) &&
		unsafe.Offsetof(c.pending) == unsafe.Offsetof(g.Pending) && unsafe.Offsetof(c.queued) == unsafe.Offsetof(g.Queued) && unsafe.Offsetof(c.match) == unsafe.Offsetof(g.Match) &&
		unsafe.Offsetof(c.below) == unsafe.Offsetof(g.Below) && unsafe.Sizeof(c.below) == unsafe.Sizeof(g.Below) &&
		unsafe.Offsetof(c.sequence) == unsafe.Offsetof(g.Sequence) && unsafe.Offsetof(c.in) == unsafe.Offsetof(g.In)
}
