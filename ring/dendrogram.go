package ring

import (
	"cmp"
	"slices"
)

// dendrogram makes a ring from the cheapest tree: links join the pieces of a ring to longer ones, the cheapest link first,
// each time at the ends that are nearest to each other. So it enters and leaves each group of near nodes once, and where
// costs are those of a hierarchy, as in a fat tree, no ring is better.
func dendrogram(c *costs, tree []branch) []int32 {
	tree = slices.Clone(tree)
	slices.SortStableFunc(tree, func(a, b branch) int { return cmp.Compare(a.cost, b.cost) })
	piece := make([][]int32, c.n) // by its root
	root := make([]int32, c.n)
	for i := range int32(c.n) {
		piece[i], root[i] = []int32{i}, i
	}
	find := func(node int32) int32 {
		for root[node] != node {
			root[node] = root[root[node]]
			node = root[node]
		}
		return node
	}
	for _, b := range tree {
		to, from := find(b.from), find(b.to)
		if len(piece[to]) < len(piece[from]) {
			to, from = from, to
		}
		piece[to] = c.concatenate(piece[to], piece[from])
		root[from], piece[from] = to, nil
	}
	return piece[find(0)]
}

// concatenate joins two pieces where their ends are nearest, by turning neither, one, or the other.
func (c *costs) concatenate(long, short []int32) []int32 {
	a, z, b, y := long[0], long[len(long)-1], short[0], short[len(short)-1]
	turnLong, turnShort, best := false, false, c.at(z, b)
	if d := c.at(z, y); d < best {
		turnShort, best = true, d
	}
	if d := c.at(a, b); d < best {
		turnLong, turnShort, best = true, false, d
	}
	if c.at(a, y) < best {
		turnLong, turnShort = true, true
	}
	if turnShort {
		slices.Reverse(short)
	}
	if turnLong { // the other piece before it, turned, is the same ring
		slices.Reverse(short)
		return append(short, long...)
	}
	return append(long, short...)
}
