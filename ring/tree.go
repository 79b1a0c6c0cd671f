package ring

// branch is a link of a tree.
type branch struct {
	from, to int32
	cost     int64
}

// spanningTree is the cheapest tree, by Prim's algorithm, in the order in which it grows: each branch leads from what is there
// to a new node. Each link costs the prices of both its nodes, too; nil: there are none.
func spanningTree(c *costs, price []int64) []branch {
	if price == nil {
		price = make([]int64, c.n)
	}
	tree := make([]branch, 0, c.n)
	nearest := make([]branch, c.n) // by node outside
	left := make([]int32, 0, c.n)
	for i := int32(1); i < int32(c.n); i++ {
		nearest[i].cost = none
		left = append(left, i)
	}
	for at := int32(0); len(left) > 0; {
		best := 0
		for i, node := range left {
			if cost := c.at(at, node) + price[at] + price[node]; cost < nearest[node].cost {
				nearest[node] = branch{at, node, cost}
			}
			if nearest[node].cost < nearest[left[best]].cost {
				best = i
			}
		}
		at = left[best]
		tree = append(tree, nearest[at])
		left = append(left[:best], left[best+1:]...) // in order, so that of equals the first is taken
	}
	return tree
}
