package ring

// branch is a link of a tree.
type branch struct {
	from, to int32
	cost     int64
}

// spanningTree is the cheapest tree, by Prim's algorithm, in the order in which it grows.
func spanningTree(c *costs) []branch {
	tree := make([]branch, 0, c.n)
	nearest := make([]branch, c.n) // by node outside
	left := make([]int32, 0, c.n)
	for i := range int32(c.n) {
		nearest[i] = branch{0, i, c.at(0, i)}
		if i > 0 {
			left = append(left, i)
		}
	}
	for len(left) > 0 {
		best := 0
		for i, node := range left {
			if nearest[node].cost < nearest[left[best]].cost {
				best = i
			}
		}
		at := left[best]
		tree = append(tree, nearest[at])
		left = append(left[:best], left[best+1:]...) // in order, so that of equals the first is taken
		for _, node := range left {
			if cost := c.at(at, node); cost < nearest[node].cost {
				nearest[node] = branch{at, node, cost}
			}
		}
	}
	return tree
}
