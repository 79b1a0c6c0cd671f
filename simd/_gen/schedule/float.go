package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// wideFloat are the instructions of float32 or float64.
type wideFloat struct {
	name                    string
	size                    int
	add, mul, max, min, and three
	or, compare, choose     three
	inOneStep               three // VRANGE
}

var wideFloats = []wideFloat{
	{"Float32", 4, VADDPS, VMULPS, VMAXPS, VMINPS, VANDPS, VORPS, VCMPPS, fixed(VBLENDVPS), VRANGEPS},
	{"Float64", 8, VADDPD, VMULPD, VMAXPD, VMINPD, VANDPD, VORPD, VCMPPD, fixed(VBLENDVPD), VRANGEPD},
}

// fixed makes an instruction with a fixed number of operands like those with several forms.
func fixed(f func(a, b, c, d Op)) three { return func(o ...Op) { f(o[0], o[1], o[2], o[3]) } }

const unordered = 3 // predicate of VCMPPS: an operand is NaN

// WideFloats are the reductions of float32 and float64.
func WideFloats() (rs []Reduction) {
	const rounded = "Each result is rounded to nearest even."
	for _, f := range wideFloats {
		sum, prod := simple("sum"+f.name, f.size, "a[i] + b[i]", f.add), simple("prod"+f.name, f.size, "a[i] * b[i]", f.mul)
		sum.Note, prod.Note = rounded, rounded
		rs = append(rs, sum, prod, f.extreme("max", "maximum", 1, f.max, f.and), f.extreme("min", "minimum", 0, f.min, f.or))
	}
	return rs
}

// extreme is maximum or minimum of IEEE 754-2019.
func (f wideFloat) extreme(verb, loop string, ofRange uint64, instruction, combineZeros three) Reduction {
	return Reduction{
		Name: verb + f.name, Size: f.size, Loop: loop + "(a[i], b[i])", Wide: instructions,
		Note: "That of IEEE 754-2019: -0 < +0, and NaN wins; of two that of a, made quiet.",
		operate: func(on ISA, _ *pool, a, b block) reg.VecVirtual {
			x, y := a.vector(), b.vector()
			// Where an operand is NaN, a + b is the NaN that is wanted: the processor returns the first one, made quiet.
			if on.masks {
				const signOfComparison = 1 << 2 // -0 < +0; but a number is preferred to a NaN
				nan, r := K(), on.vector()
				f.compare(Imm(unordered), y, x, nan)
				f.inOneStep(Imm(signOfComparison|ofRange), y, x, r)
				f.add(y, x, nan, r)
				return r
			}
			// VMAXPS returns its second operand for zeros of either sign: both orders, and the AND of both is -0 only if both are; for VMINPS it is the OR.
			r, s, nan := YMM(), YMM(), YMM()
			instruction(y, x, r)
			instruction(x, y, s)
			f.compare(Imm(unordered), y, x, nan)
			combineZeros(s, r, r)
			f.add(y, x, s)
			f.choose(nan, s, r, r)
			return r
		},
	}
}
