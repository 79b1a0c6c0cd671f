package main

/*
#include "message.h"
*/
import "C"

import (
	"errors"
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
		return returned(function, usage("it was called before; it may be called once"))
	case after:
		return returned(function, usage("it was called after HCOMM_Finalize; it may be called once"))
	}
	c, err := initEnv()
	if err != nil {
		return returned(function, err)
	}
	self, err := engine.InitAll(getenv, 1)
	if err != nil {
		c.Destroy()
		return returned(function, err)
	}
	return returned(function, world.begin(c, self[0]))
}

func (w *worldState) begin(all, self *engine.Comm) error {
	w.Lock()
	defer w.Unlock()
	var err error
	if w.comm, err = publishMPI(all, errorsAreFatal); err == nil {
		w.self, err = publishMPI(self, errorsAreFatal)
	}
	if err != nil {
		retire(w.comm)
		all.Destroy()
		self.Destroy()
		return err
	}
	w.state = during
	atomic.StoreUint64((*uint64)(&C.world_handle), uint64(w.comm))
	return nil
}

// end is false when another thread has ended it.
func (w *worldState) end() bool {
	w.Lock()
	defer w.Unlock()
	if w.state != during {
		return false
	}
	w.state = after
	atomic.StoreUint64((*uint64)(&C.world_handle), 0)
	return true
}

//export goMPIInitialized
func goMPIInitialized(flag uintptr) (class C.int) {
	const function = "HCOMM_Initialized"
	defer recoveredMPI(function, 0, &class)
	p, err := pointer[C.int]("flag", flag)
	if err != nil {
		return raise(function, 0, err)
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
	defer recoveredMPI(function, commWorld, &class)
	c, err := communicator(commWorld)
	if err == nil {
		err = requests.allDone()
	}
	if err != nil {
		return raise(function, commWorld, err)
	}
	var failed error
	if !c.Condemned() {
		failed = c.Finalize()
	}
	var e *engine.Error
	if errors.As(failed, &e) && e.Code == engine.InvalidUsage {
		return raise(function, commWorld, failed)
	}
	class = raise(function, commWorld, failed)
	if !world.end() {
		return returned(function, usage("another thread called it"))
	}
	for _, e := range madeByMPI() {
		if retire(e.handle) {
			e.comm.Destroy()
		}
	}
	requests.clear()
	return class
}

//export goMPIAbort
func goMPIAbort(comm uintptr) (class C.int) {
	const function = "HCOMM_Abort"
	defer recoveredMPI(function, comm, &class)
	c, err := communicator(comm)
	if err != nil {
		return raise(function, comm, err)
	}
	c.AbortAtEnd("")
	return C.HCOMM_SUCCESS
}

//export goMPICommRank
func goMPICommRank(comm, rank uintptr) (class C.int) {
	const function = "HCOMM_Comm_rank"
	defer recoveredMPI(function, comm, &class)
	return raise(function, comm, queryMPI(comm, "rank", rank, (*engine.Comm).Rank))
}

//export goMPICommSize
func goMPICommSize(comm, size uintptr) (class C.int) {
	const function = "HCOMM_Comm_size"
	defer recoveredMPI(function, comm, &class)
	return raise(function, comm, queryMPI(comm, "size", size, (*engine.Comm).Size))
}

func queryMPI(comm uintptr, name string, to uintptr, ask func(*engine.Comm) int) error {
	c, err := communicator(comm)
	if err != nil {
		return err
	}
	p, err := pointer[C.int](name, to)
	if err == nil {
		*p = C.int(ask(c))
	}
	return err
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

// communicator finds what a HCOMM_Comm stands for.
func communicator(comm uintptr) (*engine.Comm, error) {
	stack.Reserve()
	e, err := entryFor(comm)
	if err != nil {
		return nil, err
	}
	return e.comm, nil
}

func entryFor(comm uintptr) (*entry, error) {
	h, err := handle(comm)
	if err != nil {
		return nil, err
	}
	if e := entryOf(h); e != nil {
		return e, nil
	}
	return nil, badArgument("comm", "comm is %#x, which is no communicator, or was freed or aborted", comm)
}

// handle is the ordinary handle of a communicator, which may be none.
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
	return comm, nil
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
