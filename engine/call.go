package engine

import (
	"unsafe"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// The collectives. count is always the elements of one block: of the whole buffer, or where it has a block for each rank,
// of one of those. In place means that the blocks that send and recv have in common are the same memory: equal addresses,
// or where one of them holds a rank's own block only, that block's address.

// Collective makes the call of any of them; what one does not have is not read.
func (c *Comm) Collective(k plan.Collective, send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op, root int) error {
	return c.collective(k, arguments{send: send, recv: recv, count: count, t: t, op: op, root: root})
}

// AllReduce stores in recv the reduction of all ranks' send.
func (c *Comm) AllReduce(send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op) error {
	return c.collective(plan.AllReduce, arguments{send: send, recv: recv, count: count, t: t, op: op})
}

// Reduce stores in the root's recv the reduction of all ranks' send.
func (c *Comm) Reduce(send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op, root int) error {
	return c.collective(plan.Reduce, arguments{send: send, recv: recv, count: count, t: t, op: op, root: root})
}

// ReduceScatter stores in recv the reduction of all ranks' block of this rank's number.
func (c *Comm) ReduceScatter(send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op) error {
	return c.collective(plan.ReduceScatter, arguments{send: send, recv: recv, count: count, t: t, op: op})
}

// ReduceScatterInFront is ReduceScatter in place as MPI has it: the result is at the start of the input.
func (c *Comm) ReduceScatterInFront(buf unsafe.Pointer, count uint64, t simd.Type, op simd.Op) error {
	if buf == nil || !t.Valid() || count > addresses/uint64(t.Size()*c.Size()) {
		return c.ReduceScatter(buf, buf, count, t, op) // which says what is wrong
	}
	block := count * uint64(t.Size())
	own := unsafe.Add(buf, uint64(c.rank)*block)
	err := c.ReduceScatter(buf, own, count, t, op)
	if err == nil && c.rank > 0 {
		simd.Copy(view(buf, block), view(own, block))
	}
	return err
}

// Broadcast stores root's send in every rank's recv.
func (c *Comm) Broadcast(send, recv unsafe.Pointer, count uint64, t simd.Type, root int) error {
	return c.collective(plan.Broadcast, arguments{send: send, recv: recv, count: count, t: t, root: root})
}

// AllGather stores all ranks' send in recv, in the order of ranks.
func (c *Comm) AllGather(send, recv unsafe.Pointer, count uint64, t simd.Type) error {
	return c.collective(plan.AllGather, arguments{send: send, recv: recv, count: count, t: t})
}

// AlltoAll stores in block q of recv the block of this rank's number of rank q's send.
func (c *Comm) AlltoAll(send, recv unsafe.Pointer, count uint64, t simd.Type) error {
	return c.collective(plan.AlltoAll, arguments{send: send, recv: recv, count: count, t: t})
}

// Gather stores all ranks' send in the root's recv, in the order of ranks.
func (c *Comm) Gather(send, recv unsafe.Pointer, count uint64, t simd.Type, root int) error {
	return c.collective(plan.Gather, arguments{send: send, recv: recv, count: count, t: t, root: root})
}

// Scatter stores in recv the block of this rank's number of the root's send.
func (c *Comm) Scatter(send, recv unsafe.Pointer, count uint64, t simd.Type, root int) error {
	return c.collective(plan.Scatter, arguments{send: send, recv: recv, count: count, t: t, root: root})
}

// Barrier returns when every rank has called it.
func (c *Comm) Barrier() error { return c.barrierAs(0) }

// Finalize is a barrier that a rank which calls something else is told of by this name.
func (c *Comm) Finalize() error { return c.barrierAs(finalize) }

// finalize stands in a barrier's signature where a reduction has its operator.
const finalize = 1

func (c *Comm) barrierAs(what simd.Op) error {
	return c.collective(plan.Barrier, arguments{t: simd.Int8, op: what})
}

// collective checks the arguments and runs the call on the caller's thread.
func (c *Comm) collective(k plan.Collective, a arguments) error {
	b, e := a.check(c, k)
	if e != nil {
		return e
	}
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	if len(c.queue) == 0 {
		p, what := c.prepare(k, &a, b)
		e = c.run(p, a.header(k), what)
	} else {
		e = c.inLine(&task{comm: c, work: Work{collective: k, arguments: a}, buffers: b})
	}
	returned = true
	return c.done(e)
}

// prepare finds the program of a call whose arguments were checked.
func (c *Comm) prepare(k plan.Collective, a *arguments, b buffers) (*plan.Program, call) {
	p, kernels, slice := c.choose(k, a, b.inPlace)
	return p, call{input: b.input, output: b.output, count: a.count, shape: k.Shape(c.role(a.root)), kernels: kernels, most: slice}
}

// header is what all ranks must agree on.
func (a *arguments) header(k plan.Collective) link.Header {
	op := a.op
	if !k.Reduces() && k != plan.Barrier && op < forSplit {
		op = 0
	}
	return link.Header{Count: a.count, Signature: link.Sign(uint8(k), uint8(op), uint8(a.t), a.root)}
}

func (c *Comm) role(root int) plan.Role {
	return plan.Role{Rank: c.rank, Ranks: c.Size(), Root: root}
}

// done ends a call: a typed nil must not become an error.
func (c *Comm) done(e *Error) error {
	c.leave()
	if e == nil {
		return nil
	}
	return e
}
