package plan

import (
	"math"
	"math/bits"
)

// enough is how much dearer than the cheapest a simpler builder may be by the model, which is not as exact as that: so that
// the choice does not go back and forth between two that cost the same.
const enough = 1.05

// Cheapest chooses a builder for blocks of so many bytes: of those that keep at least this order, the simplest that is about
// as cheap as any. Where that has a way of its own, which the formulas know nothing of, it is that one.
func Cheapest(c Collective, least Order, m Model, ranks int, bytes float64) Builder {
	if first := Builders(c)[0]; ranks <= m.Few && bytes <= m.Inline && first.Order >= least {
		return first
	}
	lowest := math.Inf(1)
	for _, b := range Builders(c) {
		if b.Order >= least {
			lowest = min(lowest, b.Cost(m, ranks, bytes))
		}
	}
	for _, b := range Builders(c) {
		if b.Order >= least && b.Cost(m, ranks, bytes) <= enough*lowest {
			return b
		}
	}
	panic("plan: no builder of " + c.String() + " keeps " + least.String())
}

// Classes of sizes: class n is of blocks with more than 2^(n-1) and up to 2^n bytes. One builder is chosen for each.
const Classes = 65

// ClassOf is the class of a block.
func ClassOf(bytes uint64) int {
	if bytes == 0 {
		return 0
	}
	return bits.Len64(bytes - 1)
}

// ForClass chooses a builder for a class, by the largest of its sizes.
func ForClass(c Collective, least Order, m Model, ranks, class int) Builder {
	return Cheapest(c, least, m, ranks, math.Exp2(float64(class)))
}

// Choice is a range of sizes for which one builder is chosen.
type Choice struct {
	Builder Builder
	Class   int // the last one
}

// Choices lists what is chosen, from the smallest blocks to the largest.
func Choices(c Collective, least Order, m Model, ranks int) []Choice {
	var all []Choice
	for class := range Classes {
		b := ForClass(c, least, m, ranks, class)
		if n := len(all); n > 0 && all[n-1].Builder.Name == b.Name {
			all[n-1].Class = class
		} else {
			all = append(all, Choice{b, class})
		}
		if c == Barrier { // it has no bytes
			all[0].Class = Classes - 1
			break
		}
	}
	return all
}
