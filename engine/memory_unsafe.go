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

// shared is the part of b that the other ranks can read in place.
func shared(b []byte) hmm.Span {
	if len(b) == 0 {
		return hmm.Span{}
	}
	return hmm.Shared(unsafe.Pointer(&b[0]), uint64(len(b)))
}

// same says whether two slices of one length are the same memory.
func same(a, b []byte) bool { return len(a) > 0 && &a[0] == &b[0] }
