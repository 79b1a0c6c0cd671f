package simd

import (
	"runtime/debug"
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
func (m *fences) each(t *testing.T, what any, dst, src int, f func(d, d2, a, b []byte)) {
	t.Helper()
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if fault := recover(); fault != nil {
			t.Fatalf("%v, %d bytes to %d: %v", what, src, dst, fault)
		}
	}()
	begin := func(i, n int) []byte { return m[i][:n] }
	end := func(i, n int) []byte { return m[i][len(m[i])-n:] }
	f(begin(0, dst), begin(1, dst), begin(2, src), begin(3, src))
	f(end(0, dst), end(1, dst), end(2, src), end(3, src))
	f(begin(0, dst), end(1, dst), end(2, src), end(3, src))
	f(end(0, dst), begin(1, dst), begin(2, src), end(3, src))
}

// few are numbers of elements: all that fit in 200 bytes, which is more than two turns and a rest, and some of those up to most bytes.
func few(size, most int) (ns []int) {
	if level == Generic {
		return []int{0, 1, 70} // slices keep the twins within their operands
	}
	most /= size
	for n := 0; n <= most; n += 1 + max(0, n-200/size)/9 {
		ns = append(ns, n)
	}
	return append(ns, most)
}

func TestFencedReduce(t *testing.T) {
	m := newFences(t)
	levels(t, func(t *testing.T) {
		eachKernel(func(typ Type, o Op) {
			k, size := KernelFor(typ, o), typ.Size()
			what := o.String() + " of " + typ.String()
			for _, n := range few(size, len(m[0])) {
				m.each(t, what, n*size, n*size, func(d, d2, a, b []byte) {
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
			for _, n := range few(max(to, from), len(m[0])) {
				m.each(t, c, n*to, n*from, func(d, _, a, _ []byte) { convert(d, a) })
			}
		}
		for _, typ := range Types() {
			if kernel, size := Scale(typ), typ.Size(); kernel != nil {
				for _, n := range few(size, len(m[0])) {
					m.each(t, typ, n*size, n*size, func(d, _, a, _ []byte) {
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
			m.each(t, "a copy", n, n, func(d, d2, a, _ []byte) {
				for _, c := range copies {
					c.run(d, d2, a)
				}
			})
		}
	})
}
