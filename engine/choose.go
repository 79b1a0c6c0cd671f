package engine

import (
	"hcomm/plan"
	"hcomm/simd"
)

// directMax is the largest buffer, in bytes, that an allreduce exchanges directly; larger ones are cut in chunks.
// Measured with 2 to 8 ranks on a 2-core guest, 2026-11. It must fit the scratch buffer, which is as large as a slot.
func directMax(ranks, slotBytes int) uint64 {
	most := 4 << 10
	if ranks <= 2 {
		most = 8 << 10
	}
	return uint64(min(most, slotBytes))
}

const (
	small = iota
	large
)

const (
	noAverage = iota
	scaleFirst
	divideLast
)

// allReduce chooses the program for an allreduce from what all ranks know: the number of ranks, the bytes, and whether
// it is an average.
func (c *Comm) allReduce(bytes uint64, average int) *plan.Program {
	class := small
	if bytes > directMax(c.Size(), c.port.SlotBytes()) {
		class = large
	}
	cached := &c.programs.allReduce[class][average]
	if *cached == nil {
		p := plan.Direct(c.rank, c.Size())
		if class == large {
			p = plan.ScatterGather(c.rank, c.Size())
		}
		switch average {
		case scaleFirst:
			p = p.ScaleFirst()
		case divideLast:
			p = p.DivideLast()
		}
		*cached = &p
	}
	return *cached
}

func averageOf(t simd.Type, op simd.Op) int {
	switch {
	case op != simd.Avg:
		return noAverage
	case simd.Scale(t) != nil:
		return scaleFirst
	}
	return divideLast
}

func (c *Comm) broadcast(root int) *plan.Program {
	if c.programs.broadcast == nil {
		c.programs.broadcast = make([]*plan.Program, c.Size())
	}
	cached := &c.programs.broadcast[root]
	if *cached == nil {
		p := plan.Flat(c.rank, c.Size(), root)
		*cached = &p
	}
	return *cached
}

func (c *Comm) barrier() *plan.Program {
	if c.programs.barrier == nil {
		p := plan.Dissemination(c.rank, c.Size())
		c.programs.barrier = &p
	}
	return c.programs.barrier
}
