package ring

import (
	"cmp"
	"slices"
)

// canonical gives the nodes in an order that follows from the links alone, not from the numbers of the nodes: what is done
// in this order gives the same ring, whatever the nodes are called. Nodes that cannot be told apart keep their order.
func (g *graph) canonical() []int {
	colour := g.colours(g.colours(make([]uint64, g.n)))
	order, class := make([]int, g.n), make([]int, g.n)
	for i := range order {
		order[i] = i
	}
	arrange(order, class, func(a, b int) int { return cmp.Compare(colour[a], colour[b]) })
	for range pivots {
		pivot := slices.IndexFunc(order, func(node int) bool { return order[class[node]] != node })
		if pivot < 0 {
			break
		}
		g.split(order, class, order[pivot-1])
	}
	return order
}

// pivots bounds the work.
const pivots = 64

// split tells nodes of one class apart by their links to the pivot.
func (g *graph) split(order, class []int, pivot int) {
	old, row := slices.Clone(class), g.cost[pivot*g.n:(pivot+1)*g.n]
	arrange(order, class, func(a, b int) int {
		if c := cmp.Compare(old[a], old[b]); c != 0 || a == b {
			return c
		}
		switch pivot {
		case a:
			return -1
		case b:
			return 1
		}
		return cmp.Compare(row[a], row[b])
	})
}

// arrange sorts the nodes. The class of a node becomes the place of the first that is equal to it.
func arrange(order, class []int, compare func(a, b int) int) {
	slices.SortStableFunc(order, compare)
	first := 0
	for i, node := range order {
		if compare(order[first], node) != 0 {
			first = i
		}
		class[node] = first
	}
}

// colours gives each node a number that follows from its links and the colours at their ends.
func (g *graph) colours(of []uint64) []uint64 {
	next := make([]uint64, g.n)
	for i := range g.n {
		var sum uint64
		for j, v := range g.cost[i*g.n : (i+1)*g.n] {
			if i != j {
				sum += mix(uint64(v) + mix(of[j]))
			}
		}
		next[i] = mix(sum + of[i])
	}
	return next
}

// mix is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
