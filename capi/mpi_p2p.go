package main

/*
#include "internal.h"
*/
import "C"

import (
	"errors"
	"math"
	"unsafe"

	"hcomm/engine"
)

var (
	sendForms = forms{"HCOMM_Send", "HCOMM_Isend", "HCOMM_Send_init"}
	recvForms = forms{"HCOMM_Recv", "HCOMM_Irecv", "HCOMM_Recv_init"}
)

//export goMPISend
func goMPISend(buf uintptr, count C.HCOMM_Count, datatype uintptr, dest, tag C.int, comm uintptr, form *C.struct_form) C.int {
	return made(&sendForms, comm, form, func(*engine.Comm) (described, error) {
		m, err := message(&plainNames, buf, count, datatype, dest, tag)
		return described{Work: engine.SendWork(m)}, err
	})
}

//export goMPIIrecv
func goMPIIrecv(buf uintptr, count C.HCOMM_Count, datatype uintptr, source, tag C.int, comm uintptr, form *C.struct_form) C.int {
	return made(&recvForms, comm, form, func(*engine.Comm) (described, error) {
		m, err := message(&plainNames, buf, count, datatype, source, tag)
		return described{Work: engine.RecvWork(m)}, err
	})
}

//export goMPIRecv
func goMPIRecv(buf uintptr, count C.HCOMM_Count, datatype uintptr, source, tag C.int, comm, status uintptr, afterSend C.int) (class C.int) {
	function := "HCOMM_Recv"
	if afterSend != 0 {
		function = "HCOMM_Sendrecv"
	}
	defer recoveredMPI(function, comm, &class)
	c, to, err := prepareReceive(function, comm, status)
	if err != nil {
		return raise(function, comm, err)
	}
	m, err := message(&plainNames, buf, count, datatype, source, tag)
	if err == nil {
		var s engine.Status
		s, err = c.Recv(m)
		tell(to, s, err)
	}
	return raise(function, comm, err)
}

//export goMPISendrecv
func goMPISendrecv(sendbuf uintptr, sendcount C.HCOMM_Count, sendtype uintptr, dest, sendtag C.int,
	recvbuf uintptr, recvcount C.HCOMM_Count, recvtype uintptr, source, recvtag C.int, comm, status uintptr) (class C.int) {
	const function = "HCOMM_Sendrecv"
	defer recoveredMPI(function, comm, &class)
	c, to, err := prepareReceive(function, comm, status)
	if err != nil {
		return raise(function, comm, err)
	}
	out, err := message(&sendNames, sendbuf, sendcount, sendtype, dest, sendtag)
	if err != nil {
		return raise(function, comm, err)
	}
	in, err := message(&recvNames, recvbuf, recvcount, recvtype, source, recvtag)
	if err == nil {
		var s engine.Status
		s, err = c.Sendrecv(out, in)
		tell(to, s, err)
	}
	return raise(function, comm, err)
}

//export goMPIProbe
func goMPIProbe(source, tag C.int, comm, status uintptr) (class C.int) {
	const function = "HCOMM_Probe"
	defer recoveredMPI(function, comm, &class)
	c, to, err := prepareReceive(function, comm, status)
	if err == nil {
		var s engine.Status
		s, err = c.Probe(int(source), int(tag))
		tell(to, s, err)
	}
	return raise(function, comm, err)
}

//export goMPIIprobe
func goMPIIprobe(source, tag C.int, comm, flag, status uintptr) (class C.int) {
	const function = "HCOMM_Iprobe"
	defer recoveredMPI(function, comm, &class)
	c, to, err := prepareReceive(function, comm, status)
	if err != nil {
		return raise(function, comm, err)
	}
	is, err := pointer[C.int]("flag", flag)
	if err != nil {
		return raise(function, comm, err)
	}
	s, found, err := c.Iprobe(int(source), int(tag))
	if err == nil {
		if *is = 0; found {
			*is = 1
			tell(to, s, nil)
		}
	}
	return raise(function, comm, err)
}

