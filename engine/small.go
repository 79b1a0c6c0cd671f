package engine

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// Shared is the part of a communicator that the small-message path in C works on too. It is laid out as struct small in
// capi/small.h.
//
// Entering Go costs as much as a whole allreduce of a few bytes may take. So capi does the exchange of an allreduce that
// fits an inbox entry in C: the very program that [plan.Direct] builds, with the same queues, numbers and claim. What it
// cannot finish at once it hands over to ResumeAllReduce.
type Shared struct {
	Use      uint32 // idle, inCall or closed
	Rank     uint32
	Ranks    uint32
	Stride   uint32 // from one peer's queue to the next, in queues
	Fenced   uint32 // flags must be stored with a barrier
	Spins    uint32 // how many times to look before handing over
	Crowded  uint32 // yield between two looks: the ranks are more than the processors
	Far      uint32 // how often in a row it looked as if the ranks' processors shared no cache
	Longs    uint32 // long messages so far
	Match    uint32 // the channel on which messages from point to point come
	Pending  uint32 // how many of them, and of their receives and sends, wait: then Go must see to the next
	Sequence uint64 // of the last operation
	Notices  *uint32
	Out, In  unsafe.Pointer // the queues of channel 0; see link/shm
}

// How long the path waits before it hands over: with a processor for each rank about 20 µs, else a few yields.
const spinsAlone, spinsCrowded = 500, 20

// Share moves the shared part to memory that C may keep, and fills it in. It must be called before the communicator is
// used. It reports whether the path can be taken at all.
func (c *Comm) Share(to *Shared) bool {
	port, ok := c.port.(interface {
		Queues() (out, in unsafe.Pointer, stride int, notices *uint32, fenced bool)
	})
	if !ok || raceDetector {
		return false
	}
	out, in, stride, notices, fenced := port.Queues()
	atomic.StoreUint32(&to.Use, closed)
	c.pins.Pin(out)
	c.pins.Pin(in)
	*to = Shared{
		Use: closed, Rank: uint32(c.rank), Ranks: uint32(c.Size()), Stride: uint32(stride),
		Spins: spinsCrowded, Crowded: 1, Match: matchChannel, Sequence: c.shared.Sequence, Notices: notices, Out: out, In: in,
	}
	if fenced {
		to.Fenced = 1
	}
	if c.wait.spin > 0 {
		to.Spins, to.Crowded = spinsAlone, 0
	}
	c.shared = to
	return true
}

// pinned keeps what C points to where it is.
type pinned = runtime.Pinner

// ResumeAllReduce goes on with an allreduce that the path in C has begun: it has claimed the communicator, taken the
// operation's number, and posted this rank's messages, but released none.
func (c *Comm) ResumeAllReduce(send, recv unsafe.Pointer, count uint64, t simd.Type, op simd.Op) error {
	returned := false
	defer c.leaveUnless(&returned)
	header := link.Header{Op: c.shared.Sequence, Count: count, Signature: link.Sign(uint8(plan.AllReduce), uint8(op), uint8(t), 0)}
	bytes := count * uint64(t.Size())
	o := &c.op
	o.begin(c.allReduce(bytes, noAverage), header, call{
		input: view(send, bytes), output: view(recv, bytes), elements: count, kernels: kernelsFor(t, op, noAverage),
	})
	sent := &o.steps[0]
	if s := &o.program.Steps[0]; s.Store != plan.Nowhere {
		simd.Copy(o.local(s.Store, sent, 0, bytes), o.local(s.A.Place, sent, 0, bytes))
	}
	sent.done = sent.slices
	e := c.finish(o)
	returned = true
	return c.done(e)
}

// Open lets calls in, after Share.
func (c *Comm) Open() { atomic.StoreUint32(&c.shared.Use, idle) }

// Close frees an aborted communicator that a call held when Abort was called, unless that was done.
func (c *Comm) Close() { c.close() }
