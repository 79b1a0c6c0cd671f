//go:build cgo

package main

// #cgo CFLAGS: -O3 -Wall -Wextra
// #cgo amd64 CFLAGS: -march=native
// #include <stdlib.h>
// #include "run.h"
import "C"

import (
	"fmt"
	"runtime"
	"unsafe"
)

// compiler says which compiled the loops, with the flags above.
func compiler() string {
	if runtime.GOARCH == "amd64" {
		return "gcc " + C.__VERSION__ + " -O3 -march=native"
	}
	return "gcc " + C.__VERSION__ + " -O3"
}

// scaleBy is the number by which C's loops divide when they scale.
const scaleBy = C.SCALE_BY

// A maker is a list of loops in C by one way to make them.
type maker unsafe.Pointer

// gcc are the loops that gcc makes vectors of as well as it can, by the types that they are for.
func gcc(typ string) maker {
	switch typ {
	case "float32", "float64":
		return maker(&C.float_loops)
	case "float16":
		return maker(&C.float16_loops)
	case "bfloat16":
		return maker(&C.bfloat16_loops)
	case "float8e4m3", "float8e5m2":
		return maker(&C.float8_loops)
	}
	return maker(&C.integer_loops)
}

// plain are the loops for max and min that ignore the rules for NaNs and zeros.
func plain() maker { return maker(&C.plain_loops) }

// byteLoops are copy and crc32c of "bytes".
func byteLoops() maker { return maker(&C.byte_loops) }

// intrinsics are the loops written by hand for type, nil if the processor cannot run them.
func intrinsics(typ string) maker {
	if C.intrinsics_run() == 0 || typ == "bfloat16" && C.intrinsics_run_bfloat16() == 0 {
		return nil
	}
	return maker(&C.intrinsic_loops)
}

// loopInC gives the maker's loop of that name as one that goes over the pieces of o; nil if there is none.
func loopInC(list maker, typ, op string, o *operands) loop {
	if list == nil {
		return nil
	}
	t, n := C.CString(typ), C.CString(op)
	defer C.free(unsafe.Pointer(t))
	defer C.free(unsafe.Pointer(n))
	f := C.find_loop((*C.struct_entry)(list), t, n)
	if f == nil {
		return nil
	}
	return func(from, count int) {
		// The buffers are not Go's, so C may be handed a struct that points to them.
		cut := C.struct_cut{
			dst: start(o.dst), dst2: start(o.dst2), a: start(o.a), b: start(o.b),
			dst_bytes: C.size_t(o.dstPiece), a_bytes: C.size_t(o.aPiece), elements: C.size_t(o.elements), pieces: C.size_t(o.pieces),
		}
		C.run_loop(f, &cut, C.size_t(from), C.size_t(count))
	}
}

func start(b []byte) *C.char { return (*C.char)(unsafe.Pointer(unsafe.SliceData(b))) }

// foreign is an error if the loops were compiled for another processor.
func foreign() error {
	if what := C.lacking(); what != nil {
		return fmt.Errorf("the loops in C were compiled to use %s, which this processor lacks (go clean -cache has them compiled anew)", C.GoString(what))
	}
	return nil
}
