package ring

// christofides makes a ring that costs at most 1.5 times as much as the cheapest one: a tree that spans all nodes, a
// matching of those with an odd number of links in it, a tour over all these links, and nodes that were there before left
// out (Christofides: Worst-case analysis of a new heuristic for the travelling salesman problem, 1976).
func christofides(c *costs, tree []branch) []int32 {
	links := make([][]int32, c.n) // by node: the others, a node twice if two links lead there
	join := func(a, b int32) {
		links[a], links[b] = append(links[a], b), append(links[b], a)
	}
	for _, b := range tree {
		join(b.from, b.to)
	}
	var odd []int32
	for i := range int32(c.n) {
		if len(links[i])%2 == 1 {
			odd = append(odd, i)
		}
	}
	for i, mate := range perfectMatching(c, odd) {
		if i < int(mate) {
			join(odd[i], odd[mate])
		}
	}
	return shortcut(eulerTour(links))
}

// eulerTour passes every link once (Hierholzer's algorithm). It takes the links away.
func eulerTour(links [][]int32) []int32 {
	var tour []int32
	for stack := []int32{0}; len(stack) > 0; {
		at := stack[len(stack)-1]
		if k := len(links[at]); k > 0 {
			next := links[at][k-1]
			links[at] = links[at][:k-1]
			links[next] = without(links[next], at)
			stack = append(stack, next)
		} else {
			tour = append(tour, at)
			stack = stack[:len(stack)-1]
		}
	}
	return tour
}

// without takes one node out of a list.
func without(list []int32, node int32) []int32 {
	for i := len(list) - 1; ; i-- {
		if list[i] == node {
			return append(list[:i], list[i+1:]...)
		}
	}
}

// shortcut keeps the first visit of each node.
func shortcut(tour []int32) []int32 {
	seen, order := make([]bool, len(tour)), tour[:0]
	for _, node := range tour {
		if !seen[node] {
			seen[node] = true
			order = append(order, node)
		}
	}
	return order
}
