package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An Operator works on elements of float32.
type Operator struct {
	verb string
	loop string // what the loop does with an element
	note string
	// emit returns a op b; vectors are as wide as those that it gets.
	emit func(on ISA, vector func() reg.VecVirtual, a, b reg.VecVirtual) reg.VecVirtual
}

// Sum is +.
var Sum = Operator{
	verb: "sum",
	loop: "a[i] + b[i]",
	note: "Each sum is rounded to nearest even.",
	emit: func(_ ISA, vector func() reg.VecVirtual, a, b reg.VecVirtual) reg.VecVirtual {
		r := vector()
		VADDPS(b, a, r)
		return r
	},
}

// Maximum is the maximum of IEEE 754-2019.
var Maximum = Operator{
	verb: "max",
	loop: "maximum(a[i], b[i])",
	note: "The maximum is that of IEEE 754-2019: -0 < +0, and NaN wins; of two that of a, made quiet.",
	emit: func(on ISA, vector func() reg.VecVirtual, a, b reg.VecVirtual) reg.VecVirtual {
		// Where an operand is NaN, a + b is the NaN that is wanted: the processor returns the first one, made quiet.
		const unordered = 3
		if on == AVX512 {
			const ofComparison = 1<<2 | 1 // maximum, with the sign it has by itself; -0 < +0, but a number is preferred to a NaN
			nan, r := K(), vector()
			VCMPPS(Imm(unordered), b, a, nan)
			VRANGEPS(Imm(ofComparison), b, a, r)
			VADDPS(b, a, nan, r)
			return r
		}
		// VMAXPS returns its second operand for zeros of either sign: both orders, and the AND of both is -0 only if both are.
		r, s, nan := vector(), vector(), vector()
		VMAXPS(b, a, r)
		VMAXPS(a, b, s)
		VCMPPS(Imm(unordered), b, a, nan)
		VANDPS(s, r, r)
		VADDPS(b, a, s)
		VBLENDVPS(nan, s, r, r)
		return r
	},
}

const (
	element = 4 // bytes

	// Bytes in one turn of the main loop: a cache line.
	// Turns of four lines were 15 % slower on 64 KiB on an AMD EPYC of family 25 (Zen 4), and no faster on 4 KiB: there the prefetcher follows each load instruction, and does so best when it steps by one line.
	turn = 64

	// From this many bytes on, elements are done singly, or under a mask, until dst is aligned to a vector.
	// Stores that straddle lines took 1.4 times as long on 4 KiB (same machine).
	alignFrom = 512
)

// Reduce writes the kernel of o with the given number of destinations.
func Reduce(on ISA, o Operator, dsts int) {
	name, params, target := o.verb+"Float32"+on.name, "dst, a, b *byte, n int", "dst[i]"
	if dsts == 2 {
		name, params, target = o.verb+"2Float32"+on.name, "dst, dst2, a, b *byte, n int", "dst[i], dst2[i]"
	}
	TEXT(name, NOSPLIT, "func("+params+")")
	Doc(name+" reduces float32 elements in n bytes, n > 0:", "",
		"\tfor i := range n / 4 { "+target+" = "+o.loop+" }", "", o.note)
	Pragma("noescape")
	ds := destinations(dsts)
	a, b, n := pointer("a"), pointer("b"), Load(Param("n"), GP64()).(reg.GPVirtual)

	CMPQ(n, size(alignFrom))
	JB(LabelRef("aligned"))
	h := toBoundary(ds[0], on.width)
	JZ(LabelRef("aligned"))
	TESTQ(U32(element-1), h)
	JNZ(LabelRef("aligned"))
	SUBQ(h, n)
	reducePart("head", on, o, ds, a, b, h)
	Label("aligned")

	reduceVectors("main", turn/on.width, on, o, ds, a, b, n)
	if on.width < turn {
		reduceVectors("rest", 1, on, o, ds, a, b, n)
	}

	TESTQ(n, n)
	JZ(LabelRef("done"))
	reducePart("tail", on, o, ds, a, b, n)
	Label("done")
	VZEROUPPER()
	RET()
}

// reduceVectors does count vectors at a time, as often as they fit in n.
func reduceVectors(name string, count int, on ISA, o Operator, ds []reg.GPVirtual, a, b, n reg.GPVirtual) {
	forEach(name, count*on.width, n, append([]reg.GPVirtual{a, b}, ds...), func(i reg.GPVirtual) {
		rs := make([]reg.VecVirtual, count)
		for k := range rs {
			x, y := on.vector(), on.vector()
			VMOVUPS(atIndex(a, i, k*on.width), x)
			VMOVUPS(atIndex(b, i, k*on.width), y)
			rs[k] = o.emit(on, on.vector, x, y)
		}
		for k, r := range rs {
			for _, d := range ds {
				VMOVUPS(r, atIndex(d, i, k*on.width))
			}
		}
	})
}

// reducePart does n bytes, fewer than a vector and not 0, and moves the pointers behind them.
func reducePart(name string, on ISA, o Operator, ds []reg.GPVirtual, a, b, n reg.GPVirtual) {
	if on == AVX512 {
		reduceMasked(o, ds, a, b, n)
	} else {
		reduceSingly(name, o, ds, a, b, n)
	}
}

// reduceMasked is reducePart for AVX-512.
func reduceMasked(o Operator, ds []reg.GPVirtual, a, b, n reg.GPVirtual) {
	elements, bits, mask := GP64(), GP64(), K()
	MOVQ(n, elements)
	SHRQ(Imm(2), elements)
	MOVQ(I32(-1), bits)
	BZHIQ(elements, bits, bits)
	KMOVW(bits.As32(), mask)
	x, y := ZMM(), ZMM()
	VMOVUPS_Z(at(a, 0), mask, x)
	VMOVUPS_Z(at(b, 0), mask, y)
	r := o.emit(AVX512, ZMM, x, y)
	for _, d := range ds {
		VMOVUPS(r, mask, at(d, 0))
	}
	advance(n, append([]reg.GPVirtual{a, b}, ds...)...)
}

// reduceSingly is reducePart for AVX2.
func reduceSingly(name string, o Operator, ds []reg.GPVirtual, a, b, n reg.GPVirtual) {
	Label(name)
	x, y := XMM(), XMM()
	VMOVSS(at(a, 0), x)
	VMOVSS(at(b, 0), y)
	r := o.emit(AVX2, XMM, x, y)
	for _, d := range ds {
		VMOVSS(r, at(d, 0))
	}
	advance(Imm(element), append([]reg.GPVirtual{a, b}, ds...)...)
	SUBQ(Imm(element), n)
	JNZ(LabelRef(name))
}
