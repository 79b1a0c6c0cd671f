package engine

import (
	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// call is what the user wants done, checked.
type call struct {
	input, output []byte
	elements      uint64
	kernels       kernels
}

// kernels do the arithmetic of one call.
type kernels struct {
	size    int // of an element
	reduce  simd.Reduce
	mapping func(dst, a []byte, n int)
}

func kernelsFor(t simd.Type, op simd.Op, average int) kernels {
	k := kernels{size: t.Size()}
	if average != noAverage {
		op = simd.Sum
	}
	k.reduce, _, _ = simd.KernelFor(t, op)
	switch average {
	case scaleFirst:
		k.mapping = simd.Scale(t)
	case divideLast:
		k.mapping = simd.Divide(t)
	}
	return k
}

// operation is the state of the communicator's current operation: its program and how far each step has come. There is
// one, used again for each call.
type operation struct {
	comm    *Comm
	program *plan.Program
	header  link.Header // Length is that of the last message
	call
	slice               uint64 // bytes, a multiple of every element's size
	inAt                uint64 // where input lies in the arena, if inShared
	outAt               uint64
	inShared, outShared bool
	windows             bool // all ranks can read all arenas

	steps   []progress // by step of the program
	first   int        // the first step that is not finished
	scratch []byte
	went    []link.Presence // by rank; used when somebody is gone
}

// progress of one step.
type progress struct {
	slices, done int
	at, bytes    uint64 // the chunk
	inPlace      bool   // it sends from the user's buffer
}

// begin prepares the operation for a call. It allocates only for a program longer than all before it.
func (o *operation) begin(p *plan.Program, h link.Header, c call) {
	port := o.comm.port
	o.program, o.header, o.call = p, h, c
	o.slice = uint64(port.SlotBytes())
	o.inShared, o.outShared = false, false
	if o.windows {
		o.inAt, o.inShared = window(c.input)
		o.outAt, o.outShared = window(c.output)
	}
	if cap(o.steps) < len(p.Steps) {
		o.steps = make([]progress, len(p.Steps))
	}
	o.steps = o.steps[:len(p.Steps)]
	o.first = 0
	size := uint64(c.kernels.size)
	for i := range o.steps {
		s := &p.Steps[i]
		first, n := plan.Chunk(s.Chunk, p.Chunks, c.elements, int(size))
		q := progress{at: first * size, bytes: n * size}
		// An empty chunk has a slice too: its messages keep the order of the steps, and show a disagreement.
		q.slices = max(1, int((q.bytes+o.slice-1)/o.slice))
		q.inPlace = len(s.To) > 0 && !s.Eager && q.bytes > uint64(port.InlineBytes()) && o.sharedSource(s)
		o.steps[i] = q
	}
}

// sharedSource says whether the peers can read the result of a step where it lies.
func (o *operation) sharedSource(s *plan.Step) bool {
	if s.Store == plan.Output {
		return o.outShared
	}
	if s.Store != plan.Nowhere || s.B.Place != plan.Nowhere || s.Map != plan.Identity {
		return false
	}
	return s.A.Place == plan.Input && o.inShared || s.A.Place == plan.Output && o.outShared
}

// sourceOffset is where in the arena the result of an in-place sending step begins.
func (o *operation) sourceOffset(s *plan.Step) uint64 {
	if s.Store == plan.Nowhere && s.A.Place == plan.Input {
		return o.inAt
	}
	return o.outAt
}
