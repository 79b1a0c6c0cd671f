package engine

import (
	"unsafe"

	"hcomm/hmm"
)

// view is the n bytes at p, which checkBuffers has found to be addressable.
func view(p unsafe.Pointer, n uint64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(p), n)
}

// window says where b lies in this process's arena, if it does.
func window(b []byte) (uint64, bool) {
	if len(b) == 0 {
		return 0, false
	}
	return hmm.Window(unsafe.Pointer(&b[0]), uint64(len(b)))
}

// same says whether two slices of one length are the same memory.
func same(a, b []byte) bool { return len(a) > 0 && &a[0] == &b[0] }
