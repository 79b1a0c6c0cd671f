package engine

import (
	"unsafe"

	"hcomm/simd"
)

// addresses bounds what a process can address on any 64-bit Linux.
const addresses = 1 << 57

// checkBuffers applies the rules that all collectives have for their buffers, and returns their size in bytes.
func checkBuffers(send, recv unsafe.Pointer, count uint64, t simd.Type) (uint64, *Error) {
	if !t.Valid() {
		return 0, badArgument("datatype", "datatype is %d, which is none of hcommDataType_t", t)
	}
	size := uint64(t.Size())
	if count > addresses/size {
		return 0, badArgument("count", "count is %d (as a signed number %d): so many %s are more bytes than can be addressed", count, int64(count), t)
	}
	bytes := count * size
	if count == 0 {
		return 0, nil
	}
	if send == nil {
		return 0, badArgument("sendbuff", "sendbuff is NULL, but count is %d: only a count of 0 allows it", count)
	}
	if recv == nil {
		return 0, badArgument("recvbuff", "recvbuff is NULL, but count is %d: only a count of 0 allows it", count)
	}
	for _, b := range [...]struct {
		name string
		at   unsafe.Pointer
	}{{"sendbuff", send}, {"recvbuff", recv}} {
		if uint64(uintptr(b.at)) > addresses-bytes {
			return 0, badArgument(b.name, "%s is %p, and %d bytes from there run over the end of the address space", b.name, b.at, bytes)
		}
	}
	if s, r := uint64(uintptr(send)), uint64(uintptr(recv)); s != r && s < r+bytes && r < s+bytes {
		return 0, badArgument("recvbuff", "recvbuff (%p) overlaps sendbuff (%p), each %d bytes: they must be equal (in place) or apart",
			recv, send, bytes)
	}
	return bytes, nil
}

func checkOp(t simd.Type, op simd.Op) *Error {
	if !op.Valid() {
		return badArgument("op", "op is %d, which is none of hcommRedOp_t", op)
	}
	if op == simd.Avg {
		return nil
	}
	if _, _, ok := simd.KernelFor(t, op); !ok {
		return badArgument("op", "op is %s, which is for integers only, but datatype is %s", op, t)
	}
	return nil
}
