package ring

import (
	"cmp"
	"slices"
)

// neighbours is how many near nodes of each are looked at, and then of either kind.
const neighbours = 8

// nearest finds, for each node, the nearest others.
func nearest(c *costs) [][]int32 {
	near, cost := make([][]int32, c.n), make([]int64, c.n)
	for i := range int32(c.n) {
		for j := range int32(c.n) {
			cost[j] = c.at(i, j)
		}
		near[i] = least(cost, i, neighbours)
	}
	return near
}

// promising finds, for each node, the nearest others, and those to which a link makes the cheapest tree that has it, with these
// prices, the least more expensive, which are often farther away: where nodes are in groups, all the nearest are in one's own
// (alpha-nearness; Helsgaun: An effective implementation of the Lin-Kernighan traveling salesman heuristic, 2000).
func promising(c *costs, price []int64) [][]int32 {
	tree := spanningTree(c, price)
	up := make([]branch, c.n) // by node: its link to the tree that was there before
	for _, b := range tree {
		up[b.to] = b
	}
	near, alpha := nearest(c), make([]int64, c.n)
	largest := make([]int64, c.n) // by node: the most expensive link on its way to i in the tree
	passed := make([]int32, c.n)  // 1 more than the last i whose way to the root leads over the node
	for i := range int32(c.n) {
		largest[i], passed[i] = -none, i+1
		for at := i; at != 0; at = up[at].from {
			largest[up[at].from], passed[up[at].from] = max(largest[at], up[at].cost), i+1
		}
		for _, b := range tree {
			if passed[b.to] != i+1 {
				largest[b.to] = max(largest[b.from], b.cost)
			}
		}
		for j := range int32(c.n) {
			if j != i {
				alpha[j] = c.at(i, j) + price[i] + price[j] - largest[j]
			}
		}
		for _, j := range least(alpha, i, neighbours) {
			if !slices.Contains(near[i], j) {
				near[i] = append(near[i], j)
			}
		}
		slices.SortStableFunc(near[i], func(a, b int32) int { return cmp.Compare(c.at(i, a), c.at(i, b)) })
	}
	return near
}

// least gives up to k nodes other than i, those with the least keys, in order. Of equals it takes those that come next after i,
// so that not all nodes have the same.
func least(key []int64, i int32, k int) []int32 {
	n := int32(len(key))
	k = min(k, len(key)-1)
	list := make([]int32, 0, 2*k)
	for step := int32(1); step < n; step++ {
		j := i + step
		if j >= n {
			j -= n
		}
		at := len(list)
		if at == k {
			if key[j] >= key[list[k-1]] {
				continue
			}
			at--
		} else {
			list = append(list, j)
		}
		for ; at > 0 && key[list[at-1]] > key[j]; at-- {
			list[at] = list[at-1]
		}
		list[at] = j
	}
	return list
}
