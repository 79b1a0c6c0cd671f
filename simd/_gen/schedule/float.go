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
	or, andNot, compare     three
	inOneStep               three // VRANGE
	signs                   func(x, to Op)
}

var wideFloats = []wideFloat{
	{"Float32", 4, VADDPS, VMULPS, VMAXPS, VMINPS, VANDPS, VORPS, VANDNPS, VCMPPS, VRANGEPS, VMOVMSKPS},
	{"Float64", 8, VADDPD, VMULPD, VMAXPD, VMINPD, VANDPD, VORPD, VANDNPD, VCMPPD, VRANGEPD, VMOVMSKPD},
}

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
		operate: func(on ISA, p *pool, a, b block) reg.VecVirtual {
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
			r, other, nan, bits := YMM(), YMM(), YMM(), GP32()
			// VMAXPS returns its second operand for zeros of either sign: both orders, and the AND of both is -0 only if both are; for VMINPS it is the OR.
			numbers := func() {
				instruction(y, x, r)
				instruction(x, y, other)
				combineZeros(other, r, r)
			}
			label := p.rarely(func() {
				// A program may trap exceptions: so the sum is one of NaNs only, and the rest, with zeros in their place, of numbers.
				sum := YMM()
				f.and(nan, x, sum)
				f.and(nan, y, other)
				f.add(other, sum, sum)
				f.andNot(x, nan, x)
				f.andNot(y, nan, y)
				numbers()
				f.or(sum, r, r)
			})
			f.compare(Imm(unordered), y, x, nan)
			f.signs(nan, bits)
			TESTL(bits, bits)
			JNZ(LabelRef(label))
			numbers()
			Label(label + "Done")
			return r
		},
	}
}
