//go:build cgo

package main

import (
	"math/rand/v2"
	"unsafe"

	"golang.org/x/sys/unix"

	"hcomm/simd"
)

// piece is how many bytes of the wider operand a kernel is given at a time; what calls kernels gives them no more, because
// a goroutine that is in assembly cannot be stopped.
const piece = 64 << 10

// operands are buffers that are cut in pieces.
type operands struct {
	dst, dst2, a, b          []byte // dst2 is nil unless the loop has two destinations
	dstPiece, aPiece         int    // bytes of a piece; b's are like a's
	elements, pieces, counts int    // elements of a piece; pieces; bytes of a piece that speeds are about
}

// A loop goes over count pieces in a row, the first of which is from; the first follows the last.
type loop func(from, count int)

// each is the loop that calls f for each piece.
func (o *operands) each(f func(dst, dst2, a, b []byte)) loop {
	return func(from, count int) {
		i := from % o.pieces
		for range count {
			d, x := i*o.dstPiece, i*o.aPiece
			var dst2 []byte
			if o.dst2 != nil {
				dst2 = o.dst2[d:][:o.dstPiece]
			}
			f(o.dst[d:][:o.dstPiece], dst2, o.a[x:][:o.aPiece], o.b[x:][:o.aPiece])
			if i++; i == o.pieces {
				i = 0
			}
		}
	}
}

// memory is what all contests use, one after the other.
type memory struct {
	dst, dst2, a, b []byte
	want, want2     []byte // results to compare with

	mapped []byte
}

// Buffers are neighbours, at addresses that differ in more than high bits: those that do not compete for the same sets of
// a cache.
const (
	page     = 4096
	hugePage = 2 << 20
)

// newMemory makes buffers of up to so many bytes: of pages that are huge, if the kernel will give some.
func newMemory(bytes int) (*memory, error) {
	stride := (bytes+page-1)/page*page + page
	mapped, err := unix.Mmap(-1, 0, 6*stride+hugePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	aligned := mapped[-uintptr(unsafe.Pointer(&mapped[0]))%hugePage:][:6*stride]
	if err := unix.Madvise(aligned, unix.MADV_HUGEPAGE); err != nil && err != unix.EINVAL { // EINVAL: there are none
		return nil, err
	}
	at := func(i int) []byte { return aligned[i*stride:][:bytes] }
	return &memory{dst: at(0), a: at(1), b: at(2), dst2: at(3), want: at(4), want2: at(5), mapped: mapped}, nil
}

func (m *memory) free() { unix.Munmap(m.mapped) }

// cut gives operands of bytes, or less so that pieces are whole, for elements of these sizes. The wider operand has bytes.
func (m *memory) cut(bytes, dstSize, aSize int) *operands {
	wide := max(dstSize, aSize)
	each := min(piece, bytes) / wide // elements
	o := &operands{dstPiece: each * dstSize, aPiece: each * aSize, elements: each, pieces: bytes / wide / each}
	o.dst = m.dst[:o.pieces*o.dstPiece]
	o.a, o.b = m.a[:o.pieces*o.aPiece], m.b[:o.pieces*o.aPiece]
	o.counts = o.dstPiece
	return o
}

// fill writes numbers of a type to both operands, which repeat after a mebibyte.
func (m *memory) fill(t simd.Type) {
	for i, b := range [][]byte{m.a, m.b} {
		rng := rand.New(rand.NewPCG(uint64(t), uint64(i)))
		n := min(len(b), 1<<20)
		random(t, b[:n], rng)
		for ; n < len(b); n *= 2 {
			copy(b[n:], b[:n])
		}
	}
}

// random writes numbers of all magnitudes if they are integers; floats are between a quarter and eight, so that there are
// no subnormal numbers, which some loops take for zeros and all are slow at; those of 8 bits are all but NaN.
func random(t simd.Type, b []byte, rng *rand.Rand) {
	size := t.Size()
	f, isFloat := formats[t]
	for i := 0; i+size <= len(b); i += size {
		v := rng.Uint64()
		switch {
		case isFloat && size == 1:
			for f.isNaN(v & 0xff) {
				v = rng.Uint64()
			}
		case isFloat:
			v = v&(f.sign()|f.normal()-1) | (f.one() - 2*f.normal() + v>>32%5*f.normal())
		}
		put(b[i:][:size], v)
	}
}

// put stores the lower bytes of v.
func put(b []byte, v uint64) {
	for i := range b {
		b[i] = byte(v >> (8 * i))
	}
}
