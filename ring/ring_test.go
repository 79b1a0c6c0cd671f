package ring

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// euclidean is the distances between random points of a square.
func euclidean(random *rand.Rand, n int) *Matrix {
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		x[i], y[i] = random.Float64(), random.Float64()
	}
	m := NewMatrix(n)
	for i := range n {
		for j := range n {
			m.Set(i, j, math.Hypot(x[i]-x[j], y[i]-y[j]))
		}
	}
	return m
}

// metricMatrix is random costs, made metric.
func metricMatrix(random *rand.Rand, n int, limit int64) *Matrix {
	m := NewMatrix(n)
	for i, v := range randomCosts(random, n, limit).cost {
		m.values[i] = float64(v)
	}
	m.shorten()
	return m
}

// shorten makes the matrix metric.
func (m *Matrix) shorten() {
	for over := range m.n {
		for i := range m.n {
			for j := range m.n {
				if i == j {
					m.Set(i, j, 0)
				}
				m.Set(i, j, min(m.At(i, j), m.At(i, over)+m.At(over, j)))
			}
		}
	}
}

func (m *Matrix) closureOf(t *testing.T) *costs {
	t.Helper()
	g, part := newGraph(&Links{Cost: m}, 0)
	if part != nil {
		t.Fatal("the nodes are apart")
	}
	return g.closure(nil)
}

// leastRing tries all orders.
func leastRing(c *costs) int64 {
	order, best := everyone(c.n), none
	var try func(k int, so int64)
	try = func(k int, so int64) {
		if k == c.n {
			best = min(best, so+c.at(order[k-1], order[0]))
			return
		}
		for i := k; i < c.n; i++ {
			order[k], order[i] = order[i], order[k]
			if cost := so + c.at(order[k-1], order[k]); cost < best || best == 0 {
				try(k+1, cost)
			}
			order[k], order[i] = order[i], order[k]
		}
	}
	try(1, 0)
	return best
}

func permutation(t *testing.T, order []int32, n int) {
	t.Helper()
	if sorted := slices.Sorted(slices.Values(order)); !slices.Equal(sorted, everyone(n)) {
		t.Fatalf("no ring of %d nodes: %v", n, order)
	}
}

func TestAgainstAllRings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 6))
	const cases = 600
	worst, worstAfter, sumBefore, sumAfter, counted := 0.0, 0.0, 0.0, 0.0, 0.0
	for k := range cases {
		n := 4 + k%6
		m := metricMatrix(random, n, limits[2+k/6%4])
		if k%2 == 0 {
			m = euclidean(random, n)
		}
		c := m.closureOf(t)
		best := leastRing(c)
		tree := spanningTree(c, nil)
		order := christofides(c, tree)
		permutation(t, order, n)
		before := ringCost(c, order)
		s := newSearch(c, order)
		s.pushAll()
		if gain := s.run(); gain != before-s.total() {
			t.Fatalf("case %d: the search says that it gained %d, of %d it left %d", k, gain, before, s.total())
		}
		permutation(t, s.order, n)
		if _, exact := cheapest(n, c.at); exact != best {
			t.Fatalf("case %d: the cheapest ring costs %d, but %d was found", k, best, exact)
		}
		priced, _ := ascent(c, before, 100)
		if bound, _ := treeBound(tree); bound > best || priced > best {
			t.Fatalf("case %d: bounds of %d and %d, but a ring costs %d", k, bound, priced, best)
		}
		if best == 0 {
			if before != 0 {
				t.Fatalf("case %d: a ring costs nothing, but %d was found", k, before)
			}
			continue
		}
		counted++
		ratio, after := float64(before)/float64(best), float64(s.total())/float64(best)
		worst, worstAfter = max(worst, ratio), max(worstAfter, after)
		sumBefore, sumAfter = sumBefore+ratio, sumAfter+after
	}
	t.Logf("%.0f matrices of 4 to 9 nodes, against all rings: before local search %.4f in the mean, %.4f at most; "+
		"after it %.4f and %.4f",
		counted, sumBefore/counted, worst, sumAfter/counted, worstAfter)
	if worst > 1.5 || sumAfter > 1.02*counted || worst <= 1 {
		t.Error("that is more than 1.5 at most before, or than 1.02 in the mean after; or nothing was to be done")
	}
}

func TestQualityAndTime(t *testing.T) {
	for _, n := range []int{100, 300, 1000} {
		start := time.Now()
		r, err := Build(Links{Cost: euclidean(rand.New(rand.NewPCG(7, uint64(n))), n)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(start)
		t.Logf("%d points: total %.4f, %.2f %% above the lower bound %.4f, slowest %.4f, %.2f s", n,
			r.Total, 100*(r.Total/r.LowerBound-1), r.LowerBound, r.Slowest, took.Seconds())
		if r.Total > 1.05*r.LowerBound {
			t.Error("that is more than 5 %")
		}
		if took > 10*time.Second {
			t.Error("that is more than 10 s")
		}
	}
}
