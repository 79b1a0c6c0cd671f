package main

/*
#include "message.h"
*/
import "C"

import (
	"errors"
	"strings"
	"sync"
	"sync/atomic"

	"hcomm/engine"
	"hcomm/simd"
	"hcomm/stack"
)

// world is what lies between HCOMM_Init and HCOMM_Finalize.
var world worldState

type worldState struct {
	sync.Mutex
	state      int // before, during or after
	comm, self uintptr
}

func (w *worldState) read() int {
	w.Lock()
	defer w.Unlock()
	return w.state
}

// initializing is held by HCOMM_Init.
var initializing sync.Mutex

const (
	before = iota
	during
	after
)

// The values of the MPI 5.0 ABI for communicators.
const commWorld, commSelf = 0x101, 0x102

//export goMPIInit
func goMPIInit() (class C.int) {
	const function = "HCOMM_Init"
	defer recoveredMPI(function, 0, &class)
	initializing.Lock() // not world: other threads may ask meanwhile whether it is done
	defer initializing.Unlock()
	switch world.read() {
	case during:
		return reportMPI(function, usage("it was called before; it may be called once"))
	case after:
		return reportMPI(function, usage("it was called after HCOMM_Finalize; it may be called once"))
	}
	c, err := engine.InitEnv(getenv)
	if err != nil {
		return reportMPI(function, err)
	}
	self, err := engine.InitAll(getenv, 1)
	if err != nil {
		c.Destroy()
		return reportMPI(function, err)
	}
	world.Lock()
	defer world.Unlock()
	world.comm, world.self, world.state = publish(c), publish(self[0]), during
	atomic.StoreUint64((*uint64)(&C.world_handle), uint64(world.comm))
	return C.HCOMM_SUCCESS
}

//export goMPIInitialized
func goMPIInitialized(flag uintptr) (class C.int) {
	const function = "HCOMM_Initialized"
	defer recoveredMPI(function, 0, &class)
	p, err := pointer[C.int]("flag", flag)
	if err != nil {
		return reportMPI(function, err)
	}
	*p = 0
	if world.read() != before {
		*p = 1
	}
	return C.HCOMM_SUCCESS
}

//export goMPIFinalize
func goMPIFinalize() (class C.int) {
	const function = "HCOMM_Finalize"
	defer recoveredMPI(function, 0, &class)
	c, err := communicator(commWorld)
	if err != nil {
		return reportMPI(function, err)
	}
	var failed error
	if !c.Condemned() {
		failed = c.Finalize()
	}
	var e *engine.Error
	if errors.As(failed, &e) && e.Code == engine.InvalidUsage {
		return reportMPI(function, failed)
	}
	world.Lock()
	defer world.Unlock()
	if world.state != during {
		return reportMPI(function, usage("another thread called it"))
	}
	atomic.StoreUint64((*uint64)(&C.world_handle), 0)
	for _, h := range []uintptr{world.comm, world.self} {
		if c := lookup(h); c != nil && retire(h) {
			c.Destroy()
		}
	}
	world.state = after
	return reportMPI(function, failed)
}

//export goMPIAbort
func goMPIAbort(comm uintptr) (class C.int) {
	const function = "HCOMM_Abort"
	defer recoveredMPI(function, 0, &class)
	c, err := communicator(comm)
	if err != nil {
		return reportMPI(function, err)
	}
	c.Abort()
	return C.HCOMM_SUCCESS
}

//export goMPICommRank
func goMPICommRank(comm, rank uintptr) (class C.int) {
	const function = "HCOMM_Comm_rank"
	defer recoveredMPI(function, 0, &class)
	return reportMPI(function, queryMPI(comm, "rank", rank, (*engine.Comm).Rank))
}

//export goMPICommSize
func goMPICommSize(comm, size uintptr) (class C.int) {
	const function = "HCOMM_Comm_size"
	defer recoveredMPI(function, 0, &class)
	return reportMPI(function, queryMPI(comm, "size", size, (*engine.Comm).Size))
}

