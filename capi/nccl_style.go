package main

/*
#include <stdlib.h>
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/engine"
	"hcomm/forked"
	"hcomm/hmm"
	"hcomm/meet"
	"hcomm/simd"
)

func main() {}

func init() {
	C.watch_fork((*C.uint64_t)(&forked.Table[0]), C.size_t(len(forked.Table)))
	engine.PrepareProcess()
}

// getenv reads the C environment, in which a program's setenv is seen.
func getenv(name string) string {
	n := C.CString(name)
	defer C.free(unsafe.Pointer(n))
	return C.GoString(C.getenv(n))
}

//export goGetUniqueId
func goGetUniqueId(id uintptr) (result C.int) {
	const function = "hcommGetUniqueId"
	defer recovered(function, 0, &result)
	to, err := pointer[meet.ID]("id", id)
	if err != nil {
		return report(function, err)
	}
	*to, err = meet.NewID()
	return report(function, err)
}

var tooManyComms = &engine.Error{Code: engine.SystemError, Text: "there are 65536 communicators already"}

// give stores the handle of a new communicator at to.
func give(function string, to *uintptr, c *engine.Comm, err error) C.int {
	if err != nil {
		return report(function, err)
	}
	h := publish(c)
	if h == 0 {
		c.Destroy()
		return report(function, tooManyComms)
	}
	*to = h
	return C.hcommSuccess
}

//export goCommInitRank
func goCommInitRank(comm uintptr, nranks C.int, id *C.hcommUniqueId, rank C.int) (result C.int) {
	const function = "hcommCommInitRank"
	defer recovered(function, 0, &result)
	to, err := pointer[uintptr]("comm", comm)
	if err != nil {
		return report(function, err)
	}
	c, err := engine.InitRank(getenv, int(nranks), *(*meet.ID)(unsafe.Pointer(id)), int(rank), nil)
	return give(function, to, c, err)
}

//export goCommInitAll
func goCommInitAll(comms uintptr, ndev C.int) (result C.int) {
	const function = "hcommCommInitAll"
	defer recovered(function, 0, &result)
	first, err := pointer[uintptr]("comms", comms)
	if err != nil {
		return report(function, err)
	}
	made, err := engine.InitAll(getenv, int(ndev))
	if err != nil {
		return report(function, err)
	}
	to := unsafe.Slice(first, len(made))
	clear(to)
	for i, c := range made {
		if r := give(function, &to[i], c, nil); r != C.hcommSuccess {
			for j, c := range made {
				if j < i {
					retire(to[j])
				}
				c.Destroy()
			}
			clear(to)
			return r
		}
	}
	return C.hcommSuccess
}

//export goCommInitEnv
func goCommInitEnv(comm uintptr) (result C.int) {
	const function = "hcommCommInitEnv"
	defer recovered(function, 0, &result)
	to, err := pointer[uintptr]("comm", comm)
	if err != nil {
		return report(function, err)
	}
	c, err := engine.InitEnv(getenv)
	return give(function, to, c, err)
}

//export goCommDestroy
func goCommDestroy(comm uintptr) (result C.int) {
	const function = "hcommCommDestroy"
	defer recovered(function, comm, &result)
	c, err := find(comm)
	if err == nil {
		err = c.Destroy()
	}
	if err == nil {
		retire(comm)
	}
	return report(function, err)
}

//export goCommAbort
func goCommAbort(comm uintptr) (result C.int) {
	const function = "hcommCommAbort"
	defer recovered(function, comm, &result)
	c, err := find(comm)
	if err != nil {
		return report(function, err)
	}
	if !aborting.move(comm, c) {
		return report(function, noCommunicator(comm))
	}
	c.Abort()
	if c.Freed() {
		aborting.drop(comm) // also when a Destroy came first
	}
	return C.hcommSuccess
}

//export goCommCount
func goCommCount(comm, count uintptr) (result C.int) {
	const function = "hcommCommCount"
	defer recovered(function, comm, &result)
	return report(function, query(comm, "count", count, (*engine.Comm).Size))
}

//export goCommUserRank
func goCommUserRank(comm, rank uintptr) (result C.int) {
	const function = "hcommCommUserRank"
	defer recovered(function, comm, &result)
	return report(function, query(comm, "rank", rank, (*engine.Comm).Rank))
}

func query(comm uintptr, name string, to uintptr, ask func(*engine.Comm) int) error {
	c, err := find(comm)
	if err != nil {
		return err
	}
	p, err := pointer[C.int](name, to)
	if err == nil {
		*p = C.int(ask(c))
	}
	return err
}

//export goMemAlloc
func goMemAlloc(ptr uintptr, size C.size_t) (result C.int) {
	const function = "hcommMemAlloc"
	defer recovered(function, 0, &result)
	to, err := pointer[unsafe.Pointer]("ptr", ptr)
	if err == nil {
		*to, err = hmm.Alloc(uint64(size))
	}
	return report(function, err)
}

//export goMemFree
func goMemFree(ptr uintptr) (result C.int) {
	const function = "hcommMemFree"
	defer recovered(function, 0, &result)
	p, err := buffer("ptr", ptr)
	if err == nil && hmm.Free(p) != nil {
		err = badArgument("ptr", "ptr is %#x, which is no memory from hcommMemAlloc, or was freed already", ptr)
	}
	return report(function, err)
}

//export goAllReduce
func goAllReduce(sendbuff, recvbuff uintptr, count C.size_t, datatype, op C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommAllReduce"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, comm, stream)
	if err != nil {
		return report(function, err)
	}
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = c.AllReduce(send, recv, uint64(count), t, o)
	}
	if err != nil {
		return report(function, err)
	}
	return C.hcommSuccess
}

//export goBroadcast
func goBroadcast(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommBroadcast"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, onlyAt(root, comm, sendbuff), recvbuff, comm, stream)
	if err != nil {
		return report(function, err)
	}
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.Broadcast(send, recv, uint64(count), t, int(root))
	}
	return report(function, err)
}

//export goBarrier
func goBarrier(comm, stream uintptr) (result C.int) {
	const function = "hcommBarrier"
	defer recovered(function, comm, &result)
	c, _, _, err := prepare(function, 0, 0, comm, stream)
	if err == nil {
		err = c.Barrier()
	}
	return report(function, err)
}
