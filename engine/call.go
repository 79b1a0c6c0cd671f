package engine

import (
	"unsafe"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// AllReduce stores in recv the reduction of all ranks' send: count elements of type t each. In place when they are the
// same address.
func (c *Comm) AllReduce(send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op) error {
	bytes, e := checkBuffers(send, recv, count, t)
	if e == nil {
		e = checkOp(t, op)
	}
	if e != nil {
		return e
	}
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	average := averageOf(t, op)
	header := link.Header{Count: count, Signature: link.Sign(uint8(plan.AllReduce), uint8(op), uint8(t), 0)}
	e = c.run(c.allReduce(bytes, average), header, call{
		input: view(send, bytes), output: view(recv, bytes), elements: count, kernels: kernelsFor(t, op, average),
	})
	returned = true
	return c.done(e)
}

// Broadcast stores root's send in every rank's recv: count elements of type t.
func (c *Comm) Broadcast(send, recv unsafe.Pointer, count uint64, t simd.Type, root int) error {
	if root < 0 || root >= c.Size() {
		return badArgument("root", "root is %d, but the communicator has ranks 0 to %d", root, c.Size()-1)
	}
	if c.rank != root {
		send = recv
	}
	bytes, e := checkBuffers(send, recv, count, t)
	if e != nil {
		return e
	}
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	header := link.Header{Count: count, Signature: link.Sign(uint8(plan.Broadcast), 0, uint8(t), root)}
	e = c.run(c.broadcast(root), header, call{
		input: view(send, bytes), output: view(recv, bytes), elements: count, kernels: kernels{size: t.Size()},
	})
	returned = true
	return c.done(e)
}

// Barrier returns when every rank has called it.
func (c *Comm) Barrier() error { return c.barrierAs(0) }

// Finalize is a barrier that a rank which calls something else is told of by this name.
func (c *Comm) Finalize() error { return c.barrierAs(finalize) }

// finalize stands in a barrier's signature where a reduction has its operator.
const finalize = 1

func (c *Comm) barrierAs(what uint8) error {
	if e := c.enter(); e != nil {
		return e
	}
	returned := false
	defer c.leaveUnless(&returned)
	header := link.Header{Signature: link.Sign(uint8(plan.Barrier), what, 0, 0)}
	e := c.run(c.barrier(), header, call{kernels: kernels{size: 1}})
	returned = true
	return c.done(e)
}

// done ends a call: a typed nil must not become an error.
func (c *Comm) done(e *Error) error {
	c.leave()
	if e == nil {
		return nil
	}
	return e
}
