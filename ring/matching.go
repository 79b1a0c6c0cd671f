package ring

// perfectMatching pairs the nodes, whose number must be even, so that the pairs cost as little as possible together. It
// gives, for each place in the list, the place of the mate.
//
// It is Edmonds' algorithm (Maximum matching and a polyhedron with 0,1-vertices, 1965) in O(n^3) steps, for all nodes are
// linked to each other, with one tree at a time; for each two outer blossoms it keeps the link with the least slack (Galil:
// Efficient algorithms for finding maximum matching in graphs, 1986). Costs count twice, so that all numbers stay whole: in
// the tree links are tight, so the duals of its vertices are all even or all odd, and the slack between two is even.
func perfectMatching(c *costs, nodes []int32) []int32 {
	m := newMatcher(c, nodes)
	m.greedy()
	for v := range int32(m.n) {
		c.report("a matching", float64(v)/float64(m.n))
		if m.mate[v] < 0 {
			m.grow(v)
		}
	}
	return m.mate
}

// A blossom is an odd number of vertices, of which its links match all but one, the base. A vertex is one, too. Blossoms
// are numbered behind the vertices. The outermost ones form the tree, outer and inner in turns.
type matcher struct {
	costs *costs
	nodes []int32
	n     int     // vertices
	mate  []int32 // by vertex: the one that it is matched with, or -1
	outer []int32 // the blossoms with that label
	bound []int32 // by vertex in no outer blossom: the vertex of one to which it has the least slack, or -1
	top   []int32 // by vertex: its outermost blossom

	// By blossom.
	dual   []int64
	base   []int32
	label  []label
	entry  []pair // of an inner one: how the tree comes to it
	parent []int32
	parts  [][]int32 // the blossoms that it is made of, in a circle, the one with the base first
	links  [][]pair  // from each part to the next; the second, fourth, … are matched
	near   []pair    // of an outer one: its link with the least slack to another outer one
	row    [][]pair  // of an outer one: by another outer one, their link with the least slack
	unused []int32
}

// pair is a link, written from its first vertex to its second.
type pair struct{ u, v int32 }

func (p pair) turned() pair { return pair{p.v, p.u} }

type label uint8

const (
	free  label = iota // not in the tree
	outer              // an even number of links from the root
	inner
)

func newMatcher(c *costs, nodes []int32) *matcher {
	n := len(nodes)
	all := n + n/2 // blossoms do not overlap, and each has three parts or more
	m := &matcher{
		costs: c, nodes: nodes, n: n, mate: make([]int32, n), bound: make([]int32, n), top: make([]int32, n),
		dual: make([]int64, all), base: make([]int32, all), label: make([]label, all), entry: make([]pair, all),
		parent: make([]int32, all), parts: make([][]int32, all), links: make([][]pair, all), near: make([]pair, all),
		row: make([][]pair, all),
	}
	for b := range int32(all) {
		m.parent[b] = -1
		if b < int32(n) {
			m.mate[b], m.top[b], m.base[b] = -1, b, b
		} else {
			m.unused = append(m.unused, b)
		}
	}
	return m
}

// slack is how far a link between different blossoms is from being tight. It is never below 0.
func (m *matcher) slack(p pair) int64 {
	return 2*m.costs.at(m.nodes[p.u], m.nodes[p.v]) - m.dual[p.u] - m.dual[p.v]
}

// greedy chooses duals, each as high as it may be, and matches what is tight then.
func (m *matcher) greedy() {
	for u := range int32(m.n) {
		m.dual[u] = none
		for v := range int32(m.n) {
			if u != v {
				m.dual[u] = min(m.dual[u], m.costs.at(m.nodes[u], m.nodes[v]))
			}
		}
	}
	for u := range int32(m.n) {
		least := none
		for v := range int32(m.n) {
			if u != v {
				least = min(least, m.slack(pair{u, v}))
			}
		}
		m.dual[u] += least
		for v := range int32(m.n) {
			if m.mate[u] < 0 && m.mate[v] < 0 && u != v && m.slack(pair{u, v}) == 0 {
				m.mate[u], m.mate[v] = v, u
			}
		}
	}
}

