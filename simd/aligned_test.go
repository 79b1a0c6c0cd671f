package simd

import "unsafe"

// aligned returns n zero bytes that begin at a multiple of 4096.
func aligned(n int) []byte {
	const page = 4096
	b := make([]byte, n+page)
	off := -uintptr(unsafe.Pointer(&b[0])) & (page - 1)
	return b[off : off+uintptr(n) : off+uintptr(n)]
}
