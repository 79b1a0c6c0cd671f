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
	choices  [plan.Classes][2]choice // the last index says whether narrow floats must be rounded once
	builders []plan.Builder          // of the collective
	programs [][]variants            // by root and builder
}

// choice is what the rules say for a size.
type choice struct {
	builder uint8  // 1 + its number; 0: they have not been asked
	slice   uint32 // bytes, at most; 0: a slot's
}

// variants of a program, by kind of average and by whether the call is in place.
type variants [averages][2]*plan.Program

// choose picks the program for a call from what all ranks know: the collective, the number of ranks, the size of a block,
// the type, and the settings. Whether a call is in place is this rank's affair: it changes only what may be overwritten
// when.
func (c *Comm) choose(k plan.Collective, a *arguments, inPlace bool) (p *plan.Program, how kernels, slice uint64) {
	average, narrow := noAverage, false
	if k.Reduces() {
		average = averageOf(a.t, a.op)
		narrow = c.rules.deterministic && isNarrow(a.t) && a.op != simd.Max && a.op != simd.Min
	}
	s := &c.shelves[k]
	chosen := &s.choices[plan.ClassOf(a.count*uint64(a.t.Size()))][index(narrow)]
	if chosen.builder == 0 {
		*chosen = c.pick(k, a.count*uint64(a.t.Size()), narrow)
	}
	p, slice = c.program(k, int(chosen.builder-1), a.root, average, inPlace), uint64(chosen.slice)
	if !k.Reduces() {
		return p, kernels{size: a.t.Size()}, slice
	}
	return p, kernelsFor(a.t, a.op, average, narrow), slice
}

func index(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// pick is what the rules choose.
func (c *Comm) pick(k plan.Collective, bytes uint64, narrow bool) choice {
	b, slice := c.rules.choice(k, c.Size(), plan.ClassOf(bytes), narrow)
	return newChoice(b, slice)
}

func newChoice(chosen plan.Builder, slice int) choice {
	for i, b := range plan.Builders(chosen.Collective) {
		if b.Name == chosen.Name {
			return choice{uint8(1 + i), uint32(slice)}
		}
	}
	panic("engine: a builder that is not in the list: " + chosen.Name)
}

// Prefer has all sizes of a collective take a builder, and slices of so many bytes at most, 0 for a slot's, whatever the
// rules say: for who compares them. All ranks call it alike, between the same calls.
func (c *Comm) Prefer(b plan.Builder, slice int) error {
	if e := c.enter(); e != nil {
		return e
	}
	all, one := &c.shelves[b.Collective].choices, newChoice(b, slice)
	for class := range all {
		all[class] = [2]choice{one, one}
	}
	c.leave()
	return nil
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
