// Package bench times collectives and verifies their results.
//
// A [Plan] says what is measured; [Plan.RunRank] is one rank of it. Every iteration rewrites the input, synchronises,
// times the call, then reads the whole output and compares it: no figure rests on data that lay unmodified in a cache,
// and none on a wrong result. A row is about the time from the last rank's entry to the last rank's return.
// May import: engine, hmm, simd. Imported by: cmd/hcomm.
package bench

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"

	"hcomm/simd"
)

// The collectives that can be measured.
const (
	AllReduce = "allreduce"
	Broadcast = "broadcast"
	Barrier   = "barrier"
)

// Collectives are all of them.
var Collectives = []string{AllReduce, Broadcast, Barrier}

// Plan is what is measured, and how it is shown. It travels to the ranks as JSON.
type Plan struct {
	Collective string
	Min, Max   uint64 // bytes of a buffer; from one row to the next they grow by a factor of 4
	Type       simd.Type
	Op         simd.Op
	Alloc      bool    // buffers are from hcommMemAlloc; otherwise ordinary memory
	Seconds    float64 // per row, about
	Format     Format
	Progress   bool
}

// Check says what cannot be measured. ranks is how many there will be.
func (p *Plan) Check(ranks int) error {
	size := uint64(p.Type.Size())
	switch {
	case p.Collective == Barrier:
		return p.checkSeconds()
	case p.Min < size || p.Min%size != 0:
		return fmt.Errorf("--min is %d bytes; it must be a multiple of the %d bytes of a %v, and not 0", p.Min, size, p.Type)
	case p.Max < p.Min:
		return fmt.Errorf("--max is %d bytes and --min %d; it must not be less", p.Max, p.Min)
	case p.Collective == AllReduce && isFloat(p.Type) && p.Op >= simd.And:
		return fmt.Errorf("--op is %q, which is for integers only, but --type is %v", p.Op, p.Type)
	}
	return errors.Join(p.checkSeconds(), p.checkMemory(uint64(ranks)))
}

func (p *Plan) checkSeconds() error {
	if !(p.Seconds > 0 && p.Seconds <= 3600) {
		return fmt.Errorf("--seconds is %v; it must be more than 0, and at most 3600", p.Seconds)
	}
	return nil
}

// checkMemory refuses what would bring the host to its knees.
func (p *Plan) checkMemory(ranks uint64) error {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return nil
	}
	have := info.Totalram * uint64(info.Unit)
	if p.Max > have/2/ranks {
		return fmt.Errorf("--max is %s, and %d ranks with two buffers each need more than the %s of this host's memory",
			FormatSize(p.Max), ranks, FormatSize(have))
	}
	return nil
}

func isFloat(t simd.Type) bool { return simd.Scale(t) != nil }

// sizes are the rows' bytes.
func (p *Plan) sizes() []uint64 {
	if p.Collective == Barrier {
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
