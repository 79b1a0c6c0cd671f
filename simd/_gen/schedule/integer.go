package schedule

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// three is an instruction of two sources and a destination, last.
type three = func(...Op)

// simple is a reduction by one instruction, the same in both instruction sets.
func simple(name string, size int, loop string, instruction three) Reduction {
	return Reduction{Name: name, Size: size, Loop: loop, operate: func(on ISA, _ *pool, a, b block) reg.VecVirtual {
		r := on.vector()
		instruction(b.op(), a.vector(), r)
		return r
	}}
}

// Integers are the reductions of all integers. Those that do not depend on the sign are named after the size alone.
func Integers() []Reduction {
	var rs []Reduction
	for i, size := range []int{1, 2, 4, 8} {
		bits := fmt.Sprint("Int", 8*size)
		rs = append(rs, simple("sum"+bits, size, "a[i] + b[i]", []three{VPADDB, VPADDW, VPADDD, VPADDQ}[i]))
		rs = append(rs, product(bits, size))
		rs = append(rs, extremes(bits, size)...)
		rs = append(rs, logical(bits, size)...)
	}
	return append(rs, bitwise()...)
}

func product(bits string, size int) Reduction {
	const loop = "a[i] * b[i]"
	r := Reduction{Name: "prod" + bits, Size: size, Loop: loop}
	switch size {
	case 1:
		r.Constants = []constant{lowBytes, highBytes}
		r.operate = product8
	case 2:
		return simple(r.Name, size, loop, VPMULLW)
	case 4:
		return simple(r.Name, size, loop, VPMULLD)
	case 8:
		r.operate, r.Wide = product64, instructions
	}
	return r
}

var (
	lowBytes  = bytes2(0x00ff)
	highBytes = bytes2(0xff00)
)

// product8 multiplies words: the low byte of a product is that of the low bytes, and a factor whose low byte is cleared gives the product of the high bytes in the high byte.
func product8(on ISA, p *pool, a, b block) reg.VecVirtual {
	x, y := a.vector(), b.vector()
	even, odd, shifted := on.vector(), on.vector(), on.vector()
	VPMULLW(y, x, even)
	VPSRLW(Imm(8), y, shifted)
	and(on, p.op(highBytes), x, odd)
	VPMULLW(shifted, odd, odd)
	and(on, p.op(lowBytes), even, even)
	or(on, odd, even, even)
	return even
}

// product64 is VPMULLQ where there is one; otherwise low·low + (low·high + high·low)·2³².
func product64(on ISA, _ *pool, a, b block) reg.VecVirtual {
	r := on.vector()
	if on.masks {
		VPMULLQ(b.op(), a.vector(), r)
		return r
	}
	x, y := a.vector(), b.vector()
	cross, other := on.vector(), on.vector()
	VPSHUFD(Imm(0xb1), y, cross)
	VPMULLD(x, cross, cross)
	VPSRLQ(Imm(32), cross, other)
	VPADDD(other, cross, cross)
	VPSLLQ(Imm(32), cross, cross)
	VPMULUDQ(y, x, r)
	VPADDQ(cross, r, r)
	return r
}

func extremes(bits string, size int) []Reduction {
	if size == 8 {
		return extremes64()
	}
	i := size / 2
	return []Reduction{
		simple("max"+bits, size, "max(a[i], b[i])", []three{VPMAXSB, VPMAXSW, VPMAXSD}[i]),
		simple("min"+bits, size, "min(a[i], b[i])", []three{VPMINSB, VPMINSW, VPMINSD}[i]),
		simple("maxUi"+bits[1:], size, "max(a[i], b[i])", []three{VPMAXUB, VPMAXUW, VPMAXUD}[i]),
		simple("minUi"+bits[1:], size, "min(a[i], b[i])", []three{VPMINUB, VPMINUW, VPMINUD}[i]),
	}
}

var sign64 = bytes8(1 << 63)