//export goMPIGetCount
func goMPIGetCount(status, datatype, count uintptr, wide C.int) (class C.int) {
	const function = "HCOMM_Get_count"
	defer recoveredMPI(function, 0, &class)
	n, err := elements(status, datatype)
	if err == nil {
		err = storeCount(count, n, wide != 0)
	}
	return raise(function, 0, err)
}

// storeCount stores n in an int, if it fits, or in an HCOMM_Count.
func storeCount(count uintptr, n int64, wide bool) error {
	to, err := resultAt[C.HCOMM_Count]("count", count)
	if err != nil {
		return err
	}
	if wide {
		*to = C.HCOMM_Count(n)
		return nil
	}
	if n > math.MaxInt32 {
		n = C.HCOMM_UNDEFINED
	}
	*(*C.int)(unsafe.Pointer(to)) = C.int(n)
	return nil
}

// elements is how many elements the message of a status has.
func elements(status, datatype uintptr) (int64, error) {
	if status == 0 {
		return 0, badArgument("status", "status is NULL; it must be one that a receive or probe has filled in")
	}
	s, err := buffer("status", status)
	if err != nil {
		return 0, err
	}
	t, ok := datatypes[datatype]
	if !ok {
		return 0, noDatatype("datatype", datatype)
	}
	bytes, size := bytesOf((*C.HCOMM_Status)(s)), uint64(t.Size())
	if bytes%size != 0 || bytes/size > math.MaxInt64 {
		return C.HCOMM_UNDEFINED, nil
	}
	return int64(bytes / size), nil
}

// tell fills in the status of a receive: also of one whose message was too long.
func tell(to *C.HCOMM_Status, s engine.Status, err error) {
	var e *engine.Error
	if to == nil || err != nil && !(errors.As(err, &e) && e.Code == engine.Truncated) {
		return
	}
	to.HCOMM_SOURCE, to.HCOMM_TAG = C.int(s.Source), C.int(s.Tag)
	to.HCOMM_internal = [5]C.int{C.int(uint32(s.Bytes)), C.int(uint32(s.Bytes >> 32))}
}

// bytesOf is what tell has stored.
func bytesOf(s *C.HCOMM_Status) uint64 {
	return uint64(uint32(s.HCOMM_internal[0])) | uint64(uint32(s.HCOMM_internal[1]))<<32
}

// prepareReceive finds the communicator, and where the status goes: nil for HCOMM_STATUS_IGNORE.
func prepareReceive(function string, comm, status uintptr) (*engine.Comm, *C.HCOMM_Status, error) {
	c, err := communicator(comm)
	if err != nil {
		return nil, nil, err
	}
	provoke(function)
	to, err := buffer("status", status)
	return c, (*C.HCOMM_Status)(to), err
}

// sideNames are what mpi.h calls the arguments of one side of a call.
type sideNames struct{ buf, count, datatype string }

var (
	plainNames = sideNames{"buf", "count", "datatype"}
	sendNames  = sideNames{"sendbuf", "sendcount", "sendtype"}
	recvNames  = sideNames{"recvbuf", "recvcount", "recvtype"}
)

// message checks what the engine cannot see of one side of a call.
func message(n *sideNames, buf uintptr, count C.HCOMM_Count, datatype uintptr, peer, tag C.int) (engine.Message, error) {
	if count < 0 {
		return engine.Message{}, badArgument(n.count, "%s is %d; it must not be negative", n.count, count)
	}
	t, ok := datatypes[datatype]
	if !ok {
		return engine.Message{}, noDatatype(n.datatype, datatype)
	}
	p, err := buffer(n.buf, buf)
	return engine.Message{Buffer: p, Count: uint64(count), Type: t, Peer: int(peer), Tag: int(tag)}, err
}

func noDatatype(name string, datatype uintptr) error {
	return badArgument(name, "%s is %#x, which is none that hcomm knows", name, datatype)
}
