package main

/*
#include "internal.h"
*/
import "C"

import (
	"hcomm/engine"
	"hcomm/simd"
)

//export goSend
func goSend(sendbuff uintptr, count C.size_t, datatype, peer C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommSend"
	defer recovered(function, comm, &result)
	c, send, _, err := prepare(function, sendbuff, 0, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.SendTyped(engine.Message{Buffer: send, Count: uint64(count), Type: t, Peer: int(peer)})
	}
	return report(function, err)
}

//export goRecv
func goRecv(recvbuff uintptr, count C.size_t, datatype, peer C.int, comm, stream uintptr) (result C.int) {
	const function = "hcommRecv"
	defer recovered(function, comm, &result)
	c, _, recv, err := prepare(function, 0, recvbuff, comm, stream)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = c.RecvTyped(engine.Message{Buffer: recv, Count: uint64(count), Type: t, Peer: int(peer)})
	}
	return report(function, err)
}
