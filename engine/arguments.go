package engine

import (
	"unsafe"

	"hcomm/plan"
	"hcomm/simd"
)

// addresses bounds what a process can address on any 64-bit Linux.
const addresses = 1 << 57

// arguments are those of a collective, as the caller gave them.
type arguments struct {
	send, recv unsafe.Pointer
	count      uint64 // elements of a block
	t          simd.Type
	op         simd.Op // of a reduction
	root       int     // of a rooted collective
}

// buffers are the arguments' memory.
type buffers struct {
	input, output []byte
	inPlace       bool
}

// check applies the rules that all collectives have for their arguments.
func (a *arguments) check(c *Comm, k plan.Collective) (buffers, *Error) {
	if k.Rooted() && (a.root < 0 || a.root >= c.Size()) {
		return buffers{}, badArgument("root", "root is %d, but the communicator has ranks 0 to %d", a.root, c.Size()-1)
	}
	if !a.t.Valid() {
		return buffers{}, badArgument("datatype", "datatype is %d, which is none of hcommDataType_t", a.t)
	}
	size := uint64(a.t.Size())
	shape := k.Shape(c.role(a.root))
	if a.count > addresses/size/uint64(shape.Blocks) {
		return buffers{}, badArgument("count", "count is %d (as a signed number %d): so many %s%s are more bytes than can be addressed",
			a.count, int64(a.count), a.t, forEach(shape.Blocks))
	}
	b, e := a.memory(c, shape, a.count*size)
	if e == nil && k.Reduces() {
		e = checkOp(a.t, a.op)
	}
	return b, e
}

func forEach(blocks int) string {
	if blocks == 1 {
		return ""
	}
	return " for each rank"
}

// memory checks the two buffers, of blocks of this many bytes.
func (a *arguments) memory(c *Comm, shape plan.Shape, block uint64) (b buffers, e *Error) {
	if block == 0 {
		return b, nil
	}
	in, e := a.place("sendbuff", a.send, size(shape, shape.Input, block))
	if e != nil {
		return b, e
	}
	out, e := a.place("recvbuff", a.recv, size(shape, shape.Output, block))
	if e != nil {
		return b, e
	}
	b = buffers{input: in, output: out}
	if len(in) == 0 || len(out) == 0 {
		return b, nil
	}
	var inAt, outAt uint64 // of the block that both hold
	own := uint64(c.rank) * block
	switch {
	case shape.Input == plan.Own && shape.Output == plan.All:
		outAt = own
	case shape.Input == plan.All && shape.Output == plan.Own:
		inAt = own
	}
	s, r := uint64(uintptr(a.send)), uint64(uintptr(a.recv))
	b.inPlace = s+inAt == r+outAt
	if !b.inPlace && s < r+uint64(len(out)) && r < s+uint64(len(in)) {
		return b, badArgument("recvbuff", "recvbuff (%p, %d bytes) overlaps sendbuff (%p, %d bytes): they must be apart, or in place: %s",
			a.recv, len(out), a.send, len(in), inPlaceRule(shape))
	}
	return b, nil
}

func inPlaceRule(shape plan.Shape) string {
	switch {
	case shape.Input == plan.Own && shape.Output == plan.All:
		return "sendbuff = recvbuff + rank*count elements, where count is that of one block"
	case shape.Input == plan.All && shape.Output == plan.Own:
		return "recvbuff = sendbuff + rank*count elements, where count is that of one block"
	}
	return "equal"
}

// size is how long a buffer of this extent is.
func size(shape plan.Shape, e plan.Extent, block uint64) uint64 {
	switch e {
	case plan.Own:
		return block
	case plan.All:
		return block * uint64(shape.Blocks)
	}
	return 0
}

// place is the n bytes at p.
func (a *arguments) place(name string, p unsafe.Pointer, n uint64) ([]byte, *Error) {
	if n == 0 {
		return nil, nil
	}
	if p == nil {
		return nil, badArgument(name, "%s is NULL, but count is %d: only a count of 0 allows it", name, a.count)
	}
	if uint64(uintptr(p)) > addresses-n {
		return nil, badArgument(name, "%s is %p, and %d bytes from there run over the end of the address space", name, p, n)
	}
	return view(p, n), nil
}

func checkOp(t simd.Type, op simd.Op) *Error {
	if !op.Valid() {
		return badArgument("op", "op is %d, which is none of hcommRedOp_t", op)
	}
	if op == simd.Avg {
		return nil
	}
	if simd.KernelFor(t, op) == nil {
		return badArgument("op", "op is %s, which is for integers only, but datatype is %s", op, t)
	}
	return nil
}
