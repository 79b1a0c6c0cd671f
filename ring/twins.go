package ring

// Twins are nodes whose links to all others are the same, such as hosts at one switch. In a large network most nodes have
// some, so what is worked out for one serves all.

// twins numbers the sets of twins by their first nodes. It may miss some, for it looks only for those that are as near to
// each other as to whatever is nearest to them.
func (g *graph) twins() (class []int32, first []int32) {
	class = make([]int32, g.n)
	sets := map[uint64][]int32{}
	for i := range int32(g.n) {
		key := g.twinKey(int(i))
		class[i] = int32(len(first))
		for _, c := range sets[key] {
			if g.areTwins(int(first[c]), int(i)) {
				class[i] = c
				break
			}
		}
		if class[i] == int32(len(first)) {
			sets[key] = append(sets[key], class[i])
			first = append(first, i)
		}
	}
	return class, first
}

// twinKey is the same for twins: it mixes a node's links, with the nearest one in the place of that to itself.
func (g *graph) twinKey(node int) (key uint64) {
	nearest := none
	for j, v := range g.cost[node*g.n : (node+1)*g.n] {
		if j != node {
			nearest = min(nearest, v)
			key += mix(uint64(v) + mix(uint64(j)))
		}
	}
	return key + mix(uint64(nearest)+mix(uint64(node)))
}

func (g *graph) areTwins(a, b int) bool {
	x, y := g.cost[a*g.n:(a+1)*g.n], g.cost[b*g.n:(b+1)*g.n]
	for k, v := range x {
		if v != y[k] && k != a && k != b {
			return false
		}
	}
	return true
}
