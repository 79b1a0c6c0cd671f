package engine

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"hcomm/observe"
	"hcomm/plan"
	"hcomm/simd"
)

// Shared is the part of a communicator that the small-message path in C works on too. It is laid out as struct shared in
// capi/small.h.
//
// Entering Go costs as much as a whole allreduce of a few bytes may take. So capi does the exchange of an allreduce that
// fits an inbox entry in C: the very program of allreduce:direct (plan/direct.go), with the same queues, numbers and claim. What it
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
	Most     uint32 // bytes of the largest allreduce that takes the direct program
	Match    uint32 // the channel on which messages from point to point come
	Pending  uint32 // how many of them, and of their receives and sends, wait: then Go must see to the next
	Queued   uint32 // how many collectives wait or run: then the next must wait for its turn in Go
	_        uint32
	Sequence uint64 // of the last operation
	Notices  *uint32
	Activity unsafe.Pointer // where this rank tells the others which operation it is in; see link/shm
	Out, In  unsafe.Pointer // the queues of channel 0; see link/shm
}

// How long the path waits before it hands over: with a processor for each rank about 20 µs, else a few yields.
const spinsAlone, spinsCrowded = 500, 20

// Share moves the shared part to memory that C may keep, and fills it in. It must be called before the communicator is
// used. It reports whether the path can be taken at all: it writes no trace.
func (c *Comm) Share(to *Shared) bool {
	port, ok := c.port.(interface {
		Queues() (out, in unsafe.Pointer, stride int, notices *uint32, fenced bool, activity unsafe.Pointer)
	})
	most := c.rules.directMost(c.Size(), c.port.InlineBytes())
	if !ok || raceDetector || most == 0 || observe.Shows(observe.Traces) {
		return false
	}
	out, in, stride, notices, fenced, activity := port.Queues()
	atomic.StoreUint32(&to.Use, closed)
	c.pins.Pin(out)
	c.pins.Pin(in)
	*to = Shared{
		Use: closed, Rank: uint32(c.rank), Ranks: uint32(c.Size()), Stride: uint32(stride),
		Spins: spinsCrowded, Crowded: 1, Most: uint32(most), Match: matchChannel, Sequence: c.shared.Sequence, Notices: notices, Activity: activity, Out: out, In: in,
	}
	if fenced {
		to.Fenced = 1
	}
	if c.wait.spin > 0 {
		to.Spins, to.Crowded = spinsAlone, 0
	}
	c.freeing.Lock() // others may look at it already
	defer c.freeing.Unlock()
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
	a := arguments{send: send, recv: recv, count: count, t: t, op: op}
	header := a.header(plan.AllReduce)
	header.Op = c.shared.Sequence
	bytes := count * uint64(t.Size())
	in, out := view(send, bytes), view(recv, bytes)
	p, what := c.prepare(plan.AllReduce, &a, buffers{input: in, output: out, inPlace: send == recv})
	o := &c.op
	o.begin(p, header, what)
	o.steps[0].done = o.slices // the direct program begins with the sends
	e := c.finish(o)
	returned = true
	return c.done(e)
}

// Open lets calls in, after Share.
func (c *Comm) Open() { atomic.StoreUint32(&c.shared.Use, idle) }

// Close frees an aborted communicator that a call held when Abort was called, unless that was done.
func (c *Comm) Close() { c.close() }
