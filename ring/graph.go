package ring

import (
	"math"
	"math/bits"
	"slices"
)

// graph is the links in integers, so that sums are exact, and equal on every machine.
type graph struct {
	n    int
	cost []int64 // n x n: a cost, with the bit [thin] if the link is too thin; or [none]
	unit int     // a cost is that of the link times 2^unit, rounded down
}

const (
	none int64 = math.MaxInt64
	thin int64 = 1 << 62
)

// newGraph makes the graph. If the links do not join all nodes, it gives each node's part instead.
func newGraph(l *Links, need float64) (*graph, []int) {
	n := l.Cost.n
	tree, part := spanLinks(l, need)
	if part != nil {
		return nil, part
	}
	longest := longestWay(tree, n)
	g := &graph{n: n, cost: make([]int64, n*n), unit: unit(n, longest, need > 0)}
	for i := range n {
		for j := range i {
			g.set(i, j, none)
			cost := l.cost(i, j)
			if cost > longest { // or no link: the way through the tree is shorter
				continue
			}
			v := int64(math.Ldexp(cost, g.unit))
			if l.bandwidth(i, j) < need {
				v |= thin
			}
			g.set(i, j, v)
		}
	}
	return g, nil
}

func (g *graph) set(i, j int, v int64) { g.cost[i*g.n+j], g.cost[j*g.n+i] = v, v }

// longestWay is what the longest way through a tree costs. In costs that are made metric nothing is farther apart.
func longestWay(tree []link, n int) (longest float64) {
	depth := make([]float64, n)
	for _, l := range slices.Backward(tree) {
		down := depth[l.to] + l.cost
		longest = max(longest, depth[l.from]+down)
		depth[l.from] = max(depth[l.from], down)
	}
	return longest
}

// unit chooses how finely costs are counted: the room of an integer is shared so that a ring's cost, several times over, and
// more than all rings' cost for each thin hop, fit.
func unit(n int, longest float64, thins bool) int {
	if longest == 0 {
		return 0
	}
	room := 55 - bits.Len(uint(n))
	if thins {
		room -= bits.Len(uint(n)) + 1
	}
	_, exponent := math.Frexp(longest) // longest < 2^exponent
	return room - exponent
}

// sum adds up numbers of at least 0, the least first: the same for any order of the nodes.
func sum(values []float64) float64 {
	total := 0.0
	for _, v := range slices.Sorted(slices.Values(values)) {
		total += v
	}
	return total
}

// link is one of a tree, to a node that was not there before.
type link struct {
	from, to int
	thin     bool
	cost     float64
}

func (l link) better(other link) bool {
	if l.thin != other.thin {
		return other.thin
	}
	return l.cost < other.cost
}

// spanLinks gives the links of a tree that spans all nodes, with as few thin links as possible, and then as cheap as possible;
// or else each node's part. It is Prim's algorithm.
func spanLinks(l *Links, need float64) (tree []link, part []int) {
	n := l.Cost.n
	nearest := make([]link, n)
	for i := range nearest {
		nearest[i] = link{thin: true, cost: NoLink}
	}
	part = make([]int, n)
	done := make([]bool, n)
	parts := 0
	for range n {
		at := -1
		for i := range n {
			if !done[i] && (at < 0 || nearest[i].better(nearest[at])) {
				at = i
			}
		}
		if math.IsInf(nearest[at].cost, 1) { // nothing that was reached has a link to it
			parts++
		} else {
			tree = append(tree, nearest[at])
		}
		done[at], part[at] = true, parts-1
		for i := range n {
			if cost := l.cost(at, i); !done[i] && !math.IsInf(cost, 1) {
				if r := (link{at, i, l.bandwidth(at, i) < need, cost}); r.better(nearest[i]) {
					nearest[i] = r
				}
			}
		}
	}
	if parts > 1 {
		return nil, part
	}
	return tree, nil
}

// relabel gives the graph of the same nodes in another order.
func (g *graph) relabel(order []int) *graph {
	to := &graph{n: g.n, cost: make([]int64, g.n*g.n), unit: g.unit}
	for i, from := range order {
		row := g.cost[from*g.n:]
		for j, other := range order {
			to.cost[i*g.n+j] = row[other]
		}
	}
	return to
}
