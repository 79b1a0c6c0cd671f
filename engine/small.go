package engine

import (
	"runtime"
	"sync/atomic"
	"unsafe"

	"hcomm/observe"
	"hcomm/plan"
)

// Shared is the part of a communicator that the small-message paths in C work on too. It is laid out as struct shared in
// capi/small.h.
//
// Entering Go costs as much as a whole collective of a few bytes may take. So capi does the exchange of a collective
// whose blocks fit an inbox entry in C: the very program of the builder in exchanges, with the same queues, numbers and
// claim. What it cannot finish at once it hands over to Resume.
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
	Queued   uint32 // how many collectives wait or run: then the next must wait for its turn in Go
	Yields   uint32 // so far
	Sequence uint64 // of the last operation
	Notices  *uint32
	Activity unsafe.Pointer          // where this rank tells the others which operation it is in; see link/shm
	Seat     *uint32                 // where it tells which processor it is on; see queue.h
	Out, In  unsafe.Pointer          // the queues of channel 0; see link/shm
	Below    [len(plan.Names)]uint32 // by collective: blocks of fewer bytes take the program that the exchange in C is
}

// exchanges are the builders whose programs the exchange in C does. In these everybody sends what it sends first, of its
// input, at most one message to each other rank.
var exchanges = [len(plan.Names)]string{
	plan.AllReduce: "direct", plan.Broadcast: "flat", plan.Barrier: "direct", plan.Reduce: "flat", plan.AllGather: "direct",
	plan.ReduceScatter: "direct", plan.AlltoAll: "pairwise", plan.Gather: "flat", plan.Scatter: "flat",
}

// How long the path waits before it hands over: with a processor for each rank about 20 µs, else a few yields.
const spinsAlone, spinsCrowded = 500, 20

// Share moves the shared part to memory that C may keep, and fills it in. It must be called before the communicator is
// used. It reports whether the path can be taken at all: it writes no trace.
func (c *Comm) Share(to *Shared) bool {
	port, ok := c.port.(interface {
		Queues() (out, in unsafe.Pointer, stride int, notices *uint32, fenced bool, activity unsafe.Pointer, seat *uint32)
	})
	if !ok || raceDetector || observe.Shows(observe.Traces) {
		return false
	}
	out, in, stride, notices, fenced, activity, seat := port.Queues()
	atomic.StoreUint32(&to.Use, closed)
	c.pins.Pin(out)
	c.pins.Pin(in)
	*to = Shared{
		Use: closed, Rank: uint32(c.rank), Ranks: uint32(c.Size()), Stride: uint32(stride),
		Spins: spinsCrowded, Crowded: 1, Match: matchChannel, Sequence: c.shared.Sequence, Notices: notices, Activity: activity, Seat: seat, Out: out, In: in,
	}
	for k, builder := range exchanges {
		if builder != "" {
			to.Below[k] = uint32(c.rules.below(plan.Collective(k), builder, c.Size(), c.port.InlineBytes()+1))
		}
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

// Resume goes on with a collective that the exchange in C has begun, whose arguments are right: it has claimed the
// communicator, taken the operation's number, and done all steps that send, but released no message.
func (c *Comm) Resume(w Work) error {
	returned := false
	defer c.leaveUnless(&returned)
	w.settle(c)
	header := w.header(w.collective)
	header.Op = c.shared.Sequence
	b, e := w.memory(c, w.collective.Shape(c.role(w.root)), w.count*uint64(w.t.Size()))
	if e != nil {
		panic("engine: the exchange in C has begun a call that it must not: " + e.Text)
	}
	p, what := c.prepare(w.collective, &w.arguments, b)
	o := &c.op
	o.begin(p, header, what)
	for i := range o.steps {
		if len(p.Steps[i].To) > 0 {
			o.steps[i].done = o.slices
		}
	}
	c.turns = turns{foreignOverdue}
	if e = c.finishOverdue(o); e == nil {
		w.toFront(c)
	}
	returned = true
	return c.done(e)
}

// Open lets calls in, after Share.
func (c *Comm) Open() { atomic.StoreUint32(&c.shared.Use, idle) }

// Close frees an aborted communicator that a call held when Abort was called, unless that was done.
func (c *Comm) Close() { c.close() }
