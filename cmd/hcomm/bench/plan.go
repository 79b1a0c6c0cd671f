package bench

import (
	"errors"
	"fmt"
	"strings"

	"golang.org/x/sys/unix"

	"hcomm/plan"
	"hcomm/simd"
)

// Plan is what is measured, and how it is shown. It travels to the ranks as JSON. Where a collective has a root, it is
// rank 0.
type Plan struct {
	Collective plan.Collective
	Algo       string // the builder to use; "": the library chooses
	Min, Max   uint64 // bytes of a block; from one row to the next they grow by a factor of 4
	Type       simd.Type
	Op         simd.Op
	Alloc      bool    // buffers are from hcommMemAlloc; otherwise ordinary memory
	Seconds    float64 // per row, about
	Format     Format
	Progress   bool
}

// name is the collective as users write it here.
func (p *Plan) name() string { return strings.ToLower(p.Collective.String()) }

// Blocks is how many blocks the larger of a rank's buffers has.
func Blocks(c plan.Collective, ranks int) int { return c.Shape(plan.Role{Ranks: ranks}).Blocks }

// Check says what cannot be measured. ranks is how many there will be.
func (p *Plan) Check(ranks int) error {
	size := uint64(p.Type.Size())
	switch {
	case p.Collective == plan.Barrier:
		return p.checkSeconds()
	case p.Min < size || p.Min%size != 0:
		return fmt.Errorf("--min is %d bytes; it must be a multiple of the %d bytes of the type %v, and not 0", p.Min, size, p.Type)
	case p.Max < p.Min:
		return fmt.Errorf("--max is %d bytes and --min %d; it must not be less", p.Max, p.Min)
	case p.Collective.Reduces() && isFloat(p.Type) && p.Op >= simd.And:
		return fmt.Errorf("--op is %q, which is for integers only, but --type is %v", p.Op, p.Type)
	}
	return errors.Join(p.checkSeconds(), p.CheckMemory(ranks, "--max"))
}

func (p *Plan) checkSeconds() error {
	if !(p.Seconds > 0 && p.Seconds <= 3600) {
		return fmt.Errorf("--seconds is %v; it must be more than 0, and at most 3600", p.Seconds)
	}
	return nil
}

// CheckMemory refuses what would bring the host to its knees; flag is the one that said so.
func (p *Plan) CheckMemory(ranks int, flag string) error {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return nil
	}
	have := info.Totalram * uint64(info.Unit)
	blocks := 0
	for r := range ranks {
		in, out := p.buffers(r, ranks)
		blocks += in + out
	}
	if p.Max > have/uint64(blocks) {
		return fmt.Errorf("%s is %s, and the %d ranks' buffers, %d times that, need more than the %s of this host's memory",
			flag, FormatSize(p.Max), ranks, blocks, FormatSize(have))
	}
	return nil
}

// buffers is how many blocks a rank sends and receives.
func (p *Plan) buffers(rank, ranks int) (in, out int) {
	shape := p.Collective.Shape(plan.Role{Rank: rank, Ranks: ranks})
	return blocks(shape.Blocks, shape.Input), blocks(shape.Blocks, shape.Output)
}

func blocks(all int, e plan.Extent) int {
	switch e {
	case plan.Own:
		return 1
	case plan.All:
		return all
	}
	return 0
}

func isFloat(t simd.Type) bool { return simd.Scale(t) != nil }

// sizes are the rows' bytes.
func (p *Plan) sizes() []uint64 {
	if p.Collective == plan.Barrier {
		return []uint64{0}
	}
	var list []uint64
	for b := p.Min; b <= p.Max; b *= 4 {
		list = append(list, b)
		if b > p.Max/4 {
			break
		}
	}
	return list
}
