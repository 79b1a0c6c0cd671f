package plan

import (
	"fmt"
	"strings"
)

// Builder is one algorithm for one collective.
type Builder struct {
	Name       string
	Collective Collective
	Order      Order
	// Rotates says that all ranks do the same, each as far round as its number: see [Program.Rotated]. Who needs the
	// programs of very many ranks needs only one of them then.
	Rotates bool
	// Build makes the program of one rank.
	Build func(Role) Program
	// Cost estimates the time of one call, in seconds: bytes is the size of a block. See [Model].
	Cost func(m Model, ranks int, bytes float64) float64
	// Formula is Cost for people; Source is where the algorithm comes from; About says in a sentence what it does.
	Formula, Source, About string
}

// Order says what a builder keeps of the order of the operands x0, x1, … of a reduction. Each level includes those before it.
type Order uint8

// The levels.
const (
	AnyOrder  Order = iota // for operators that are associative and commutative
	RankOrder              // operands stay in rank order, put in brackets somehow
	LeftFold               // ((x0 op x1) op x2)…
	OneFold                // and all of an element's operands meet in one step, which can round once
)

// String says it in words.
func (o Order) String() string {
	switch o {
	case AnyOrder:
		return "any order"
	case RankOrder:
		return "rank order"
	case LeftFold:
		return "((x0 op x1) op x2)…"
	case OneFold:
		return "((x0 op x1) op x2)… in one step"
	}
	return fmt.Sprintf("order %d", uint8(o))
}

// Builders lists those for a collective, the simplest first.
func Builders(c Collective) []Builder {
	var all []Builder
	for _, b := range builders {
		if b.Collective == c {
			all = append(all, b)
		}
	}
	return all
}

// Find returns the builder of this name. The error lists those that there are.
func Find(c Collective, name string) (Builder, error) {
	var names []string
	for _, b := range Builders(c) {
		if b.Name == name {
			return b, nil
		}
		names = append(names, b.Name)
	}
	return Builder{}, fmt.Errorf("%s has no algorithm %.80q; it has %s", c, name, strings.Join(names, ", "))
}

// Programs makes those of all ranks.
func (b Builder) Programs(ranks, root int) []Program {
	all := make([]Program, ranks)
	for r := range all {
		all[r] = b.Build(Role{Rank: r, Ranks: ranks, Root: root})
	}
	return all
}