// extremes64 are instructions of AVX-512; AVX2 has but a comparison of signed numbers.
func extremes64() (rs []Reduction) {
	for _, e := range []struct {
		name             string
		unsigned, isLess bool
		instruction      three
	}{
		{"maxInt64", false, false, VPMAXSQ}, {"minInt64", false, true, VPMINSQ},
		{"maxUint64", true, false, VPMAXUQ}, {"minUint64", true, true, VPMINUQ},
	} {
		r := simple(e.name, 8, e.name[:3]+"(a[i], b[i])", e.instruction)
		r.Wide = instructions
		direct := r.operate
		r.operate = func(on ISA, p *pool, a, b block) reg.VecVirtual {
			if on.masks {
				return direct(on, p, a, b)
			}
			x, y := a.vector(), b.vector()
			p1, q1 := x, y
			if e.unsigned {
				p1, q1 = YMM(), YMM()
				VPXOR(p.op(sign64), x, p1)
				VPXOR(p.op(sign64), y, q1)
			}
			greater, r := YMM(), YMM()
			VPCMPGTQ(q1, p1, greater) // a > b
			if e.isLess {
				VBLENDVPD(greater, y, x, r)
			} else {
				VBLENDVPD(greater, x, y, r)
			}
			return r
		}
		rs = append(rs, r)
	}
	return rs
}

// bitwise are those for which the size of an element does not matter.
func bitwise() (rs []Reduction) {
	for _, o := range []struct {
		name, sign string
		do         func(on ISA, x Op, y, to Op)
	}{{"and", "&", and}, {"or", "|", or}, {"xor", "^", xor}} {
		rs = append(rs, Reduction{Name: o.name + "Bits", Size: 1, Loop: "a[i] " + o.sign + " b[i]",
			operate: func(on ISA, _ *pool, a, b block) reg.VecVirtual {
				r := on.vector()
				o.do(on, b.op(), a.vector(), r)
				return r
			}})
	}
	return rs
}

// logical are the operators on truth values: min(x, 1) of an unsigned number says whether it is not 0.
func logical(bits string, size int) (rs []Reduction) {
	one, wide := constant{size, 1}, nothing
	if size == 8 {
		wide = instructions
	}
	truth := func(on ISA, p *pool, x reg.VecVirtual) reg.VecVirtual {
		r := on.vector()
		if size == 8 && !on.masks { // there is no VPMINUQ
			VPXOR(r, r, r)
			VPCMPEQQ(r, x, r)
			VPANDN(p.op(one), r, r)
		} else {
			[]three{VPMINUB, VPMINUW, VPMINUD, nil, VPMINUQ}[size/2](p.op(one), x, r)
		}
		return r
	}
	apart := func(do func(on ISA, x, y, to Op)) func(on ISA, p *pool, a, b block) reg.VecVirtual {
		return func(on ISA, p *pool, a, b block) reg.VecVirtual {
			x, y := truth(on, p, a.vector()), truth(on, p, b.vector())
			do(on, y, x, x)
			return x
		}
	}
	return []Reduction{
		{Name: "logicalAnd" + bits, Size: size, Loop: "truth(a[i] != 0 && b[i] != 0)", Constants: []constant{one}, Wide: wide, operate: apart(and)},
		{Name: "logicalXor" + bits, Size: size, Loop: "truth((a[i] != 0) != (b[i] != 0))", Constants: []constant{one}, Wide: wide, operate: apart(xor)},
		{Name: "logicalOr" + bits, Size: size, Loop: "truth(a[i] | b[i] != 0)", Constants: []constant{one}, Wide: wide,
			operate: func(on ISA, p *pool, a, b block) reg.VecVirtual {
				r := on.vector()
				or(on, b.op(), a.vector(), r)
				return truth(on, p, r)
			}},
	}
}

func and(on ISA, x, y, to Op) {
	if on.masks {
		VPANDQ(x, y, to)
	} else {
		VPAND(x, y, to)
	}
}

func or(on ISA, x, y, to Op) {
	if on.masks {
		VPORQ(x, y, to)
	} else {
		VPOR(x, y, to)
	}
}

func xor(on ISA, x, y, to Op) {
	if on.masks {
		VPXORQ(x, y, to)
	} else {
		VPXOR(x, y, to)
	}
}
