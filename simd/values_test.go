package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestFloat8Pairs reduces all pairs of codes.
func TestFloat8Pairs(t *testing.T) {
	slowWithRaceDetector(t)
	a, b := make([]byte, 1<<16), make([]byte, 1<<16)
	for i := range a {
		a[i], b[i] = byte(i), byte(i>>8)
	}
	d := make([]byte, len(a))
	for _, typ := range []Type{Float8E4M3, Float8E5M2} {
		for _, o := range []Op{Sum, Prod, Max, Min} {
			p := solve(typ, typ, a, b, func(x, y uint64) (uint64, bool) { return oracle(typ, o, x, y) })
			levels(t, func(t *testing.T) {
				for _, first := range shifts() {
					KernelFor(typ, o).Reduce(d[first:], a[first:], b[first:])
					p.check(t, o.String()+" of "+typ.String(), d[first:], first)
				}
			})
		}
	}
}

// twinProblem is the problem of given operands; what is wanted is what the twin makes of them.
func twinProblem(typ Type, o Op, a, b []byte) *problem {
	p := &problem{t: typ, to: typ, a: a, b: b, want: make([]byte, len(a)), wrong: make([]byte, len(a)), anyNaN: make([]bool, len(a)/typ.Size())}
	kernels[Generic][typ.index()][o.index()].twin(p.want, a, b)
	for i, w := range p.want {
		p.wrong[i] = ^w
	}
	if typ == Float32 || typ == Float64 {
		for i := range p.anyNaN {
			p.anyNaN[i] = (o == Sum || o == Prod) && math.IsNaN(valueOf(typ, get(typ, p.want, i)))
		}
	}
	return p
}

// agree reduces by the kernel of each level; the bits must be those of the twin.
func agree(t *testing.T, typ Type, o Op, a, b []byte) {
	t.Helper()
	p, d := twinProblem(typ, o, a, b), make([]byte, len(a))
	defer Use(level)
	for l := Generic + 1; l <= BestLevel(); l++ {
		if Use(l) != nil {
			continue
		}
		for _, first := range shifts()[:3] {
			at := first * typ.Size()
			KernelFor(typ, o).Reduce(d[at:], a[at:], b[at:])
			p.check(t, l.String()+", "+o.String()+" of "+typ.String(), d[at:], first)
		}
	}
}

// TestLevelsAgree compares the levels on many more operands than the oracle has time for.
func TestLevelsAgree(t *testing.T) {
	if BestLevel() == Generic {
		t.Skip("there is one level")
	}
	for _, typ := range Types() {
		a, b := operands(typ, 128<<10/typ.Size(), rand.New(rand.NewPCG(7, uint64(typ))))
		eachKernel(func(of Type, o Op) {
			if of == typ {
				agree(t, typ, o, a, b)
			}
		})
	}
}

// TestCodesOf16Bits reduces all codes with the special ones and with some others, both ways round.
func TestCodesOf16Bits(t *testing.T) {
	if BestLevel() == Generic {
		t.Skip("there is one level")
	}
	for _, typ := range []Type{Float16, BFloat16} {
		rng := rand.New(rand.NewPCG(11, uint64(typ)))
		others := special(typ)
		for range 12 {
			others = append(others, rng.Uint64()&0xffff)
		}
		all, one := make([]byte, 1<<17), make([]byte, 1<<17)
		for x := range 1 << 16 {
			put(typ, all, x, uint64(x))
		}
		for _, y := range others {
			for x := range 1 << 16 {
				put(typ, one, x, y)
			}
			for _, o := range []Op{Sum, Prod, Max, Min} {
				agree(t, typ, o, all, one)
			}
			agree(t, typ, Max, one, all)
			agree(t, typ, Min, one, all)
		}
	}
}

// stratified are float32: of every exponent and sign, with mantissas that are in the middle between two numbers of fewer bits, beside that, and at the ends.
func stratified() (fs []uint32) {
	rng := rand.New(rand.NewPCG(13, 17))
	for upper := range uint32(1 << 9) { // sign and exponent
		add := func(mantissas ...uint32) {
			for _, m := range mantissas {
				fs = append(fs, upper<<23|m&(1<<23-1))
			}
		}
		add(0, 1, 2, 1<<23-1, 1<<23-2, 1<<22, 1<<22+1, 1<<22-1, rng.Uint32())
		for cut := 1; cut <= 23; cut++ { // bits that are rounded away
			half := uint32(1) << (cut - 1)
			kept := rng.Uint32() &^ (2*half - 1)
			for _, m := range []uint32{kept &^ (2 * half), kept | 2*half, ^uint32(0) &^ (2*half - 1)} { // even, odd, all ones
				add(m, m+half-1, m+half, m+half+1)
			}
		}
	}
	return fs
}