func queryMPI(comm uintptr, name string, to uintptr, ask func(*engine.Comm) int) error {
	h, err := handle(comm)
	if err != nil {
		return err
	}
	return query(h, name, to, ask)
}

//export goMPIAllreduce
func goMPIAllreduce(sendbuf, recvbuf uintptr, count C.HCOMM_Count, datatype, op, comm uintptr, inPlace C.int) (class C.int) {
	const function = "HCOMM_Allreduce"
	defer recoveredMPI(function, comm, &class)
	c, t, err := prepareMPI(function, count, datatype, comm)
	if err != nil {
		return reportMPI(function, err)
	}
	o, err := operator(op)
	if err != nil {
		return reportMPI(function, err)
	}
	if sendbuf == recvbuf && inPlace == 0 && count > 0 && sendbuf != 0 {
		return reportMPI(function, badArgument("sendbuff", "sendbuff equals recvbuff (%#x): in place is said with HCOMM_IN_PLACE", sendbuf))
	}
	send, err := buffer("sendbuff", sendbuf)
	if err != nil {
		return reportMPI(function, err)
	}
	recv, err := buffer("recvbuff", recvbuf)
	if err == nil {
		err = c.AllReduce(send, recv, uint64(count), t, o)
	}
	return reportMPI(function, err)
}

//export goMPIBcast
func goMPIBcast(buf uintptr, count C.HCOMM_Count, datatype uintptr, root C.int, comm uintptr) (class C.int) {
	const function = "HCOMM_Bcast"
	defer recoveredMPI(function, comm, &class)
	c, t, err := prepareMPI(function, count, datatype, comm)
	if err != nil {
		return reportMPI(function, err)
	}
	p, err := buffer("buffer", buf)
	if err == nil && p == nil && count > 0 {
		err = badArgument("buffer", "buffer is NULL, but count is %d: only a count of 0 allows it", count)
	}
	if err == nil {
		err = c.Broadcast(p, p, uint64(count), t, int(root))
	}
	return reportMPI(function, err)
}

//export goMPIBarrier
func goMPIBarrier(comm uintptr) (class C.int) {
	const function = "HCOMM_Barrier"
	defer recoveredMPI(function, comm, &class)
	c, err := begin(function, comm)
	if err == nil {
		err = c.Barrier()
	}
	return reportMPI(function, err)
}

func prepareMPI(function string, count C.HCOMM_Count, datatype, comm uintptr) (*engine.Comm, simd.Type, error) {
	c, err := begin(function, comm)
	if err != nil {
		return nil, 0, err
	}
	t, err := element(count, datatype)
	return c, t, err
}

func begin(function string, comm uintptr) (*engine.Comm, error) {
	c, err := communicator(comm)
	if err == nil {
		provoke(function)
	}
	return c, err
}

func element(count C.HCOMM_Count, datatype uintptr) (simd.Type, error) {
	if count < 0 {
		return 0, badArgument("count", "count is %d; it must not be negative", count)
	}
	t, ok := datatypes[datatype]
	if !ok {
		return 0, badArgument("datatype", "datatype is %#x, which is none that hcomm can work on", datatype)
	}
	return t, nil
}

// communicator finds what HCOMM_COMM_WORLD or HCOMM_COMM_SELF stands for.
func communicator(comm uintptr) (*engine.Comm, error) {
	stack.Reserve()
	h, err := handle(comm)
	if err != nil {
		return nil, err
	}
	return find(h)
}

func handle(comm uintptr) (uintptr, error) {
	world.Lock()
	defer world.Unlock()
	switch {
	case world.state == before:
		return 0, usage("it was called before HCOMM_Init")
	case world.state == after:
		return 0, usage("it was called after HCOMM_Finalize")
	case comm == commWorld:
		return world.comm, nil
	case comm == commSelf:
		return world.self, nil
	}
	return 0, badArgument("comm", "comm is %#x; it must be HCOMM_COMM_WORLD or HCOMM_COMM_SELF", comm)
}

func usage(text string) error { return &engine.Error{Code: engine.InvalidUsage, Text: text} }

