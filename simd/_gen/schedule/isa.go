// Package schedule says how the kernels of package simd are scheduled. [Reduction.Emit] is the largest of them; what an operator does with two vectors is in the files named after the types.
package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An ISA is what the schedules need to know of an instruction set.
type ISA struct {
	Name  string
	width int  // bytes of a vector
	masks bool // AVX-512: comparisons give masks, and instructions that take three operands are others
}

// The instruction sets that there are kernels for.
var (
	AVX2   = ISA{"AVX2", 32, false}
	AVX512 = ISA{"AVX512", 64, true}

	// avx512Short are the instructions of AVX-512 on the vectors of AVX2.
	// Where memory is what limits a kernel these did better on an AMD EPYC of family 25 (Zen 4): a sum of float32 82 GB/s with vectors of 32 bytes and 63 with 64 on 8 KiB, 33.1 and 31.9 on 1 MiB.
	avx512Short = ISA{"AVX512", 32, true}
)

// vector returns a new register of the full width.
func (on ISA) vector() reg.VecVirtual {
	if on.width == 64 {
		return ZMM()
	}
	return YMM()
}

// pointer loads the pointer argument of that name.
func pointer(name string) reg.GPVirtual { return Load(Param(name), GP64()).(reg.GPVirtual) }

// destinations loads the pointers to the one or two destinations.
func destinations(count int) []reg.GPVirtual {
	ds := []reg.GPVirtual{pointer("dst")}
	if count == 2 {
		ds = append(ds, pointer("dst2"))
	}
	return ds
}

// advance adds step to all pointers.
func advance(step Op, pointers ...reg.GPVirtual) {
	for _, p := range pointers {
		ADDQ(step, p)
	}
}

// forEach emits a loop that runs body for every whole step in n, a power of two, and leaves the rest in n and the pointers behind what was done.
// Body adds the index that it gets to the pointers.
func forEach(name string, step int, n reg.GPVirtual, pointers []reg.GPVirtual, body func(i reg.GPVirtual)) {
	i := GP64()
	MOVQ(n, i)
	ANDQ(I32(-step), i)
	JZ(LabelRef(name + "Done"))
	advance(i, pointers...)
	SUBQ(i, n)
	NEGQ(i)
	alignLoop()
	Label(name)
	body(i)
	ADDQ(size(step), i)
	JNZ(LabelRef(name))
	Label(name + "Done")
}

// alignLoop pads with no-ops, so that where a loop lies does not depend on the code before it.
func alignLoop() { Instruction(&ir.Instruction{Opcode: "PCALIGN", Operands: []Op{Imm(64)}}) }

// jumpTo continues in another function of the same signature; neither has a frame.
func jumpTo(name string) {
	target := Mem{Symbol: Symbol{Name: "·" + name}, Base: reg.StaticBase}
	Instruction(&ir.Instruction{Opcode: "JMP", Operands: []Op{target}, IsTerminal: true})
}

// toBoundary returns the bytes from p to the next multiple of width.
func toBoundary(p reg.GPVirtual, width int) reg.GPVirtual {
	h := GP64()
	MOVQ(p, h)
	NEGQ(h)
	ANDQ(size(width-1), h)
	return h
}

// at is the operand at disp bytes from p.
func at(p reg.GPVirtual, disp int) Mem { return Mem{Base: p, Disp: disp} }

// atIndex is the operand at i + disp bytes from p.
func atIndex(p, i reg.GPVirtual, disp int) Mem { return Mem{Base: p, Index: i, Scale: 1, Disp: disp} }

// size is the shortest immediate operand for n bytes.
func size(n int) Op {
	if n < 128 {
		return U8(n)
	}
	return U32(n)
}
