package engine

import (
	"hcomm/plan"
	"hcomm/simd"
)

// The kinds of average.
const (
	noAverage = iota
	scaleFirst
	divideLast
	averages
)

func averageOf(t simd.Type, op simd.Op) int {
	switch {
	case op != simd.Avg:
		return noAverage
	case simd.Scale(t) != nil:
		return scaleFirst
	}
	return divideLast
}

// shelf keeps the programs that this communicator has used, so that a call allocates nothing.
type shelf struct {
	choices  [plan.Classes][2]uint8 // 1 + which builder; the last index says whether narrow floats must be rounded once
	builders []plan.Builder         // of the collective
	programs [][]variants           // by root and builder
}

// variants of a program, by kind of average and by whether the call is in place.
type variants [averages][2]*plan.Program

// choose picks the program for a call from what all ranks know: the collective, the number of ranks, the size of a block,
// the type, and the settings. Whether a call is in place is this rank's affair: it changes only what may be overwritten
// when.
func (c *Comm) choose(k plan.Collective, a *arguments, inPlace bool) (*plan.Program, kernels) {
	average, narrow := noAverage, false
	if k.Reduces() {
		average = averageOf(a.t, a.op)
		narrow = c.rules.deterministic && isNarrow(a.t) && a.op != simd.Max && a.op != simd.Min
	}
	s := &c.shelves[k]
	choice := &s.choices[plan.ClassOf(a.count*uint64(a.t.Size()))][index(narrow)]
	if *choice == 0 {
		*choice = 1 + c.pick(k, a.count*uint64(a.t.Size()), narrow)
	}
	p := c.program(k, int(*choice-1), a.root, average, inPlace)
	if !k.Reduces() {
		return p, kernels{size: a.t.Size()}
	}
	return p, kernelsFor(a.t, a.op, average, narrow)
}

func index(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// pick is the number of the builder that the rules choose.
func (c *Comm) pick(k plan.Collective, bytes uint64, narrow bool) uint8 {
	name := c.rules.builder(k, c.Size(), plan.ClassOf(bytes), narrow).Name
	for i, b := range plan.Builders(k) {
		if b.Name == name {
			return uint8(i)
		}
	}
	panic("engine: the rules chose a builder of another collective")
}

// program returns a program from the shelf, or builds it.
func (c *Comm) program(k plan.Collective, builder, root, average int, inPlace bool) *plan.Program {
	s := &c.shelves[k]
	if s.builders == nil {
		s.builders = plan.Builders(k)
		s.programs = make([][]variants, c.Size())
	}
	if s.programs[root] == nil {
		s.programs[root] = make([]variants, len(s.builders))
	}
	cached := &s.programs[root][builder][average][index(inPlace)]
	if *cached == nil {
		role := c.role(root)
		role.InPlace = inPlace
		p := s.builders[builder].Build(role)
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
