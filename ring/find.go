package ring

// found is the rings that were found for some costs.
type found struct {
	cheapest []int32
	total    int64   // what that costs
	bound    int64   // no ring costs less
	order    []int32 // at most 1 % more expensive, and with a faster slowest hop if there is such a ring
}

// find looks for the ring.
func (c *costs) find() found {
	if c.n <= fewNodes {
		return c.findExact()
	}
	tree := spanningTree(c, nil)
	bound, _ := treeBound(tree)
	s := c.improved(dendrogram(c, tree), bound)
	if s.total() > bound {
		if other := c.improved(christofides(c, tree), bound); other.total() < s.total() {
			s = other
		}
		priced, price := ascent(c, s.total(), rounds(c.n))
		bound = max(bound, priced)
		s.near = promising(c, price)
		s.pushAll()
		s.run()
		s.kicks(kicks(c.n), bound)
	}
	f := found{cheapest: append([]int32{}, s.order...), total: s.total(), bound: bound}
	s.lowerSlowest(c.limit(f.total), slowestBound(c, tree))
	f.order = s.order
	return f
}

// improved makes a ring better by local search, unless it costs no more than the bound.
func (c *costs) improved(order []int32, bound int64) *search {
	s := newSearch(c, order)
	if s.total() > bound {
		s.pushAll()
		s.run()
	}
	return s
}

// rounds is how long the bound is improved.
func rounds(n int) int { return min(200, 200_000/n) }

// kicks is how long a ring is improved.
func kicks(n int) int { return 20 * min(n, 1000) }

func (c *costs) findExact() (f found) {
	for i := range int32(c.n) {
		f.cheapest = append(f.cheapest, i)
	}
	f.order = f.cheapest
	if c.n > 2 {
		f.cheapest, f.total = cheapest(c.n, c.at)
		f.order = fastest(c, f.cheapest, c.limit(f.total))
	} else if c.n == 2 {
		f.total = ringCost(c, f.cheapest)
	}
	f.bound = f.total
	return f
}

// limit is what a ring with a faster slowest hop may cost: 1 % more, but not one thin hop more.
func (c *costs) limit(total int64) int64 { return total + total%c.penalty/100 }
