package ring

import (
	"math/rand/v2"
	"testing"
)

// randomCosts is costs of at most limit between n nodes; with a limit of few many are equal.
func randomCosts(random *rand.Rand, n int, limit int64) *costs {
	c := &costs{n: n, cost: make([]int64, n*n), penalty: none}
	for i := range n {
		c.class, c.first = append(c.class, int32(i)), append(c.first, int32(i))
		for j := range i {
			v := random.Int64N(limit + 1)
			c.cost[i*n+j], c.cost[j*n+i] = v, v
		}
	}
	return c
}

// limits are those of random costs: all alike, many ties, few ties, and the greatest that a graph of 4,096 nodes may have.
var limits = []int64{0, 1, 3, 20, 1000, 1 << 43}

func everyone(n int) (nodes []int32) {
	for i := range int32(n) {
		nodes = append(nodes, i)
	}
	return nodes
}

// leastMatching tries all, by sets of nodes.
func leastMatching(c *costs) int64 {
	best := make([]int64, 1<<c.n)
	for set := 1; set < len(best); set++ {
		best[set] = none
		for i := range c.n {
			for j := range i {
				if pair := 1<<i | 1<<j; set&pair == pair && best[set&^pair] < none {
					best[set] = min(best[set], best[set&^pair]+c.cost[i*c.n+j])
				}
			}
		}
	}
	return best[len(best)-1]
}

func matchingCost(t *testing.T, c *costs, mate []int32) (total int64) {
	t.Helper()
	for i, m := range mate {
		if m < 0 || int(m) == i || int(mate[m]) != i {
			t.Fatalf("no perfect matching: %v", mate)
		}
		if i < int(m) {
			total += c.at(int32(i), m)
		}
	}
	return total
}

func TestMatchingAgainstAll(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const cases = 1200
	for k := range cases {
		c := randomCosts(random, 2+2*(k%6), limits[k/6%len(limits)])
		got, want := matchingCost(t, c, perfectMatching(c, everyone(c.n))), leastMatching(c)
		if got != want {
			t.Fatalf("case %d, %d vertices: the matching costs %d, the best one %d", k, c.n, got, want)
		}
	}
	t.Logf("%d matchings of 2 to 12 vertices cost what the best ones do", cases)
}

// Larger matchings are proved to be the best by the duals: no slack is below 0, no blossom's dual is, and matched links, and
// those inside a blossom with a dual, are tight.
func TestMatchingIsProved(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	nested := 0
	for k := range 150 {
		c := randomCosts(random, 2*(1+random.IntN(60)), limits[k%len(limits)])
		if k%3 == 0 {
			c = euclidean(random, c.n).closureOf(t)
		}
		m := newMatcher(c, everyone(c.n))
		m.greedy()
		for v := range int32(m.n) {
			if m.mate[v] < 0 {
				m.grow(v)
			}
		}
		nested += m.prove(t)
	}
	if nested == 0 {
		t.Error("no blossom was within another one")
	}
}

func (m *matcher) prove(t *testing.T) (nested int) {
	t.Helper()
	enclosing := func(v int32) (list []int32) {
		for b := m.parent[v]; b >= 0; b = m.parent[b] {
			list = append(list, b)
		}
		return list
	}
	for u := range int32(m.n) {
		nested += max(0, len(enclosing(u))-1)
		for v := range u {
			slack := m.slack(pair{u, v})
			for _, b := range enclosing(u) {
				for _, other := range enclosing(v) {
					if b == other {
						slack += m.dual[b]
					}
				}
			}
			if slack < 0 || slack > 0 && m.mate[u] == v {
				t.Fatalf("the slack of %d-%d is %d, its mate is %d", u, v, slack, m.mate[u])
			}
		}
	}
	for b := m.n; b < len(m.parts); b++ {
		if m.dual[b] < 0 {
			t.Fatalf("the dual of a blossom is %d", m.dual[b])
		}
		if m.dual[b] == 0 || m.parts[b] == nil {
			continue
		}
		in, inside, vertices := map[int32]bool{}, 0, 0
		m.vertices(int32(b), func(v int32) { in[v] = true })
		for v := range in {
			if vertices++; in[m.mate[v]] {
				inside++
			}
		}
		if inside != vertices-1 {
			t.Fatalf("a blossom of %d vertices with the dual %d has %d that are matched inside", vertices, m.dual[b], inside)
		}
	}
	return nested
}
