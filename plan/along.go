package plan

import (
	"fmt"
	"slices"
)

// Along is the same algorithm among renamed ranks: what it has the rank at position p do, rank order[p] does. So a ring
// goes along the order, and a tree has the ranks of neighbouring positions near each other. The root stays the rank that
// the role names, and the blocks of buffers belong to the same ranks as ever.
//
// A reduction along another order than 0, 1, 2, … keeps nothing of the order of its operands. The order must have every
// rank once, and then serves that many ranks only; nil is rank order, for any number of them.
func (b Builder) Along(order []int) Builder {
	inRankOrder := true
	position := make([]int, len(order))
	for p := range position {
		position[p] = -1
	}
	for p, r := range order {
		if r < 0 || r >= len(order) || position[r] >= 0 {
			panic(fmt.Sprintf("an order of %d ranks has rank %d at position %d", len(order), r, p))
		}
		position[r] = p
		inRankOrder = inRankOrder && r == p
	}
	if inRankOrder {
		return b
	}
	build, c := b.Build, b.Collective
	order = slices.Clone(order)
	b.Order, b.Rotates = AnyOrder, false
	b.Build = func(r Role) Program {
		if r.Ranks != len(order) {
			panic(fmt.Sprintf("an order of %d ranks is to serve %d", len(order), r.Ranks))
		}
		r.Rank, r.Root = position[r.Rank], position[r.Root]
		return build(r).renamed(order, c.Shape(r).Blocks > 1)
	}
	return b
}

// renamed is the program with order[p] in the place of rank p, and of block p of the user's buffers if they have one for
// each rank. What steps wait for stays: the new names are as different as the old.
func (p Program) renamed(order []int, blocks bool) Program {
	name := func(l Location) Location {
		if blocks && (l.Place == Input || l.Place == Output) {
			l.Block = order[l.Block]
		}
		return l
	}
	p.Steps = slices.Clone(p.Steps)
	for j := range p.Steps {
		s := &p.Steps[j]
		s.Store = name(s.Store)
		s.Operands = slices.Clone(s.Operands) // steps may have them in common
		for i := range s.Operands {
			x := &s.Operands[i]
			x.Location = name(x.Location)
			if x.Place == Message {
				x.From = order[x.From]
			}
		}
		s.To = slices.Clone(s.To)
		for i := range s.To {
			s.To[i] = order[s.To[i]]
		}
	}
	return p
}

// Rotated is what a program of rank 0 is for a rank, if its builder says that it [Builder.Rotates]: peers are so many ranks
// further round, and so are blocks, and parts if there is one for each rank.
func (p Program) Rotated(c Collective, r Role) Program {
	further := make([]int, r.Ranks)
	for q := range further {
		further[q] = (q + r.Rank) % r.Ranks
	}
	p = p.renamed(further, c.Shape(r).Blocks > 1)
	if p.Parts == r.Ranks {
		for j := range p.Steps {
			p.Steps[j].Part = further[p.Steps[j].Part]
		}
	}
	return p
}
