package simd

import (
	"testing"

	"golang.org/x/sys/unix"
)

// fenced returns memory with unreadable pages before and behind it: two pages, so that there is room for stores past the caches.
func fenced(t *testing.T) []byte {
	page := unix.Getpagesize()
	m, err := unix.Mmap(-1, 0, 4*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		t.Skip("mmap: ", err)
	}
	t.Cleanup(func() { unix.Munmap(m) })
	for _, part := range [][]byte{m[:page], m[3*page:]} {
		if err := unix.Mprotect(part, unix.PROT_NONE); err != nil {
			t.Skip("mprotect: ", err)
		}
	}
	return m[page : 3*page : 3*page]
}

// fences are the operands dst, dst2, a and b, at the beginnings and the ends of their memory.
type fences [4][]byte

func newFences(t *testing.T) *fences { return &fences{fenced(t), fenced(t), fenced(t), fenced(t)} }

// each calls f with operands of that many bytes: all at the beginning, all at the end, and the destinations elsewhere than the sources. A byte too many is a fault.
func (m *fences) each(dst, src int, f func(d, d2, a, b []byte)) {
	begin := func(i, n int) []byte { return m[i][:n] }
	end := func(i, n int) []byte { return m[i][len(m[i])-n:] }
	f(begin(0, dst), begin(1, dst), begin(2, src), begin(3, src))
	f(end(0, dst), end(1, dst), end(2, src), end(3, src))
	f(begin(0, dst), end(1, dst), end(2, src), end(3, src))
	f(end(0, dst), begin(1, dst), begin(2, src), end(3, src))
}

// fewer are numbers of elements: all of the first 140, and some of those up to most.
func fewer(most int) (ns []int) {
	if level == Generic {
		return []int{0, 1, 70} // slices keep the twins within their operands
	}
	for n := 0; n <= most; n += 1 + n/140*(1+n/70) {
		ns = append(ns, n)
	}
	return append(ns, most)
}

func TestFencedReduce(t *testing.T) {
	m := newFences(t)
	levels(t, func(t *testing.T) {
		eachKernel(func(typ Type, o Op) {
			k, size := KernelFor(typ, o), typ.Size()
			for _, n := range fewer(len(m[0]) / size) {
				m.each(n*size, n*size, func(d, d2, a, b []byte) {
					for _, f := range forms {
						f.call(k, d, d2, a, b)
					}
				})
			}
		})
	})
}

func TestFencedConvertAndScale(t *testing.T) {
	m := newFences(t)
	levels(t, func(t *testing.T) {
		for _, c := range conversionPairs {
			convert, to, from := ConversionFor(c.to, c.from), c.to.Size(), c.from.Size()
			for _, n := range fewer(len(m[0]) / max(to, from)) {
				m.each(n*to, n*from, func(d, _, a, _ []byte) { convert(d, a) })
			}
		}
		for _, typ := range Types() {
			if kernel, size := Scale(typ), typ.Size(); kernel != nil {
				for _, n := range fewer(len(m[0]) / size) {
					m.each(n*size, n*size, func(d, _, a, _ []byte) {
						kernel(d, a, 3)
						kernel(a, a, 3)
					})
				}
			}
		}
	})
}

func TestFencedCopy(t *testing.T) {
	m := newFences(t)
	levels(t, func(t *testing.T) {
		for n := 0; n <= len(m[0]); n += 1 + n/600 {
			m.each(n, n, func(d, d2, a, _ []byte) {
				for _, c := range copies {
					c.run(d, d2, a)
				}
			})
		}
	})
}
