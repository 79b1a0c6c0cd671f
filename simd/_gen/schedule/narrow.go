package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A narrowFloat is a type that is computed in float32.
type narrowFloat struct {
	name string
	size int
	// Codes, as in the Go twins: magnitudes above top are NaN, quiet is the bit that makes them so.
	top, quiet uint64

	widenNeeds, narrowNeeds []constant
	// widen returns 16 elements, from the first byte of part k on, as float32: one vector of AVX-512, or two.
	widen func(on ISA, p *pool, b block, k int) []reg.VecVirtual
	// narrow is the inverse, rounded to nearest even: 16 elements in the lower bytes of a register.
	narrow func(on ISA, p *pool, wide []reg.VecVirtual) reg.VecVirtual
}

var narrowFloats = []*narrowFloat{float16, bfloat16, float8E4M3, float8E5M2}

// NarrowFloats are the reductions of the 16- and 8-bit floats.
func NarrowFloats() (rs []Reduction) {
	for _, f := range narrowFloats {
		rs = append(rs, f.compute("sum", "+", VADDPS), f.compute("prod", "*", VMULPS), f.extreme("max"), f.extreme("min"))
	}
	return rs
}

// compute is one operation in float32, rounded to the type.
func (f *narrowFloat) compute(verb, sign string, instruction three) Reduction {
	r := Reduction{
		Name: verb + f.name, Size: f.size, Loop: "narrow(widen(a[i]) " + sign + " widen(b[i]))",
		Note:      "A NaN becomes the positive one without payload.",
		Constants: distinct(f.widenNeeds, f.narrowNeeds),
		Wide:      vectors,
		operate: func(on ISA, p *pool, a, b block) reg.VecVirtual {
			var parts []reg.VecVirtual
			for k := range on.width / (16 * f.size) {
				x, y := f.widen(on, p, a, k), f.widen(on, p, b, k)
				for i := range x {
					instruction(y[i], x[i], x[i])
				}
				parts = append(parts, f.narrow(on, p, x))
			}
			return joinAll(on, parts)
		},
	}
	if f == bfloat16 {
		r.Constants = distinct(pairNeeds)
		r.operate = func(on ISA, p *pool, a, b block) reg.VecVirtual { return bfloat16Pairs(on, p, a, b, instruction) }
	}
	return r
}

// joinAll puts what narrow has returned together.
func joinAll(on ISA, parts []reg.VecVirtual) reg.VecVirtual {
	switch len(parts) {
	case 1:
		return parts[0]
	case 2:
		return join(on, parts[0], parts[1])
	}
	low, high := YMM(), YMM()
	VINSERTI32X4(Imm(1), parts[1].AsX(), parts[0].AsY(), low)
	VINSERTI32X4(Imm(1), parts[3].AsX(), parts[2].AsY(), high)
	return join(on, low, high)
}

func distinct(lists ...[]constant) (all []constant) {
	seen := map[constant]bool{}
	for _, l := range lists {
		for _, c := range l {
			if !seen[c] {
				seen[c] = true
				all = append(all, c)
			}
		}
	}
	return all
}

// extreme is maximum or minimum, on the codes alone: with the bits of a negative one inverted, but for its sign, they are ordered like the numbers.
func (f *narrowFloat) extreme(verb string) Reduction {
	magnitude := constant{f.size, 1<<(8*f.size-1) - 1}
	top := constant{f.size, f.top}
	quiet := constant{f.size, f.quiet}
	loop := "maximum(a[i], b[i])"
	if verb == "min" {
		loop = "minimum(a[i], b[i])"
	}
	r := Reduction{
		Name: verb + f.name, Size: f.size, Loop: loop,
		Note:      "That of IEEE 754-2019: -0 < +0, and NaN wins; of two that of a, made quiet.",
		Constants: []constant{magnitude, top},
		Wide:      vectors,
	}
	if f.quiet != 0 {
		r.Constants = append(r.Constants, quiet)
	}
	r.operate = func(on ISA, p *pool, a, b block) reg.VecVirtual {
		x, y := a.vector(), b.vector()
		r := ordered(on, p, f.size, magnitude, x)
		s := ordered(on, p, f.size, magnitude, y)
		pick := map[string][]three{"max": {VPMAXSB, VPMAXSW}, "min": {VPMINSB, VPMINSW}}[verb][f.size-1]
		pick(s, r, r)
		r = ordered(on, p, f.size, magnitude, r)
		for _, v := range []reg.VecVirtual{y, x} {
			r = nanOr(on, p, f, magnitude, top, quiet, v, r)
		}
		return r
	}
	return r
}

// ordered inverts the magnitude of the negative codes. It is its own inverse.
func ordered(on ISA, p *pool, size int, magnitude constant, x reg.VecVirtual) reg.VecVirtual {
	r := on.vector()
	if on.masks {
		if size == 2 {
			VPSRAW(Imm(15), x, r)
		} else {
			negative := K()
			VPMOVB2M(x, negative)
			VPMOVM2B(negative, r)
		}
		const xorOfAnd = 0x6c // x ^ (r & magnitude)
		VPTERNLOGD(Imm(xorOfAnd), p.vector(magnitude), x, r)
		return r
	}
	if size == 2 {
		VPSRAW(Imm(15), x, r)
	} else {
		VPXOR(r, r, r)
		VPCMPGTB(x, r, r)
	}
	VPAND(p.op(magnitude), r, r)
	VPXOR(x, r, r)
	return r
}

// nanOr returns v, made quiet, where that is NaN, and r elsewhere.
func nanOr(on ISA, p *pool, f *narrowFloat, magnitude, top, quiet constant, v, r reg.VecVirtual) reg.VecVirtual {
	m := on.vector()
	and(on, p.op(magnitude), v, m)
	q := v
	if f.quiet != 0 {
		q = on.vector()
		or(on, p.op(quiet), v, q)
	}
	if on.masks {
		nan := K()
		const greater = 6
		if f.size == 2 {
			VPCMPUW(Imm(greater), p.vector(top), m, nan)
			VMOVDQU16(q, nan, r)
		} else {
			VPCMPUB(Imm(greater), p.vector(top), m, nan)
			VMOVDQU8(q, nan, r)
		}
		return r
	}
	if f.size == 2 {
		VPCMPGTW(p.op(top), m, m)
	} else {
		VPCMPGTB(p.op(top), m, m)
	}
	VPBLENDVB(m, q, r, r)
	return r
}
