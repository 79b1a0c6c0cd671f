package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A block is a vector of elements, in memory or in a register.
type block struct {
	on  ISA
	mem *Mem
	reg reg.VecVirtual
}

func inMemory(on ISA, m Mem) block { return block{on: on, mem: &m} }

func inRegister(on ISA, r reg.VecVirtual) block { return block{on: on, reg: r} }

// op is the block as an operand of an instruction that takes memory too.
func (b block) op() Op {
	if b.mem != nil {
		return *b.mem
	}
	return b.reg
}

// vector is the block in a register.
func (b block) vector() reg.VecVirtual {
	if b.mem == nil {
		return b.reg
	}
	r := b.on.vector()
	move(b.on, *b.mem, r)
	return r
}

// part is the k-th part of the block, of 16 or 32 bytes and smaller than it.
func (b block) part(k, bytes int) Op {
	if b.mem != nil {
		m := *b.mem
		m.Disp += k * bytes
		return m
	}
	switch {
	case bytes == 16 && k == 0:
		return b.reg.AsX()
	case bytes == 16:
		x := XMM()
		VEXTRACTI128(Imm(uint64(k)), b.reg.AsY(), x)
		return x
	case k == 0:
		return b.reg.AsY()
	}
	y := YMM()
	VEXTRACTI64X4(Imm(uint64(k)), b.reg.AsZ(), y)
	return y
}

// join puts the halves of a vector together.
func join(on ISA, low, high reg.VecVirtual) reg.VecVirtual {
	r := on.vector()
	if on.width == 64 {
		VINSERTI64X4(Imm(1), high.AsY(), low.AsZ(), r)
	} else {
		VINSERTI128(Imm(1), high.AsX(), low.AsY(), r)
	}
	return r
}

// move is a load or store of a vector that may straddle any boundary.
func move(on ISA, from, to Op) {
	if on.masks {
		VMOVDQU64(from, to)
	} else {
		VMOVDQU(from, to)
	}
}