// datatypes are the MPI 5.0 ABI's values on a machine where int has 4 bytes and long 8.
var datatypes = map[uintptr]simd.Type{
	0x201: simd.Int64, 0x202: simd.Int64, 0x203: simd.Int64, // AINT, COUNT, OFFSET
	0x208: simd.Int16, 0x209: simd.Int32, 0x20a: simd.Int64, 0x20b: simd.Int64, // SHORT to LONG_LONG
	0x20c: simd.Uint16, 0x20d: simd.Uint32, 0x20e: simd.Uint64, 0x20f: simd.Uint64,
	0x210: simd.Float32, 0x214: simd.Float64,
	0x238: simd.Uint8, 0x247: simd.Uint8, // C_BOOL, BYTE
	0x243: simd.Int8, 0x244: simd.Int8, 0x245: simd.Uint8, // CHAR, SIGNED_CHAR, UNSIGNED_CHAR
	0x240: simd.Int8, 0x241: simd.Uint8, 0x248: simd.Int16, 0x249: simd.Uint16,
	0x250: simd.Int32, 0x251: simd.Uint32, 0x258: simd.Int64, 0x259: simd.Uint64,
}

var operators = map[uintptr]simd.Op{
	0x21: simd.Sum, 0x22: simd.Min, 0x23: simd.Max, 0x24: simd.Prod,
	0x28: simd.And, 0x29: simd.Or, 0x2a: simd.Xor,
	0x30: simd.LogicalAnd, 0x31: simd.LogicalOr, 0x32: simd.LogicalXor,
}

func operator(op uintptr) (simd.Op, error) {
	o, ok := operators[op]
	if !ok {
		return 0, badArgument("op", "op is %#x, which is none that hcomm can work with", op)
	}
	return o, nil
}

// reportMPI is report with the error's class, and with the names that mpi.h gives to arguments.
func reportMPI(function string, err error) C.int {
	var e *engine.Error
	if !errors.As(err, &e) {
		return report(function, err) // success
	}
	told := *e
	told.Text = strings.NewReplacer("sendbuff", "sendbuf", "recvbuff", "recvbuf", "hcommCommAbort", "HCOMM_Abort").Replace(e.Text)
	report(function, &told)
	return class(e)
}

func class(e *engine.Error) C.int {
	switch e.Code {
	case engine.InvalidArgument:
		switch e.Argument {
		case "sendbuff", "recvbuff", "buffer", "buf", "sendbuf", "recvbuf":
			return C.HCOMM_ERR_BUFFER
		case "count", "sendcount", "recvcount":
			return C.HCOMM_ERR_COUNT
		case "datatype", "sendtype", "recvtype":
			return C.HCOMM_ERR_TYPE
		case "tag", "sendtag", "recvtag":
			return C.HCOMM_ERR_TAG
		case "dest", "source":
			return C.HCOMM_ERR_RANK
		case "op":
			return C.HCOMM_ERR_OP
		case "root":
			return C.HCOMM_ERR_ROOT
		case "comm":
			return C.HCOMM_ERR_COMM
		}
		return C.HCOMM_ERR_ARG
	case engine.InvalidUsage:
		return C.HCOMM_ERR_OTHER
	case engine.RemoteError:
		return C.HCOMM_ERR_PROC_ABORTED
	case engine.Mismatch:
		return C.HCOMM_ERR_MISMATCH
	case engine.Truncated:
		return C.HCOMM_ERR_TRUNCATE
	case engine.Timeout:
		return C.HCOMM_ERR_TIMEOUT
	case engine.InternalError:
		return C.HCOMM_ERR_INTERN
	}
	return C.HCOMM_ERR_NO_MEM
}

func recoveredMPI(function string, comm uintptr, class *C.int) {
	var result C.int = C.hcommSuccess
	h := uintptr(0)
	switch comm {
	case commWorld:
		h = world.comm
	case commSelf:
		h = world.self
	}
	if recovering(function, h, recover(), &result) {
		*class = C.HCOMM_ERR_INTERN
	}
}
