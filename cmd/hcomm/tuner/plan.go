package tuner

import (
	"fmt"

	"hcomm/cmd/hcomm/bench"
	"hcomm/plan"
	"hcomm/simd"
	"hcomm/tune"
)

// Plan is what is compared, and where the result goes. It travels to the ranks as JSON. Where a collective has a root, it
// is rank 0.
type Plan struct {
	Collectives []plan.Collective
	From, To    uint64 // bytes of a block, powers of two
	Alloc       bool   // buffers are from hcommMemAlloc; otherwise ordinary memory
	Seconds     float64
	File        string // "": none is written
	JSON        bool
	Progress    bool
}

// openEnded is from which size on the largest one that was measured stands for all above it.
const openEnded = 4 << 20

// bench is the plan of a single measurement.
func (p *Plan) bench(c plan.Collective) *bench.Plan {
	return &bench.Plan{Collective: c, Alloc: p.Alloc, Type: simd.Float32, Op: simd.Sum}
}

// cell is one size of one collective.
type cell struct {
	collective plan.Collective
	bytes      uint64
}

// cells are all that will be measured, collective by collective, the smallest sizes first.
func (p *Plan) cells() (all []cell) {
	for _, c := range p.Collectives {
		if c == plan.Barrier {
			all = append(all, cell{c, 0})
			continue
		}
		for b := p.From; b <= p.To; b *= 2 {
			all = append(all, cell{c, b})
		}
	}
	return all
}

// Choice is an algorithm with its slices.
type Choice struct {
	Algorithm string `json:"algorithm"`
	Slice     int    `json:"slice_bytes,omitempty"` // 0: as many as a slot has
}

// candidates are the choices for blocks of so many bytes, the simplest first: slices as large as a slot, and half, a
// quarter and so on of that, as far as they differ.
func (c cell) candidates(ranks, slot int) (all []Choice) {
	for _, b := range plan.Builders(c.collective) {
		all = append(all, Choice{Algorithm: b.Name})
		parts := b.Build(plan.Role{Ranks: ranks}).Parts
		const size = 4
		largest := int(plan.Largest(parts, c.bytes/size, size)) * size
		for slice := slot / 2; slice >= tune.LeastSlice && slice%tune.LeastSlice == 0; slice /= 2 {
			if slice < largest {
				all = append(all, Choice{b.Name, slice})
			}
		}
	}
	return all
}

// Check says what cannot be measured.
func (p *Plan) Check(ranks int) error {
	if !(p.Seconds > 0 && p.Seconds <= 3600) {
		return fmt.Errorf("--seconds is %v; it must be more than 0, and at most 3600", p.Seconds)
	}
	if p.To < p.From {
		return fmt.Errorf("--to is %d bytes and --from %d; it must not be less", p.To, p.From)
	}
	for _, c := range p.Collectives {
		b := p.bench(c)
		b.Min, b.Max = p.From, p.To
		if err := b.CheckMemory(ranks, "--to"); err != nil && c != plan.Barrier {
			return err
		}
	}
	return nil
}
