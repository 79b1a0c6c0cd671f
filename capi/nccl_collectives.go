package main

/*
#include "internal.h"
*/
import "C"

import (
	"hcomm/engine"
	"hcomm/plan"
	"hcomm/simd"
)

// onlyAt is a buffer that one rank alone has: elsewhere it is not looked at.
func onlyAt(root C.int, at C.struct_target, buffer uintptr) uintptr {
	if c := lookup(uintptr(at.comm)); c != nil && c.Rank() != int(root) {
		return 0
	}
	return buffer
}

//export goAllReduce
func goAllReduce(sendbuff, recvbuff uintptr, count C.size_t, datatype, op C.int, at C.struct_target) (result C.int) {
	const function = "hcommAllReduce"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = collective(c, plan.AllReduce, send, recv, count, t, o, 0, at)
	}
	return conclude(function, at.group, err)
}

//export goBroadcast
func goBroadcast(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, at C.struct_target) (result C.int) {
	const function = "hcommBroadcast"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, onlyAt(root, at, sendbuff), recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = collective(c, plan.Broadcast, send, recv, count, t, 0, root, at)
	}
	return conclude(function, at.group, err)
}

//export goBarrier
func goBarrier(at C.struct_target) (result C.int) {
	const function = "hcommBarrier"
	defer recovered(function, uintptr(at.comm), &result)
	c, _, _, err := prepare(function, 0, 0, at)
	if err == nil {
		err = submit(c, engine.BarrierWork(), at)
	}
	return conclude(function, at.group, err)
}

//export goReduce
func goReduce(sendbuff, recvbuff uintptr, count C.size_t, datatype, op, root C.int, at C.struct_target) (result C.int) {
	const function = "hcommReduce"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, onlyAt(root, at, recvbuff), at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = collective(c, plan.Reduce, send, recv, count, t, o, root, at)
	}
	return conclude(function, at.group, err)
}

//export goAllGather
func goAllGather(sendbuff, recvbuff uintptr, sendcount C.size_t, datatype C.int, at C.struct_target) (result C.int) {
	const function = "hcommAllGather"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = collective(c, plan.AllGather, send, recv, sendcount, t, 0, 0, at)
	}
	return conclude(function, at.group, renamed(err, "count is", "sendcount is"))
}

//export goReduceScatter
func goReduceScatter(sendbuff, recvbuff uintptr, recvcount C.size_t, datatype, op C.int, at C.struct_target) (result C.int) {
	const function = "hcommReduceScatter"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = collective(c, plan.ReduceScatter, send, recv, recvcount, t, o, 0, at)
	}
	return conclude(function, at.group, renamed(err, "count is", "recvcount is"))
}

//export goAlltoAll
func goAlltoAll(sendbuff, recvbuff uintptr, count C.size_t, datatype C.int, at C.struct_target) (result C.int) {
	const function = "hcommAlltoAll"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = collective(c, plan.AlltoAll, send, recv, count, t, 0, 0, at)
	}
	return conclude(function, at.group, err)
}

//export goGather
func goGather(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, at C.struct_target) (result C.int) {
	const function = "hcommGather"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, sendbuff, onlyAt(root, at, recvbuff), at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = collective(c, plan.Gather, send, recv, count, t, 0, root, at)
	}
	return conclude(function, at.group, err)
}

//export goScatter
func goScatter(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, at C.struct_target) (result C.int) {
	const function = "hcommScatter"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, recv, err := prepare(function, onlyAt(root, at, sendbuff), recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = collective(c, plan.Scatter, send, recv, count, t, 0, root, at)
	}
	return conclude(function, at.group, err)
}
