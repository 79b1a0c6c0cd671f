package schedule

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A constant is a number that all elements of a vector hold.
type constant struct {
	size int // bytes of an element: 1, 2, 4 or 8
	bits uint64
}

func bytes1(bits uint8) constant  { return constant{1, uint64(bits)} }
func bytes2(bits uint16) constant { return constant{2, uint64(bits)} }
func bytes4(bits uint32) constant { return constant{4, uint64(bits)} }
func bytes8(bits uint64) constant { return constant{8, bits} }

// data are the constants in the file that is being made, by name.
var data = map[string]Mem{}

// inData returns where count elements of c lie one after the other.
func (c constant) inData(count int) Mem {
	name := fmt.Sprintf("all%d_%0*x_%d", 8*c.size, 2*c.size, c.bits, count)
	if m, ok := data[name]; ok {
		return m
	}
	m := GLOBL(name, RODATA|NOPTR)
	for i := range count {
		switch c.size {
		case 1:
			DATA(i, U8(c.bits))
		case 2:
			DATA(2*i, U16(c.bits))
		case 4:
			DATA(4*i, U32(c.bits))
		case 8:
			DATA(8*i, U64(c.bits))
		}
	}
	data[name] = m
	return m
}

// A pool is the constants of one function.
// AVX-512 has the registers to keep them in: they are loaded at the start. AVX2 has not, but takes them from memory in the instruction that needs them.
// It also keeps what is to be emitted behind the function's end.
type pool struct {
	on       ISA
	loaded   map[constant]reg.VecVirtual
	deferred []func()
}

// rarely emits code behind the function's end, and at it the return to here; the caller jumps to the label that it gets.
func (p *pool) rarely(code func()) (label string) {
	label = fmt.Sprint("rare", len(p.deferred))
	p.deferred = append(p.deferred, func() {
		Label(label)
		code()
		JMP(LabelRef(label + "Done"))
	})
	return label
}

func (p *pool) emitDeferred() {
	for _, emit := range p.deferred {
		emit()
	}
}

// newPool loads what the function says that it needs. To ask for anything else is a mistake of the generator.
func newPool(on ISA, constants []constant) *pool {
	p := &pool{on: on, loaded: map[constant]reg.VecVirtual{}}
	if !on.masks {
		return p
	}
	for _, c := range constants {
		r, m := on.vector(), c.inData(1)
		switch c.size {
		case 1:
			VPBROADCASTB(m, r)
		case 2:
			VPBROADCASTW(m, r)
		case 4:
			VPBROADCASTD(m, r)
		case 8:
			VPBROADCASTQ(m, r)
		}
		p.loaded[c] = r
	}
	return p
}

// op is the constant as the operand that may lie in memory.
func (p *pool) op(c constant) Op {
	if p.on.masks {
		return p.vector(c)
	}
	return c.inData(p.on.width / c.size)
}

// vector is the constant in a register, not to be written to.
func (p *pool) vector(c constant) reg.VecVirtual {
	if p.on.masks {
		r, ok := p.loaded[c]
		if !ok {
			panic(fmt.Sprintf("the constant %+v is not among those that the kernel declares", c))
		}
		return r
	}
	r := YMM()
	VMOVDQU(c.inData(p.on.width/c.size), r)
	return r
}
