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
func goSend(sendbuff uintptr, count C.size_t, datatype, peer C.int, at C.struct_target) (result C.int) {
	const function = "hcommSend"
	defer recovered(function, uintptr(at.comm), &result)
	c, send, _, err := prepare(function, sendbuff, 0, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = submit(c, engine.SendTypedWork(engine.Message{Buffer: send, Count: uint64(count), Type: t, Peer: int(peer)}), at)
	}
	return conclude(function, at.group, err)
}

//export goRecv
func goRecv(recvbuff uintptr, count C.size_t, datatype, peer C.int, at C.struct_target) (result C.int) {
	const function = "hcommRecv"
	defer recovered(function, uintptr(at.comm), &result)
	c, _, recv, err := prepare(function, 0, recvbuff, at)
	t, err := enum[simd.Type]("datatype", datatype, err)
	if err == nil {
		err = submit(c, engine.RecvTypedWork(engine.Message{Buffer: recv, Count: uint64(count), Type: t, Peer: int(peer)}), at)
	}
	return conclude(function, at.group, err)
}
