package ring

import (
	"math/bits"
	"slices"
)

// treeBound is a cost that no ring goes below: a ring without its slowest hop is a tree, and costs no less than the cheapest
// one, and its slowest hop costs no less than the most expensive link of that.
func treeBound(tree []branch) (bound, slowest int64) {
	for _, b := range tree {
		bound += b.cost
		slowest = max(slowest, b.cost)
	}
	return bound + slowest, slowest
}

// slowestBound is a cost that no ring's slowest hop goes below: the ring joins all nodes, and each one to two others.
func slowestBound(c *costs, tree []branch) int64 {
	_, bound := treeBound(tree)
	for i := range int32(c.n) {
		least, second := none, none
		for j := range int32(c.n) {
			if j == i {
				continue
			}
			if d := c.at(i, j); d < least {
				least, second = d, least
			} else {
				second = min(second, d)
			}
		}
		bound = max(bound, second)
	}
	return bound
}

// ascent finds a cost that no ring goes below, and that is often close to the cheapest: that of the cheapest 1-tree, a tree
// over all nodes but one, and two links of that one. Every ring is a 1-tree in which each node has two links; so a price for
// each link of a node, the same for all rings, that makes nodes with more links dear and those with one cheap, brings the
// cheapest 1-tree close to a ring (Held, Karp: The traveling-salesman problem and minimum spanning trees: part II, 1971; the
// steps after Volgenant, Jonker: A branch and bound algorithm for the symmetric traveling salesman problem, 1982).
//
// It gives the best prices, too, and stops when the bound is the total of a ring, or after some rounds.
func ascent(c *costs, total int64, rounds int) (best int64, price []int64) {
	a := newAscender(c)
	speed, patience := uint64(2*fullSpeed), 0
	price = slices.Clone(a.price)
	for round := range rounds {
		c.report("a lower bound", float64(round)/float64(rounds))
		bound := a.oneTree()
		if bound > best {
			best, patience = bound, 0
			copy(price, a.price)
		} else if patience++; patience >= 5 {
			speed, patience = max(speed/2, 1), 0
		}
		norm := uint64(0)
		for _, d := range a.degree {
			norm += uint64((d - 2) * (d - 2))
		}
		if norm == 0 || best >= total { // the 1-tree is a ring
			break
		}
		high, low := bits.Mul64(uint64(total-bound), speed)
		step, _ := bits.Div64(high, low, max(norm*fullSpeed, high+1))
		a.move(min(int64(step>>1), a.limit))
	}
	return min(best, total), price
}

// fullSpeed is the 1 of a fixed-point number: a step is, at first, twice what would bring the bound to the total if the 1-tree
// stayed the same.
const fullSpeed = 1 << 10

// ascender is the state of an ascent.
type ascender struct {
	c            *costs
	price        []int64 // by node
	degree, last []int64 // by node: links in the 1-tree; 2 less, in the one before
	near         []int64 // by node outside the tree: what its nearest node in there costs
	from         []int32 // by node outside the tree: that node
	left         []int32
	limit        int64 // of a price and a step: no sum overflows
}

func newAscender(c *costs) *ascender {
	return &ascender{
		c: c, price: make([]int64, c.n), degree: make([]int64, c.n), last: make([]int64, c.n), near: make([]int64, c.n),
		from: make([]int32, c.n), limit: 1 << (58 - bits.Len(uint(c.n))),
	}
}

// move changes the prices: 0.7 of the way after this 1-tree, 0.3 after the last one.
func (a *ascender) move(step int64) {
	for i, d := range a.degree {
		p := a.price[i] + step*(7*(d-2)+3*a.last[i])/10
		a.price[i], a.last[i] = min(max(p, -a.limit), a.limit), d-2
	}
}

// oneTree finds the cheapest 1-tree, in which node 0 is the special one, and gives its cost less two prices of each node.
func (a *ascender) oneTree() (bound int64) {
	for i, p := range a.price {
		bound -= 2 * p
		a.degree[i] = 0
	}
	a.left = a.left[:0]
	for i := int32(2); i < int32(a.c.n); i++ {
		a.near[i] = none
		a.left = append(a.left, i)
	}
	for at := int32(1); len(a.left) > 0; {
		best := a.reach(at)
		at = a.left[best]
		a.left[best] = a.left[len(a.left)-1]
		a.left = a.left[:len(a.left)-1]
		bound += a.near[at]
		a.degree[at]++
		a.degree[a.from[at]]++
	}
	return bound + a.special()
}

// reach lets the tree grow by a node, and finds the place of the next one.
func (a *ascender) reach(at int32) (best int) {
	row, class, price := a.c.cost[int(a.c.class[at])*len(a.c.first):], a.c.class, a.price
	own, least := price[at], none
	for i, node := range a.left {
		if d := row[class[node]] + own + price[node]; d < a.near[node] {
			a.near[node], a.from[node] = d, at
		}
		if a.near[node] < least {
			best, least = i, a.near[node]
		}
	}
	return best
}

// special adds the two cheapest links of node 0.
func (a *ascender) special() int64 {
	least, second := none, none
	first, other := 0, 0
	for i := 1; i < a.c.n; i++ {
		switch d := a.c.at(0, int32(i)) + a.price[0] + a.price[i]; {
		case d < least:
			second, other = least, first
			least, first = d, i
		case d < second:
			second, other = d, i
		}
	}
	a.degree[0] = 2
	a.degree[first]++
	a.degree[other]++
	return least + second
}
