package simd

import (
	"bytes"
	"encoding/binary"
	"fmt"
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

// A problem is what a kernel is given, and what it must make of it.
type problem struct {
	t, to       Type // of the operands and of the result
	a, b        []byte
	want, wrong []byte // wrong differs from want in each byte
	anyNaN      []bool // by element: any NaN will do
}

var pools = map[Type]map[Op]*problem{}

// poolFor is the problem of a reduction. The oracle is slow, so that it is asked once for all tests and levels.
func poolFor(t Type, o Op) *problem {
	if pools[t] == nil {
		pools[t] = map[Op]*problem{}
	}
	p := pools[t][o]
	if p == nil {
		p = newProblem(t, o)
		pools[t][o] = p
	}
	return p
}

func newProblem(t Type, o Op) *problem {
	a, b := operands(t, poolElements, rand.New(rand.NewPCG(uint64(t), uint64(o))))
	return solve(t, t, a, b, func(x, y uint64) (uint64, bool) { return oracle(t, o, x, y) })
}

// solve asks an oracle for each element.
func solve(t, to Type, a, b []byte, oracle func(x, y uint64) (r uint64, anyNaN bool)) *problem {
	count := len(a) / t.Size()
	p := &problem{t: t, to: to, a: a, b: b, want: make([]byte, count*to.Size()), anyNaN: make([]bool, count)}
	for i := range count {
		y := uint64(0)
		if b != nil {
			y = get(t, b, i)
		}
		r, anyNaN := oracle(get(t, a, i), y)
		put(to, p.want, i, r)
		p.anyNaN[i] = anyNaN
	}
	p.wrong = make([]byte, len(p.want))
	for i, w := range p.want {
		p.wrong[i] = ^w
	}
	return p
}

// operands makes n elements of both: pairs of special bits in random order, then random ones, some of them close together so that floats meet floats of their size.
func operands(t Type, n int, rng *rand.Rand) (a, b []byte) {
	a, b = make([]byte, n*t.Size()), make([]byte, n*t.Size())
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
		case i%2 == 0 && len(pairs) > 0:
			x, y = pairs[0][0], pairs[0][1]
			pairs = pairs[1:]
		case i%4 == 1:
			y = x ^ y>>(rng.UintN(62)+1)
		case i%8 == 3:
			x, y = x&1, y&2
		}
		put(t, a, i, x)
		put(t, b, i, y)
	}
	return a, b
}

// repeated is the problem over and over again, for count elements.
func (p *problem) repeated(count int) *problem {
	fill := func(from []byte, size int) []byte {
		if from == nil {
			return nil
		}
		to := make([]byte, count*size)
		for n := copy(to, from); n < len(to); {
			n += copy(to[n:], to[:n])
		}
		return to
	}
	r := &problem{t: p.t, to: p.to, a: fill(p.a, p.t.Size()), b: fill(p.b, p.t.Size()), want: fill(p.want, p.to.Size()), wrong: fill(p.wrong, p.to.Size())}
	for i := range count {
		r.anyNaN = append(r.anyNaN, p.anyNaN[i%len(p.anyNaN)])
	}
	return r
}

// check compares elements from first on with got. What is said by String if it fails.
func (p *problem) check(tb testing.TB, what any, got []byte, first int) {
	size := p.to.Size()
	if bytes.Equal(got, p.want[first*size:][:len(got)]) {
		return
	}
	for i := range len(got) / size {
		k := first + i
		g, w := get(p.to, got, i), get(p.to, p.want, k)
		if g == w || p.anyNaN[k] && math.IsNaN(valueOf(p.to, g)) {
			continue
		}
		tb.Helper()
		operands := fmt.Sprintf("a %#x", get(p.t, p.a, k))
		if p.b != nil {
			operands += fmt.Sprintf(", b %#x", get(p.t, p.b, k))
		}
		tb.Fatalf("%v: element %d of %d: %s: got %#x, want %#x", what, i, len(got)/size, operands, g, w)
	}
}

const guard = 64 // bytes around what a kernel may write

var guardBefore, guardBehind = bytes.Repeat([]byte{0xa5}, guard), bytes.Repeat([]byte{0x5a}, guard)

// place is memory in which operands are put at any alignment.
type place struct{ memory []byte }

// newPlace makes one for up to n bytes at up to 64 from a boundary.
func newPlace(n int) *place { return &place{aligned(n + 3*guard)} }

// at returns n bytes at off bytes from a boundary of 64, with guards filled around them.
func (p *place) at(off, n int) []byte {
	copy(p.memory[off:], guardBefore)
	copy(p.memory[off+guard+n:], guardBehind)
	return p.memory[off+guard:][:n:n]
}

// with is at for the bytes of from.
func (p *place) with(off int, from []byte) []byte {
	b := p.at(off, len(from))
	copy(b, from)
	return b
}

// intact checks the guards of what at has returned.
func (p *place) intact(tb testing.TB, what any, off, n int) {
	if !bytes.Equal(p.memory[off:][:guard], guardBefore) || !bytes.Equal(p.memory[off+guard+n:][:guard], guardBehind) {
		tb.Helper()
		tb.Fatalf("%v: wrote outside of its destination", what)
	}
}

// same checks an operand that is no destination.
func same(tb testing.TB, what any, operand, was []byte) {
	if !bytes.Equal(operand, was) {
		tb.Helper()
		tb.Fatalf("%v: changed what it should only read", what)
	}
}

// levels runs f at every level to be had here.
func levels(t *testing.T, f func(t *testing.T)) {
	defer Use(BestLevel())
	for l := range Level(len(levelNames)) {
		if Use(l) == nil {
			t.Run(l.String(), f)
		}
	}
}

// shifts are the elements to begin with one after the other, so that each value meets each part of a vector: instructions of its own do it.
func shifts() []int {
	if level == Generic {
		return []int{0}
	}
	return []int{0, 8, 16, 24, 32, 48}
}

// slowWithRaceDetector skips a test of many values: the twins are the same without the detector, which has nothing to find in them.
func slowWithRaceDetector(t *testing.T) {
	if raceDetector {
		t.Skip("the values are tested without the race detector")
	}
}
