package simd

import (
	"testing"

	"golang.org/x/sys/unix"
)

// fenced returns a page with unreadable pages before and behind it.
func fenced(t *testing.T) []byte {
	page := unix.Getpagesize()
	m, err := unix.Mmap(-1, 0, 3*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Skip("mmap: ", err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	for _, part := range [][]byte{m[:page], m[2*page:]} {
		if err := unix.Mprotect(part, unix.PROT_NONE); err != nil {
			t.Skip("mprotect: ", err)
		}
	}
	return m[page : 2*page : 2*page]
}

// TestKernelsReadNothingElse runs kernels with all operands at the beginning and at the end of a page, where a byte too many is a fault.
func TestKernelsReadNothingElse(t *testing.T) {
	d, d2, a, b := fenced(t), fenced(t), fenced(t), fenced(t)
	page := len(d)
	levels(t, func(t *testing.T) {
		for n := 0; n <= page; n += 1 + n/600 {
			for _, lo := range []int{0, page - n} {
				hi := lo + n
				Copy(d[lo:hi], a[lo:hi])
				Copy2(d[lo:hi], d2[lo:hi], a[lo:hi])
			}
		}
		for _, typ := range Types() {
			for _, o := range Ops() {
				k := KernelFor(typ, o)
				if k == nil {
					continue
				}
				size := typ.Size()
				for n := 0; n <= page; n += size * (1 + n/(64*size)) {
					for _, lo := range []int{0, page - n} {
						hi := lo + n
						for _, f := range forms {
							f.run(k, d[lo:hi], d2[lo:hi], a[lo:hi], b[lo:hi])
						}
					}
				}
			}
		}
	})
}