// grow grows a tree from a vertex without a mate, until it reaches another one, and matches both.
func (m *matcher) grow(root int32) {
	clear(m.label)
	m.outer = m.outer[:0]
	for v := range m.bound {
		m.bound[v] = -1
	}
	m.makeOuter(m.top[root])
	for {
		what, at := m.adjust()
		switch what {
		case free:
			p := pair{m.bound[at], at}
			b := m.top[at]
			if m.mate[m.base[b]] < 0 {
				m.augment(p)
				return
			}
			m.label[b], m.entry[b] = inner, p
			m.makeOuter(m.top[m.mate[m.base[b]]])
		case outer:
			m.shrink(m.near[at])
		case inner:
			m.expand(at)
		}
	}
}

// adjust changes the duals until something happens: a free vertex can be reached, two outer blossoms can be joined, or an
// inner one must be taken apart. It says which, and to what vertex or blossom.
func (m *matcher) adjust() (what label, at int32) {
	step := none
	for v := range int32(m.n) {
		if m.label[m.top[v]] == free && m.bound[v] >= 0 {
			if s := m.slack(pair{m.bound[v], v}); s < step {
				what, at, step = free, v, s
			}
		}
	}
	for _, b := range m.outer {
		if m.near[b].u < 0 {
			continue
		}
		if s := m.slack(m.near[b]) / 2; s < step {
			what, at, step = outer, b, s
		}
	}
	for b := int32(m.n); int(b) < len(m.parts); b++ {
		if m.label[b] == inner && m.dual[b]/2 < step {
			what, at, step = inner, b, m.dual[b]/2
		}
	}
	if step == 0 {
		return what, at
	}
	for v := range m.n {
		switch m.label[m.top[v]] {
		case outer:
			m.dual[v] += step
		case inner:
			m.dual[v] -= step
		}
	}
	for b := m.n; b < len(m.parts); b++ {
		switch m.label[b] {
		case outer:
			m.dual[b] += 2 * step
		case inner:
			m.dual[b] -= 2 * step
		}
	}
	return what, at
}

// makeOuter gives an outermost blossom that label.
func (m *matcher) makeOuter(b int32) {
	m.label[b] = outer
	m.clearRow(b)
	m.outer = append(m.outer, b)
	m.scan(b, b)
	m.findNear(b)
}

func (m *matcher) clearRow(b int32) {
	if m.row[b] == nil {
		m.row[b] = make([]pair, len(m.parts))
	}
	for _, other := range m.outer {
		m.row[b][other], m.row[other][b] = pair{-1, -1}, pair{-1, -1}
	}
}

// scan looks at all links from the vertices of a part of an outer blossom.
func (m *matcher) scan(part, b int32) {
	m.vertices(part, func(u int32) {
		for v := range int32(m.n) {
			p := pair{u, v}
			switch other := m.top[v]; {
			case other == b:
			case m.label[other] == outer:
				m.offer(b, other, p)
			case m.bound[v] < 0 || m.slack(p) < m.slack(pair{m.bound[v], v}):
				m.bound[v] = u
			}
		}
	})
}

// offer keeps a link between two outer blossoms if it has less slack than the one that was known.
func (m *matcher) offer(b, other int32, p pair) {
	if old := m.row[b][other]; old.u < 0 || m.slack(p) < m.slack(old) {
		m.row[b][other], m.row[other][b] = p, p.turned()
	}
}

// findNear finds the link with the least slack to another outer blossom. For two of them it is enough if one, that which
// became outer later, has their link.
func (m *matcher) findNear(b int32) {
	m.near[b] = pair{-1, -1}
	for _, other := range m.outer {
		if other == b {
			continue
		}
		if p := m.row[b][other]; m.near[b].u < 0 || m.slack(p) < m.slack(m.near[b]) {
			m.near[b] = p
		}
	}
}

// vertices calls f for each vertex of a blossom.
func (m *matcher) vertices(b int32, f func(v int32)) {
	if b < int32(m.n) {
		f(b)
		return
	}
	for _, part := range m.parts[b] {
		m.vertices(part, f)
	}
}
