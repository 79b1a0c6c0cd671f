package main

/*
#include "internal.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"hcomm/engine"
)

// The values of the MPI 5.0 ABI for error handlers.
const errorsAreFatal, errorsReturn, errorsAbort = 0x141, 0x143, 0x142

var errhandlers = map[uintptr]string{
	errorsAreFatal: "HCOMM_ERRORS_ARE_FATAL", errorsReturn: "HCOMM_ERRORS_RETURN", errorsAbort: "HCOMM_ERRORS_ABORT",
}

func (e *entry) handlesErrors() uintptr {
	if h := e.errhandler.Load(); h != 0 {
		return h
	}
	return errorsAreFatal
}

// raise ends a call of the MPI-style half: an error is kept as the thread's last one and told to the error handler of the
// communicator, which may end the process.
func raise(function string, comm uintptr, err error) C.int {
	if err == nil {
		return C.HCOMM_SUCCESS
	}
	e := told(err)
	return raiseAs(function, comm, e, errorClass(e))
}

// raiseAs is raise for an error that the caller gets as another class than its own.
func raiseAs(function string, comm uintptr, e *engine.Error, as C.int) C.int {
	report(function, e)
	if on := responsible(comm); on != nil && on.handlesErrors() != errorsReturn {
		endProcess(on, function, e)
	}
	return as
}

// returned is raise for errors that no error handler is told of.
func returned(function string, err error) C.int {
	if err == nil {
		return C.HCOMM_SUCCESS
	}
	e := told(err)
	report(function, e)
	return errorClass(e)
}

// told is an error with the names that this half gives to arguments and functions.
func told(err error) *engine.Error {
	var e *engine.Error
	if !errors.As(err, &e) {
		return &engine.Error{Code: engine.SystemError, Text: err.Error()}
	}
	renamed := *e
	renamed.Text = inMPI.Replace(e.Text)
	return &renamed
}

var inMPI = strings.NewReplacer("sendbuff", "sendbuf", "recvbuff", "recvbuf",
	"hcommCommAbort", "HCOMM_Abort", "hcommCommDestroy", "HCOMM_Comm_free")

// responsible is the communicator whose error handler is told of an error: HCOMM_COMM_SELF's, where there is none. Before
// HCOMM_Init and after HCOMM_Finalize it is nil, and errors are returned.
func responsible(comm uintptr) *entry {
	world.Lock()
	during, self := world.state == during, world.self
	world.Unlock()
	if !during {
		return nil
	}
	if h, err := handle(comm); err == nil {
		if e := entryOf(h); e != nil {
			return e
		}
	}
	return entryOf(self)
}

// endProcess says what was wrong, aborts a communicator on all ranks, and with HCOMM_ERRORS_ARE_FATAL the whole job, and
// ends this process. The line comes first: what others say and do because of the abort comes after it.
func endProcess(on *entry, function string, e *engine.Error) {
	handler, class := on.handlesErrors(), errorClass(e)
	world.Lock()
	all := entryOf(world.comm)
	name := fmt.Sprintf("communicator %#x", on.handle)
	switch on.handle {
	case world.comm:
		name = "HCOMM_COMM_WORLD"
	case world.self:
		name = "HCOMM_COMM_SELF"
	}
	world.Unlock()
	rank := ""
	if all != nil {
		rank = fmt.Sprintf(" rank %d:", all.comm.Rank())
	}
	fmt.Fprintf(os.Stderr, "hcomm:%s %s: %s (%s); the error handler of %s, %s, ends the process (HCOMM_Comm_set_errhandler sets another)\n",
		rank, function, e.Error(), C.GoString(C.class_name(class)), name, errhandlers[handler])
	if e.Code == engine.RemoteError {
		on.comm.AwaitCulprits(time.Second)
	}
	reason := function + ": " + e.Text
	if all != nil && handler == errorsAreFatal {
		all.comm.AbortAtEnd(reason)
	}
	on.comm.AbortAtEnd(reason)
	C.end_process(class)
}

// errorClass is the error class of an error.
func errorClass(e *engine.Error) C.int {
	switch e.Code {
	case engine.InvalidArgument:
		if c, ok := classes[e.Argument]; ok {
			return c
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

// classes are those of wrong arguments that have one of their own.
var classes = map[string]C.int{
	"sendbuff": C.HCOMM_ERR_BUFFER, "recvbuff": C.HCOMM_ERR_BUFFER, "buffer": C.HCOMM_ERR_BUFFER,
	"buf": C.HCOMM_ERR_BUFFER, "sendbuf": C.HCOMM_ERR_BUFFER, "recvbuf": C.HCOMM_ERR_BUFFER,
	"count": C.HCOMM_ERR_COUNT, "sendcount": C.HCOMM_ERR_COUNT, "recvcount": C.HCOMM_ERR_COUNT,
	"datatype": C.HCOMM_ERR_TYPE, "sendtype": C.HCOMM_ERR_TYPE, "recvtype": C.HCOMM_ERR_TYPE,
	"tag": C.HCOMM_ERR_TAG, "sendtag": C.HCOMM_ERR_TAG, "recvtag": C.HCOMM_ERR_TAG,
	"dest": C.HCOMM_ERR_RANK, "source": C.HCOMM_ERR_RANK, "op": C.HCOMM_ERR_OP, "root": C.HCOMM_ERR_ROOT,
	"comm": C.HCOMM_ERR_COMM, "request": C.HCOMM_ERR_REQUEST, "info": C.HCOMM_ERR_INFO,
	"errhandler": C.HCOMM_ERR_ERRHANDLER,
}

// recoveredMPI, deferred, turns a panic into an error, and gives up the communicator.
func recoveredMPI(function string, comm uintptr, class *C.int) {
	if p := recover(); p != nil {
		h, _ := handle(comm)
		*class = raise(function, comm, afterPanic(p, h))
	}
}

//export goMPICommSetErrhandler
func goMPICommSetErrhandler(comm, errhandler uintptr) (class C.int) {
	const function = "HCOMM_Comm_set_errhandler"
	defer recoveredMPI(function, comm, &class)
	e, err := entryFor(comm)
	if err == nil && errhandlers[errhandler] == "" {
		err = badArgument("errhandler", "errhandler is %#x; it must be HCOMM_ERRORS_ARE_FATAL, HCOMM_ERRORS_ABORT or HCOMM_ERRORS_RETURN", errhandler)
	}
	if err == nil {
		e.errhandler.Store(errhandler)
	}
	return raise(function, comm, err)
}

//export goMPICommGetErrhandler
func goMPICommGetErrhandler(comm, errhandler uintptr) (class C.int) {
	const function = "HCOMM_Comm_get_errhandler"
	defer recoveredMPI(function, comm, &class)
	e, err := entryFor(comm)
	var to *uintptr
	if err == nil {
		to, err = resultAt[uintptr]("errhandler", errhandler)
	}
	if err == nil {
		*to = e.handlesErrors()
	}
	return raise(function, comm, err)
}

//export goMPIBadArgument
func goMPIBadArgument(function, text *C.char) C.int {
	return raise(C.GoString(function), 0, badArgument("pointer", "%s", C.GoString(text)))
}
