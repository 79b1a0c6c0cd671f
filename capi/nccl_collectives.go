package main

/*
#include "internal.h"
*/
import "C"

import "hcomm/simd"

// onlyAt is a buffer that one rank alone has: elsewhere it is not looked at.
func onlyAt(root C.int, comm, buffer uintptr) uintptr {
	if c := lookup(comm); c != nil && c.Rank() != int(root) {
		return 0
	}
	return buffer
}

//export goReduce
func goReduce(sendbuff, recvbuff uintptr, count C.size_t, datatype, op, root C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommReduce"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, onlyAt(root, comm, recvbuff), comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = c.Reduce(send, recv, uint64(count), t, o, int(root))
	}
	return report(function, err)
}

//export goAllGather
func goAllGather(sendbuff, recvbuff uintptr, sendcount C.size_t, datatype C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommAllGather"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.AllGather(send, recv, uint64(sendcount), t)
	}
	return report(function, renamed(err, "count is", "sendcount is"))
}

//export goReduceScatter
func goReduceScatter(sendbuff, recvbuff uintptr, recvcount C.size_t, datatype, op C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommReduceScatter"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	o, err := enum[simd.Op]("op", op, err)
	if err == nil {
		err = c.ReduceScatter(send, recv, uint64(recvcount), t, o)
	}
	return report(function, renamed(err, "count is", "recvcount is"))
}

//export goAlltoAll
func goAlltoAll(sendbuff, recvbuff uintptr, count C.size_t, datatype C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommAlltoAll"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, recvbuff, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.AlltoAll(send, recv, uint64(count), t)
	}
	return report(function, err)
}

//export goGather
func goGather(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommGather"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, sendbuff, onlyAt(root, comm, recvbuff), comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.Gather(send, recv, uint64(count), t, int(root))
	}
	return report(function, err)
}

//export goScatter
func goScatter(sendbuff, recvbuff uintptr, count C.size_t, datatype, root C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommScatter"
	defer recovered(function, comm, &result)
	c, send, recv, err := prepare(function, onlyAt(root, comm, sendbuff), recvbuff, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.Scatter(send, recv, uint64(count), t, int(root))
	}
	return report(function, err)
}
