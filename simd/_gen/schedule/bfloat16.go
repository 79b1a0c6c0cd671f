package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

var (
	one32       = bytes4(1)
	belowHalf16 = bytes4(0x7fff)
	bit16       = bytes4(0x10000)
	highHalf    = bytes4(0xffff0000)
	pairNeeds   = []constant{quietFloat32, one32, belowHalf16, bit16, highHalf}
)

// The processors' own conversion (VCVTNE2PS2BF16) takes subnormal numbers for zero; so rounding is done on integers.
var bfloat16 = &narrowFloat{
	name: "BFloat16", size: 2, top: 0x7f80, quiet: 0x0040,
	narrowNeeds: []constant{quietFloat32, one32, belowHalf16, bit16},
	widen: func(on ISA, _ *pool, b block, k int) (wide []reg.VecVirtual) {
		half := on.width / 2
		for i := range 32 / half {
			r := on.vector()
			VPMOVZXWD(b.part(k*32/half+i, half), r)
			VPSLLD(Imm(16), r, r)
			wide = append(wide, r)
		}
		return wide
	},
	narrow: func(on ISA, p *pool, wide []reg.VecVirtual) reg.VecVirtual {
		plainNaN(on, p, wide...)
		for _, w := range wide {
			roundUpper(on, p, w)
			VPSRLD(Imm(16), w, w)
		}
		r := YMM()
		if on.masks {
			VPMOVDW(wide[0], r)
			return r
		}
		packDwords(wide[0], wide[1], r)
		return r
	},
}

// roundUpper rounds to the upper half of each float32, which is no NaN, and leaves anything in the lower one.
func roundUpper(on ISA, p *pool, w reg.VecVirtual) {
	if on.masks {
		odd := K()
		VPTESTMD(p.op(bit16), w, odd)
		VPADDD(p.op(belowHalf16), w, w)
		VPADDD(p.op(one32), w, odd, w)
		return
	}
	odd := YMM()
	VPSRLD(Imm(16), w, odd)
	VPAND(p.op(one32), odd, odd)
	VPADDD(p.op(belowHalf16), w, w)
	VPADDD(odd, w, w)
}

// packDwords makes words of dwords, that are below 2¹⁶, in their order.
func packDwords(low, high, to reg.VecVirtual) {
	VPACKUSDW(high, low, to)
	VPERMQ(Imm(0xd8), to, to)
}

// bfloat16Pairs computes the elements with even and odd numbers apart: as float32 they lie where they are.
func bfloat16Pairs(on ISA, p *pool, a, b block, instruction three) reg.VecVirtual {
	x, y := a.vector(), b.vector()
	even, other := on.vector(), on.vector()
	VPSLLD(Imm(16), x, even)
	VPSLLD(Imm(16), y, other)
	instruction(other, even, even)
	odd := on.vector()
	if on.masks {
		VPANDD(p.op(highHalf), x, odd)
		VPANDD(p.op(highHalf), y, other)
	} else {
		VPAND(p.op(highHalf), x, odd)
		VPAND(p.op(highHalf), y, other)
	}
	instruction(other, odd, odd)
	plainNaN(on, p, even, odd)
	roundUpper(on, p, even)
	roundUpper(on, p, odd)
	VPSRLD(Imm(16), even, even)
	if on.masks {
		const orOfAnd = 0xf8 // even | odd & highHalf
		VPTERNLOGD(Imm(orOfAnd), p.vector(highHalf), odd, even)
		return even
	}
	VPBLENDW(Imm(0xaa), odd, even, even)
	return even
}
