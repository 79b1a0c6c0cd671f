package main

/*
#include "internal.h"
*/
import "C"

import (
	"unsafe"

	"hcomm/simd"
)

//export goMPIReduce
func goMPIReduce(sendbuf, recvbuf uintptr, count C.HCOMM_Count, datatype, op uintptr, root C.int, comm uintptr) (class C.int) {
	const function = "HCOMM_Reduce"
	defer recoveredMPI(function, comm, &class)
	c, t, err := prepareMPI(function, count, datatype, comm)
	if err != nil {
		return reportMPI(function, err)
	}
	o, err := operator(op)
	if err != nil {
		return reportMPI(function, err)
	}
	var send, recv unsafe.Pointer
	if c.Rank() == int(root) {
		send, recv, err = within("sendbuff", sendbuf, "recvbuff", recvbuf, recvbuf, count)
	} else {
		send, err = address("sendbuff", sendbuf)
	}
	if err == nil {
		err = c.Reduce(send, recv, uint64(count), t, o, int(root))
	}
	return reportMPI(function, err)
}

//export goMPIReduceScatterBlock
func goMPIReduceScatterBlock(sendbuf, recvbuf uintptr, recvcount C.HCOMM_Count, datatype, op, comm uintptr) (class C.int) {
	const function = "HCOMM_Reduce_scatter_block"
	defer recoveredMPI(function, comm, &class)
	c, t, err := prepareMPI(function, recvcount, datatype, comm)
	if err != nil {
		return reportMPI(function, renamed(err, "count is", "recvcount is"))
	}
	o, err := operator(op)
	if err != nil {
		return reportMPI(function, err)
	}
	send, recv, err := within("sendbuff", sendbuf, "recvbuff", recvbuf, recvbuf, recvcount)
	if err == nil && recvcount > 0 && recvbuf != 0 && recvbuf == ownBlock(c, sendbuf, recvcount, t) {
		err = notSaid("recvbuff", recvbuf)
	}
	switch {
	case err != nil:
	case sendbuf == inPlace:
		err = c.ReduceScatterInFront(recv, uint64(recvcount), t, o)
	default:
		err = c.ReduceScatter(send, recv, uint64(recvcount), t, o)
	}
	return reportMPI(function, renamed(err, "count is", "recvcount is"))
}

//export goMPIAllgather
func goMPIAllgather(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype, comm uintptr) (class C.int) {
	const function = "HCOMM_Allgather"
	defer recoveredMPI(function, comm, &class)
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	c, err := begin(function, comm)
	if err == nil {
		err = send.with(recv, c, ownBlock, func(from, to unsafe.Pointer, t simd.Type) error {
			return c.AllGather(from, to, uint64(recvcount), t)
		})
	}
	return reportMPI(function, err)
}

//export goMPIAlltoall
func goMPIAlltoall(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype, comm uintptr) (class C.int) {
	const function = "HCOMM_Alltoall"
	defer recoveredMPI(function, comm, &class)
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	c, err := begin(function, comm)
	if err == nil {
		err = send.with(recv, c, allBlocks, func(from, to unsafe.Pointer, t simd.Type) error {
			return c.AlltoAll(from, to, uint64(recvcount), t)
		})
	}
	return reportMPI(function, err)
}

//export goMPIGather
func goMPIGather(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype uintptr, root C.int, comm uintptr) (class C.int) {
	const function = "HCOMM_Gather"
	defer recoveredMPI(function, comm, &class)
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	c, err := begin(function, comm)
	switch {
	case err != nil:
	case c.Rank() == int(root):
		err = send.with(recv, c, ownBlock, func(from, to unsafe.Pointer, t simd.Type) error {
			return c.Gather(from, to, uint64(recvcount), t, int(root))
		})
	default:
		err = send.alone(func(from unsafe.Pointer, t simd.Type) error {
			return c.Gather(from, nil, uint64(sendcount), t, int(root))
		})
	}
	return reportMPI(function, err)
}

//export goMPIScatter
func goMPIScatter(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype, recvbuf uintptr, recvcount C.HCOMM_Count, recvtype uintptr, root C.int, comm uintptr) (class C.int) {
	const function = "HCOMM_Scatter"
	defer recoveredMPI(function, comm, &class)
	send, recv := side{"send", sendbuf, sendcount, sendtype}, side{"recv", recvbuf, recvcount, recvtype}
	c, err := begin(function, comm)
	switch {
	case err != nil:
	case c.Rank() == int(root):
		err = recv.with(send, c, ownBlock, func(to, from unsafe.Pointer, t simd.Type) error {
			return c.Scatter(from, to, uint64(sendcount), t, int(root))
		})
	default:
		err = recv.alone(func(to unsafe.Pointer, t simd.Type) error {
			return c.Scatter(nil, to, uint64(recvcount), t, int(root))
		})
	}
	return reportMPI(function, err)
}
