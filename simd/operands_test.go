package simd

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// special returns bits of t that kernels are likely to get wrong.
func special(t Type) []uint64 {
	sign := signBit(t)
	all := sign | (sign - 1)
	bits := []uint64{0, 1, 2, 3, sign, sign | 1, sign - 1, all, all - 1, sign >> 1, all >> 2}
	if f, ok := numbers[t]; ok {
		inf := uint64(1<<f.exponent-1) << f.mantissa
		normal := uint64(1) << f.mantissa
		quiet := normal >> 1
		one := uint64(1<<(f.exponent-1)-1) << f.mantissa
		for _, b := range []uint64{inf, inf - 1, inf + 1, inf | quiet, inf | quiet | 1, normal, normal - 1, normal + 1, normal >> 1, one, one + 1, one - 1} {
			bits = append(bits, b, b|sign)
		}
	}
	return bits
}

func get(t Type, b []byte, i int) uint64 {
	switch t.Size() {
	case 1:
		return uint64(b[i])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b[2*i:]))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return binary.LittleEndian.Uint64(b[8*i:])
}

func put(t Type, b []byte, i int, v uint64) {
	switch t.Size() {
	case 1:
		b[i] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(b[2*i:], uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
	default:
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
}

// problem is a pair of operands with what a kernel must make of them.
type problem struct {
	t          Type
	a, b, want []byte
	anyNaN     []bool
}

// newProblem makes n elements: all pairs of special bits as far as they fit, in random order, then random ones, some of them close together so that floats meet floats of their size.
func newProblem(t Type, o Op, n int) *problem {
	rng := rand.New(rand.NewPCG(uint64(t), uint64(o)))
	size := t.Size()
	p := &problem{t: t, a: make([]byte, n*size), b: make([]byte, n*size), want: make([]byte, n*size), anyNaN: make([]bool, n)}
	var pairs [][2]uint64
	for _, x := range special(t) {
		for _, y := range special(t) {
			pairs = append(pairs, [2]uint64{x, y})
		}
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for i := range n {
		x, y := rng.Uint64(), rng.Uint64()
		switch {
		case i%3 == 0 && len(pairs) > 0:
			x, y = pairs[0][0], pairs[0][1]
			pairs = pairs[1:]
		case i%3 == 1:
			y = x ^ y>>(rng.UintN(62)+1)
		case i%8 == 2:
			x &= 1
		}
		put(t, p.a, i, x)
		put(t, p.b, i, y)
		r, anyNaN := oracle(t, o, get(t, p.a, i), get(t, p.b, i))
		put(t, p.want, i, r)
		p.anyNaN[i] = anyNaN
	}
	return p
}

// check compares elements from first on with got.
func (p *problem) check(tb testing.TB, what string, got []byte, first int) {
	tb.Helper()
	size := p.t.Size()
	if bytes.Equal(got, p.want[first*size:][:len(got)]) {
		return
	}
	for i := range len(got) / size {
		k := first + i
		g, w := get(p.t, got, i), get(p.t, p.want, k)
		if g == w || p.anyNaN[k] && math.IsNaN(valueOf(p.t, g)) {
			continue
		}
		tb.Fatalf("%s: element %d of %d: a %#x, b %#x: got %#x, want %#x", what, i, len(got)/size, get(p.t, p.a, k), get(p.t, p.b, k), g, w)
	}
}

const guard = 64 // bytes around what a kernel may write

// place is memory in which operands are put at any alignment.
type place struct{ memory []byte }

func newPlace(n int) *place { return &place{aligned(n + 3*guard)} }

// at returns n bytes at off bytes from a boundary of 64, with guards filled around them.
func (p *place) at(off, n int) []byte {
	for i := range guard {
		p.memory[off+i] = 0xa5
		p.memory[off+guard+n+i] = 0x5a
	}
	return p.memory[guard+off:][:n:n]
}

// intact checks the guards of what at has returned.
func (p *place) intact(tb testing.TB, what string, off, n int) {
	tb.Helper()
	for i := range guard {
		if p.memory[off+i] != 0xa5 || p.memory[off+guard+n+i] != 0x5a {
			tb.Fatalf("%s: wrote outside of its destination", what)
		}
	}
}

// levels runs f at every level to be had here.
func levels(t *testing.T, f func(t *testing.T)) {
	defer Use(BestLevel())
	for l := Generic; l <= AVX512; l++ {
		if err := Use(l); err != nil {
			t.Logf("%s is not tested: %v", l, err)
			continue
		}
		t.Run(l.String(), f)
	}
}
