package ring

import (
	"math"
	"slices"
)

// Options say what a ring must do.
type Options struct {
	Need float64 // bytes a second that go through each hop; 0: any link will do
	// Progress, unless it is nil, is told now and then what is under way, and how much of that is done, 0 to 1.
	Progress func(what string, fraction float64)
}

// Ring is an order of nodes, each of which sends to the next one, and the last one to the first.
type Ring struct {
	Order      []int
	Paths      [][]int  // by place in Order: the nodes that the hop from there passes, in order; usually none
	Total      float64  // what all hops cost together
	Slowest    float64  // what the most expensive hop costs
	LowerBound float64  // no ring costs less; it is Total where no ring is cheaper
	Thin       [][2]int // the hops that pass a link too thin for all hops that go through it, in the order of the ring
	Gap        Gap      // the link whose directions differ most; zero where none differ
}

// Build finds a ring.
//
// As few hops as possible go over links thinner than they need: none if links that are wide enough join all nodes. Of such
// rings, it looks for the one with the lowest total; and then for one that costs at most 1 % more and whose slowest hop is
// faster. Where there is no link between two nodes, or one that costs more than a way over others, a hop passes these.
//
// Of up to 12 nodes the best ring is found. The result for more is at most 1.5 times (and then 1 %) more expensive than the
// best one, in practice a few percent. It depends on the links only: ranks that know the same get the same, and what the nodes
// are called changes nothing, unless rings are equally good.
func Build(links Links, options Options) (*Ring, error) {
	if err := links.check(options.Need); err != nil {
		return nil, err
	}
	g, part := newGraph(&links, options.Need)
	if part != nil {
		return nil, links.apart(part)
	}
	names := g.canonical()
	return links.ring(g.relabel(names).closure(options.Progress), names, options.Need), nil
}

// ring finds the ring for costs between the nodes of these names.
func (l *Links) ring(c *costs, names []int, need float64) *Ring {
	f := c.find()
	r := &Ring{Gap: l.gap()}
	switch {
	case f.bound == f.total: // and not what rounding has made of it
		r.named(c, f.cheapest, names)
		r.LowerBound = sum(l.hops(r))
	case c.penalty == none:
		r.LowerBound = math.Ldexp(float64(f.bound), -c.unit)
	default: // of the rings that have no more thin hops
		r.LowerBound = math.Ldexp(float64(max(f.bound-f.total/c.penalty*c.penalty, 0)), -c.unit)
	}
	r.named(c, f.order, names)
	hops := l.hops(r)
	r.Total, r.Slowest = sum(hops), slices.Max(append(hops, 0))
	r.LowerBound = min(r.LowerBound, r.Total) // equal sums of other hops may be rounded otherwise
	r.Thin = l.thin(r, need)
	return r
}

// named writes the ring with the names of its nodes. It begins with node 0, and goes to the lower one of those next to it.
func (r *Ring) named(c *costs, order []int32, names []int) {
	order = slices.Clone(order)
	n, zero := len(order), slices.Index(order, int32(slices.Index(names, 0)))
	order = append(order[zero:], order[:zero]...)
	if n > 2 && names[order[1]] > names[order[n-1]] {
		slices.Reverse(order[1:])
	}
	r.Order, r.Paths = make([]int, n), make([][]int, n)
	for i, node := range order {
		r.Order[i] = names[node]
		if n > 1 {
			r.Paths[i] = c.path(node, order[(i+1)%n])
			for k, passed := range r.Paths[i] {
				r.Paths[i][k] = names[passed]
			}
		}
	}
}

// links calls f for each link of each hop.
func (r *Ring) links(f func(hop, from, to int)) {
	for i, at := range r.Order {
		if len(r.Order) == 1 {
			return // a node alone sends nothing
		}
		for _, to := range append(slices.Clone(r.Paths[i]), r.Order[(i+1)%len(r.Order)]) {
			f(i, at, to)
			at = to
		}
	}
}

// hops is what each hop costs.
func (l *Links) hops(r *Ring) []float64 {
	costs := make([]float64, len(r.Order))
	r.links(func(hop, from, to int) { costs[hop] += l.cost(from, to) })
	return costs
}

// thin is the hops over a link that is too thin for all of them that go through it, in one direction.
func (l *Links) thin(r *Ring, need float64) (thin [][2]int) {
	if need == 0 || l.Bandwidth == nil {
		return nil
	}
	share := map[[2]int]float64{}
	r.links(func(_, from, to int) { share[[2]int{from, to}] += need })
	last := -1
	r.links(func(hop, from, to int) {
		if hop != last && l.bandwidth(from, to) < share[[2]int{from, to}] {
			thin = append(thin, [2]int{r.Order[hop], r.Order[(hop+1)%len(r.Order)]})
			last = hop
		}
	})
	return thin
}
