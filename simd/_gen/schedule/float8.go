package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A layout says how an 8-bit float is rounded to; see the Go twin's.
type layout struct {
	mantissa, bias uint32
	top            uint32 // code of all that is too great
	nan            uint32
}

const (
	float32Mantissa = 23
	float32Bias     = 127
)

var (
	magnitude32 = bytes4(0x7fffffff)
	sign8       = bytes4(0x80)
)

// Some numbers of a layout, as the Go twin computes them.
func (l layout) shift() uint32 { return float32Mantissa - l.mantissa }

func (l layout) rebaseAndHalf() constant {
	return bytes4(1<<(l.shift()-1) - 1 - (float32Bias-l.bias)<<float32Mantissa)
}

func (l layout) quantum() constant {
	return bytes4((float32Bias + 1 - l.bias - l.mantissa + float32Mantissa) << float32Mantissa)
}

func (l layout) greatestSubnormal() constant {
	return bytes4((float32Bias+1-l.bias)<<float32Mantissa - 1)
}

func (l layout) needs() []constant {
	return []constant{magnitude32, one32, sign8, l.rebaseAndHalf(), l.quantum(), l.greatestSubnormal(), bytes4(l.top), bytes4(l.nan)}
}

// code turns each float32 into the code of the layout, as a dword.
func (l layout) code(on ISA, p *pool, w reg.VecVirtual) reg.VecVirtual {
	magnitude, odd, m, sub, sign := on.vector(), on.vector(), on.vector(), on.vector(), on.vector()
	and4 := func(x, y, to Op) {
		if on.masks {
			VPANDD(x, y, to)
		} else {
			VPAND(x, y, to)
		}
	}
	and4(p.op(magnitude32), w, magnitude)
	VPSRLD(Imm(uint64(l.shift())), magnitude, odd)
	and4(p.op(one32), odd, odd)
	VPADDD(p.op(l.rebaseAndHalf()), magnitude, m)
	VPADDD(odd, m, m)
	VPSRLD(Imm(uint64(l.shift())), m, m)
	VADDPS(p.op(l.quantum()), magnitude, sub)
	VPSUBD(p.op(l.quantum()), sub, sub)
	VPSRLD(Imm(24), w, sign)
	if on.masks {
		const greater = 6
		normal, nan := K(), K()
		VPCMPUD(Imm(greater), p.vector(l.greatestSubnormal()), magnitude, normal)
		VMOVDQU32(m, normal, sub)
		VPMINUD(p.op(bytes4(l.top)), sub, sub)
		const orOfAnd = 0xf8 // sub | sign & sign8
		VPTERNLOGD(Imm(orOfAnd), p.vector(sign8), sign, sub)
		VCMPPS(Imm(unordered), w, w, nan)
		VMOVDQU32(p.vector(bytes4(l.nan)), nan, sub)
		return sub
	}
	VPCMPGTD(p.op(l.greatestSubnormal()), magnitude, magnitude)
	VBLENDVPS(magnitude, m, sub, m)
	VPMINUD(p.op(bytes4(l.top)), m, m)
	VPAND(p.op(sign8), sign, sign)
	VPOR(sign, m, m)
	VCMPPS(Imm(unordered), w, w, sub)
	VBLENDVPS(sub, p.op(bytes4(l.nan)), m, m)
	return m
}

// narrow is the one of narrowFloat.
func (l layout) narrow(on ISA, p *pool, wide []reg.VecVirtual) reg.VecVirtual {
	var codes []reg.VecVirtual
	for _, w := range wide {
		codes = append(codes, l.code(on, p, w))
	}
	r := YMM()
	if on.masks {
		VPMOVDB(codes[0], r.AsX())
		return r
	}
	words, high := YMM(), YMM()
	packDwords(codes[0], codes[1], words)
	VEXTRACTI128(Imm(1), words, high.AsX())
	VPACKUSWB(high.AsX(), words.AsX(), r.AsX())
	return r
}

// widen8 makes float16 of the codes by half, and float32 of that.
func widen8(half func(on ISA, p *pool, codes reg.VecVirtual)) func(on ISA, p *pool, b block, k int) []reg.VecVirtual {
	return func(on ISA, p *pool, b block, k int) []reg.VecVirtual {
		h := YMM()
		VPMOVZXBW(b.part(k, 16), h)
		half(on, p, h)
		if on.masks {
			w := ZMM()
			VCVTPH2PS(h, w)
			return []reg.VecVirtual{w}
		}
		low, high := YMM(), YMM()
		VCVTPH2PS(h.AsX(), low)
		VEXTRACTI128(Imm(1), h, h.AsX())
		VCVTPH2PS(h.AsX(), high)
		return []reg.VecVirtual{low, high}
	}
}

var layoutE5M2 = layout{mantissa: 2, bias: 15, top: 0x7c, nan: 0x7e}

// An E5M2 is the upper half of a float16.
var float8E5M2 = &narrowFloat{
	name: "Float8E5M2", size: 1, top: 0x7c, quiet: 0x02,
	narrowNeeds: layoutE5M2.needs(),
	narrow:      layoutE5M2.narrow,
	widen:       widen8(func(_ ISA, _ *pool, codes reg.VecVirtual) { VPSLLW(Imm(8), codes, codes) }),
}

var (
	layoutE4M3 = layout{mantissa: 3, bias: 7, top: 0x7f, nan: 0x7f}

	rebaseE4M3   = bytes4(0x43800000) // 2⁸, as float32
	exponentE4M3 = bytes2(0xbfff)
	signE4M3     = bytes2(0x0080)
	nanE4M3      = bytes2(0x00ff)
	nanFloat16   = bytes2(0x7e00)
)

// The bits of an E4M3, its exponent widened to five bits, are a float16 of 2⁻⁸ times the value, subnormal numbers included. NaN is the exception.
var float8E4M3 = &narrowFloat{
	name: "Float8E4M3", size: 1, top: 0x7e,
	widenNeeds:  []constant{rebaseE4M3, exponentE4M3, signE4M3, nanE4M3, nanFloat16},
	narrowNeeds: layoutE4M3.needs(),
	narrow:      layoutE4M3.narrow,
	widen: func(on ISA, p *pool, b block, k int) []reg.VecVirtual {
		wide := widen8(halfE4M3)(on, p, b, k)
		for _, w := range wide {
			VMULPS(p.op(rebaseE4M3), w, w)
		}
		return wide
	},
}

func halfE4M3(on ISA, p *pool, codes reg.VecVirtual) {
	nan := YMM()
	if on.masks {
		isNaN := K()
		VPORD(p.vector(signE4M3).AsY(), codes, nan)
		VPCMPEQW(p.vector(nanE4M3).AsY(), nan, isNaN)
		VPSLLW(Imm(8), codes, codes)
		VPSRAW(Imm(1), codes, codes)
		VPANDD(p.vector(exponentE4M3).AsY(), codes, codes)
		VPORD(p.vector(nanFloat16).AsY(), codes, nan)
		VMOVDQU16(nan, isNaN, codes)
		return
	}
	VPOR(p.op(signE4M3), codes, nan)
	VPCMPEQW(p.op(nanE4M3), nan, nan)
	VPAND(p.op(nanFloat16), nan, nan)
	VPSLLW(Imm(8), codes, codes)
	VPSRAW(Imm(1), codes, codes)
	VPAND(p.op(exponentE4M3), codes, codes)
	VPOR(nan, codes, codes)
}
