package engine

import (
	"unsafe"

	"hcomm/plan"
	"hcomm/simd"
)

// Work is a call as its caller describes it: to be made ([Comm.Do]), begun ([Comm.Begin]), or put in a stream
// ([Stream.Enqueue]) or a group ([Group.Add]).
type Work struct {
	kind       workKind
	collective plan.Collective
	arguments
	inFront bool
	message Message
}

type workKind uint8

const (
	collectiveWork workKind = iota
	sendWork                // with a tag
	recvWork
	sendTypedWork
	recvTypedWork
)

// CollectiveWork is a call of a collective; what one does not have is not read.
func CollectiveWork(k plan.Collective, send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op, root int) Work {
	return Work{collective: k, arguments: arguments{send: send, recv: recv, count: count, t: t, op: op, root: root}}
}

// BarrierWork is [Comm.Barrier].
func BarrierWork() Work {
	return Work{collective: plan.Barrier, arguments: arguments{t: simd.Int8}}
}

// ReduceScatterInFrontWork is [Comm.ReduceScatterInFront].
func ReduceScatterInFrontWork(buf unsafe.Pointer, count uint64, t simd.Type, op simd.Op) Work {
	w := CollectiveWork(plan.ReduceScatter, buf, buf, count, t, op, 0)
	w.inFront = true
	return w
}

// SendWork is [Comm.Send], RecvWork is [Comm.Recv].
func SendWork(m Message) Work { return Work{kind: sendWork, message: m} }
func RecvWork(m Message) Work { return Work{kind: recvWork, message: m} }

// SendTypedWork is [Comm.SendTyped], RecvTypedWork is [Comm.RecvTyped].
func SendTypedWork(m Message) Work { return Work{kind: sendTypedWork, message: m} }
func RecvTypedWork(m Message) Work { return Work{kind: recvTypedWork, message: m} }

// Do makes a call: it returns when the call is done.
func (c *Comm) Do(w Work) error {
	var err error
	switch w.kind {
	case collectiveWork:
		if w.inFront {
			return c.ReduceScatterInFront(w.recv, w.count, w.t, w.op)
		}
		return c.collective(w.collective, w.arguments)
	case sendWork:
		err = c.Send(w.message)
	case recvWork:
		_, err = c.Recv(w.message)
	case sendTypedWork:
		err = c.SendTyped(w.message)
	case recvTypedWork:
		err = c.RecvTyped(w.message)
	}
	return err
}

// settle makes the result's place one that the engine knows: MPI's reduce-scatter in place computes in this rank's block
// of the input, and has the result in front.
func (w *Work) settle(c *Comm) {
	if w.inFront && w.recv != nil && w.t.Valid() && w.count <= addresses/uint64(w.t.Size()*c.Size()) {
		w.recv = unsafe.Add(w.send, uint64(c.rank)*w.count*uint64(w.t.Size()))
	}
}

// toFront brings the result to the front.
func (w *Work) toFront(c *Comm) {
	if w.inFront && w.send != w.recv {
		block := w.count * uint64(w.t.Size())
		simd.Copy(view(w.send, block), view(w.recv, block))
	}
}
