package engine

import (
	"hcomm/hmm"
	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// call is what the user wants done, checked.
type call struct {
	input, output []byte
	count         uint64 // elements of a block
	shape         plan.Shape
	kernels       kernels
	most          uint64 // bytes of a slice, at most; 0: as many as a slot has
}

// kernels do the arithmetic of one call.
type kernels struct {
	size    int // of an element
	reduce  *simd.Kernel
	mapping func(dst, a []byte, n int)
	wide    wide // not empty: reduce is float32's, and a fold rounds once
}

// operation is the state of the communicator's current operation: its program and how far each step has come. There is
// one, used again for each call.
type operation struct {
	comm    *Comm
	program *plan.Program
	header  link.Header // Length is that of the last message
	call
	block       uint64 // bytes
	slice       uint64 // bytes, a multiple of every element's size
	slices      int    // of every step; where a part has fewer bytes, the last are empty
	inShared    hmm.Span
	outShared   hmm.Span
	windows     bool // all ranks can read all arenas
	remotes     bool // all ranks can read all memory of all
	remote      bool // this operation's messages are read where the sender has them
	cuts        *cuts
	fetched     []byte // what was read of remote messages, before it is reduced
	borrowed    bool   // it has read from a peer's user memory
	cacheBytes  int    // that the processors share, at best
	inPlaceFrom uint64 // bytes of a part: fewer are not sent from where they are
	fresh       bool   // much of the buffers may be in the caches; see [operation.begin]
	large       bool   // all ranks' buffers are twice what the caches hold

	steps  []progress // by step of the program
	first  int        // the first step that is not finished
	turns  [plan.Channels]turn
	bodies [][]byte // the operands of the step at hand
	piece  pieces
	went   []link.Presence // by rank; used when somebody is gone

	scratch      []byte
	scratchBlock uint64 // bytes from one part in scratch to the next
}

// run is a run of slices: those from first on that are before end.
type run struct{ first, end int }

func (r run) has(slice int) bool { return r.first <= slice && slice < r.end }

func (r run) empty() bool { return r.first >= r.end }

// turn says whose the next slot of a channel is, as far as it has been looked for.
type turn struct{ slice, sender int }

// progress of one step.
type progress struct {
	done      int      // slices
	at, bytes uint64   // the part, in its block
	inPlace   run      // the slices that it sends from the user's buffer
	inWindow  run      // those of them that lie in this rank's window
	last      []uint64 // by receiver: the number of the last message on its queue; kept if any is sent in place
}

// copiedBelow is up to where a slot costs no more than a read of the sender's own memory, whose lines the reader still has
// from the time before, so that the sender waits to store there (allreduce of 8 KiB, ranks that share a cache: 1.2 us
// instead of 2.0; of 32 KiB, in parts of 16, the same with both).
const copiedBelow = 16 << 10

// begin prepares the operation for a call. It allocates only for a program that needs more than all before it.
//
// What lies in this processor's caches is not read in place by a rank that shares none with it, for each line would have to
// be fetched from there: a copy past the caches is read up to five times as fast (broadcast, 128 KiB: 13 us instead of 62;
// 2 MiB: 184 instead of 841; but 8 MiB: 1475 instead of 1398).
func (o *operation) begin(p *plan.Program, h link.Header, c call) {
	port := o.comm.port
	size := uint64(c.kernels.size)
	o.program, o.header, o.call = p, h, c
	o.block = c.count * size
	bytes := len(c.input) + len(c.output)
	o.fresh, o.large = bytes < o.cacheBytes/4, bytes >= 2*o.cacheBytes/o.comm.Size()
	o.slice, o.remote = o.slicing(plan.Collective(h.Signature.Collective()))
	largest := plan.Largest(p.Parts, c.count, c.kernels.size) * size
	// Nothing is a slice, too: its messages keep the order of the steps, and show a disagreement.
	o.slices = max(1, int((largest+o.slice-1)/o.slice))
	o.inShared, o.outShared, o.borrowed = hmm.Span{}, hmm.Span{}, false
	if o.windows {
		o.inShared, o.outShared = shared(c.input), shared(c.output)
	}
	o.makeRoom(p, largest)
	o.first, o.turns = 0, [plan.Channels]turn{}
	for i := range o.steps {
		s, q := &p.Steps[i], &o.steps[i]
		first, n := plan.Part(s.Part, p.Parts, c.count, c.kernels.size)
		q.done, q.at, q.bytes = 0, first*size, n*size
		if q.inPlace, q.inWindow = (run{}), (run{}); len(s.To) > 0 && q.bytes >= o.inPlaceFrom {
			if !o.fresh || !port.Far(s.To, s.Channel) {
				q.inWindow = o.sharedSlices(s, q)
			}
			if q.inPlace = q.inWindow; o.remote && s.IsReference() {
				q.inPlace = run{0, o.slices}
			}
		}
		if !q.inPlace.empty() && len(q.last) < len(s.To) {
			q.last = make([]uint64, len(s.To))
		}
	}
}

// makeRoom has what the program needs.
func (o *operation) makeRoom(p *plan.Program, largest uint64) {
	if cap(o.steps) < len(p.Steps) {
		o.steps = make([]progress, len(p.Steps))
	}
	o.steps = o.steps[:len(p.Steps)]
	for i := range p.Steps {
		if n := len(p.Steps[i].Operands); n > cap(o.bodies) {
			o.bodies = make([][]byte, n)
		}
	}
	const line = 64
	o.scratchBlock = (largest + line - 1) / line * line
	if need := o.scratchBlock * uint64(p.Scratch*p.Parts); uint64(len(o.scratch)) < need {
		o.scratch = make([]byte, need)
	}
}

// sharedSlices are those of a step's result that the peers can read where it lies: the ones wholly in shared pages, which
// of a buffer that the user registered are not all.
func (o *operation) sharedSlices(s *plan.Step, p *progress) run {
	from, ok := s.Reference()
	if !ok {
		return run{}
	}
	at, pages := o.source(from)
	at += p.at
	first, end := max(pages.From, at)-at, min(max(pages.To, at)-at, p.bytes)
	r := run{int((first + o.slice - 1) / o.slice), int(end / o.slice)}
	if first < end && end == p.bytes {
		r.end = int((end + o.slice - 1) / o.slice) // the last one may be shorter
	}
	return r
}

// source is where in its buffer a block begins, and which bytes of that buffer are shared.
func (o *operation) source(from plan.Location) (at uint64, pages hmm.Span) {
	switch from.Place {
	case plan.Input:
		return o.blockAt(o.shape.Input, from.Block), o.inShared
	case plan.Output:
		return o.blockAt(o.shape.Output, from.Block), o.outShared
	}
	return 0, hmm.Span{}
}

// sourceOffset is where in the arena byte from of a block lies, if it is shared.
func (o *operation) sourceOffset(block plan.Location, from uint64) uint64 {
	at, pages := o.source(block)
	return pages.At + at + from - pages.From
}

// blockAt is where a block begins in a buffer of this extent.
func (o *operation) blockAt(e plan.Extent, block int) uint64 {
	if e == plan.Own {
		return 0
	}
	return uint64(block) * o.block
}

// span is the bytes of a step's slice, as offsets into its blocks.
func (o *operation) span(p *progress, slice int) (from, to uint64) {
	from = min(uint64(slice)*o.slice, p.bytes)
	return p.at + from, p.at + min(from+o.slice, p.bytes)
}

// local is bytes from to to of a block of this rank's memory.
func (o *operation) local(l plan.Location, part int, from, to uint64) []byte {
	switch l.Place {
	case plan.Input:
		at := o.blockAt(o.shape.Input, l.Block)
		return o.input[at+from : at+to]
	case plan.Output:
		at := o.blockAt(o.shape.Output, l.Block)
		return o.output[at+from : at+to]
	}
	at := o.scratchBlock*uint64(l.Block*o.program.Parts+part) + from - o.partAt(part)
	return o.scratch[at : at+to-from]
}

// partAt is where a part begins in its block.
func (o *operation) partAt(part int) uint64 {
	first, _ := plan.Part(part, o.program.Parts, o.count, o.kernels.size)
	return first * uint64(o.kernels.size)
}
