package ring

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// matrixOf makes a matrix from rows.
func matrixOf(rows ...[]float64) *Matrix {
	m := NewMatrix(len(rows))
	for i, row := range rows {
		for j, v := range row {
			m.Set(i, j, v)
		}
	}
	return m
}

// build finds a ring and checks that it is one, and that its figures are those of its hops.
func build(t interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}, l Links, o Options) *Ring {
	t.Helper()
	r, err := Build(l, o)
	if err != nil {
		t.Fatal(err)
	}
	n := l.Cost.Len()
	if len(r.Order) != n || len(r.Paths) != n || r.Order[0] != 0 {
		t.Fatalf("no ring of %d nodes: %+v", n, r)
	}
	for i, node := range slices.Sorted(slices.Values(r.Order)) {
		if i != node {
			t.Fatalf("no ring of %d nodes: %v", n, r.Order)
		}
	}
	if n == 1 {
		return r
	}
	total, slowest := 0.0, 0.0
	for i, from := range r.Order {
		hop, to := 0.0, r.Order[(i+1)%n]
		for _, next := range append(slices.Clone(r.Paths[i]), to) {
			hop += max(l.Cost.At(from, next), l.Cost.At(next, from))
			from = next
		}
		total, slowest = total+hop, max(slowest, hop)
	}
	if math.Abs(total-r.Total) > 1e-9*total || slowest != r.Slowest || !(r.LowerBound <= r.Total) || !(r.LowerBound >= 0) {
		t.Fatalf("total %v, slowest %v, lower bound %v; the hops have %v, %v",
			r.Total, r.Slowest, r.LowerBound, total, slowest)
	}
	return r
}

func TestSmallRings(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	for _, c := range []struct {
		about               string
		m                   *Matrix
		order               []int
		total, slowest, low float64
		paths               [][]int
	}{
		{"one node", matrixOf([]float64{math.NaN()}), []int{0}, 0, 0, 0, nil},
		{"two nodes", matrixOf([]float64{0, 3}, []float64{3, 0}), []int{0, 1}, 6, 3, 6, nil},
		{"two nodes at the same place", matrixOf([]float64{0, 0}, []float64{0, 0}), []int{0, 1}, 0, 0, 0, nil},
		{"three nodes", matrixOf([]float64{0, 3, 4}, []float64{3, 0, 5}, []float64{4, 5, 0}), []int{0, 1, 2}, 12, 5, 12, nil},
		{"a chain", matrixOf([]float64{0, 1, inf}, []float64{1, 0, 2}, []float64{inf, 2, 0}), []int{0, 1, 2}, 6, 3, 6, [][]int{nil, nil, {1}}},
		{"a detour", matrixOf([]float64{0, 1, 9}, []float64{1, 0, 2}, []float64{9, 2, 0}), []int{0, 1, 2}, 6, 3, 6, [][]int{nil, nil, {1}}},
		{"ties", matrixOf([]float64{0, 2, 2, 2}, []float64{2, 0, 2, 2}, []float64{2, 2, 0, 2}, []float64{2, 2, 2, 0}), []int{0, 1, 2, 3}, 8, 2, 8, nil},
	} {
		r := build(t, Links{Cost: c.m}, Options{})
		same := c.about == "ties" || slices.Equal(r.Order, c.order) // all of these are equally good
		for i, p := range c.paths {
			same = same && slices.Equal(p, r.Paths[i])
		}
		if !same || r.Total != c.total || r.Slowest != c.slowest || r.LowerBound != c.low || r.Gap != (Gap{}) || r.Thin != nil {
			t.Errorf("%s: got %+v, want %+v", c.about, r, c)
		}
	}
}

// A matrix of a kind with many nodes: all alike, all free, and free or not at random.
func TestTies(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for n := 2; n < 80; n += 7 {
		for _, v := range []float64{0, 1, 1e-300, 1e300, 5e-324} {
			m := NewMatrix(n)
			for i := range m.values {
				m.values[i] = v
			}
			if r := build(t, Links{Cost: m}, Options{}); r.Slowest != v || r.LowerBound != r.Total {
				t.Errorf("%d nodes at %v: %+v", n, v, r)
			}
			for i := range m.values {
				m.values[i] = float64(random.IntN(2)) * v
			}
			build(t, Links{Cost: m}, Options{})
		}
	}
}

func TestWrongLinks(t *testing.T) {
	t.Parallel()
	nan, inf := math.NaN(), math.Inf(1)
	two := func(v float64) *Matrix { return matrixOf([]float64{0, v}, []float64{1, 0}) }
	apart := NewMatrix(40)
	for i := range 40 {
		for j := range 40 {
			if i%8 != j%8 {
				apart.Set(i, j, NoLink)
			}
		}
	}
	for _, c := range []struct {
		l    Links
		need float64
		want string
	}{
		{Links{}, 0, "there are no nodes"},
		{Links{Cost: NewMatrix(0)}, 0, "there are no nodes"},
		{Links{Cost: &Matrix{n: MaxNodes + 1}}, 0, "there are 8193 nodes; a ring has 8192 at most"},
		{Links{Cost: two(nan)}, 0, "the cost from 0 to 1 is NaN; it must be 0 to 1e300, or inf where there is no link"},
		{Links{Cost: two(-1), Names: []string{"a", "b"}}, 0, "the cost from a to b is -1; it must be"},
		{Links{Cost: two(-inf)}, 0, "the cost from 0 to 1 is -Inf"},
		{Links{Cost: two(1e301)}, 0, "the cost from 0 to 1 is 1e+301"},
		{Links{Cost: two(1), Bandwidth: two(nan)}, 0, "the bandwidth from 0 to 1 is NaN; it must be 0 or more"},
		{Links{Cost: two(1), Bandwidth: NewMatrix(3)}, 0, "there are bandwidths for 3 nodes, and costs for 2"},
		{Links{Cost: two(1), Names: []string{"a"}}, 0, "there are 1 names for 2 nodes"},
		{Links{Cost: two(1)}, nan, "a hop needs NaN bytes a second"},
		{Links{Cost: two(1)}, -1, "a hop needs -1 bytes a second"},
		{Links{Cost: two(inf)}, 0, "the nodes are in 2 parts, which no link joins in both directions: {0}, {1}"},
		{Links{Cost: two(inf), Names: []string{"a", "b"}}, 0, ": {a}, {b}"},
		{Links{Cost: matrixOf([]float64{0, inf, 1}, []float64{inf, 0, inf}, []float64{1, inf, 0})}, 0, ": {0, 2}, {1}"},
		{Links{Cost: apart}, 0, "in 8 parts, which no link joins in both directions: " +
			"{0, 8, 16, 24, 32}, {1, 9, 17, 25, 33}, {2, 10, 18, 26, 34}, {3, 11, 19, 27, 35}, 4 more"},
	} {
		if r, err := Build(c.l, Options{Need: c.need}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %+v, %v, want %s", r, err, c.want)
		}
	}
}

// Progress tells of each step in turn, and how much of it is done.
func TestProgress(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 22))
	m := NewMatrix(200)
	for i := range m.Len() {
		for j := range m.Len() {
			m.Set(i, j, random.Float64())
		}
	}
	var told []string
	last := 0.0
	build(t, Links{Cost: m}, Options{Progress: func(what string, fraction float64) {
		if len(told) == 0 || told[len(told)-1] != what {
			told, last = append(told, what), 0
		}
		if fraction < last || fraction >= 1 {
			t.Errorf("%s: %v after %v", what, fraction, last)
		}
		last = fraction
	}})
	if want := []string{"the cheapest ways", "a matching", "a lower bound", "local search"}; !slices.Equal(told, want) {
		t.Errorf("told %q, want %q", told, want)
	}
}

func TestGap(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	r := build(t, Links{Cost: matrixOf([]float64{0, 1, 2}, []float64{3, 0, 4}, []float64{2, 7, 0})}, Options{})
	if r.Gap != (Gap{1, 2, 4, 7}) || r.Total != 3+5+2 { // from 1 to 2 over 0
		t.Errorf("got %+v", r)
	}
	r = build(t, Links{Cost: matrixOf([]float64{0, 1, inf}, []float64{3, 0, 4}, []float64{2, 7, 0})}, Options{})
	if r.Gap != (Gap{0, 2, inf, 2}) || r.Total != 3+7+10 {
		t.Errorf("got %+v", r)
	}
}

// The same links with the nodes in another order give the same ring.
func TestPermuted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		random := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		ties := rapid.Bool().Draw(t, "ties")
		links := Links{Cost: euclidean(random, n)}
		switch {
		case ties:
			links.Cost, _ = fatTree(random, n/4+1, 2, 2)
			n = links.Cost.Len()
		case rapid.Bool().Draw(t, "no metric"):
			for i := range links.Cost.values {
				links.Cost.values[i] = random.Float64()
			}
		}
		options := Options{}
		if rapid.Bool().Draw(t, "bandwidths") {
			links.Bandwidth, options.Need = NewMatrix(n), 1
			for i := range n {
				for j := range i {
					b := random.Float64() * 4
					if ties {
						b = 3 - links.Cost.At(i, j)/2
					}
					links.Bandwidth.Set(i, j, b)
					links.Bandwidth.Set(j, i, b)
				}
			}
		}
		a := build(t, links, options)
		to := random.Perm(n)
		b := build(t, Links{Cost: links.Cost.permuted(to), Bandwidth: links.Bandwidth.permuted(to)}, options)
		if a.Total != b.Total || a.Slowest != b.Slowest || a.LowerBound != b.LowerBound || len(a.Thin) != len(b.Thin) {
			t.Fatalf("total %v, slowest %v, bound %v, %d thin; permuted %v, %v, %v, %d",
				a.Total, a.Slowest, a.LowerBound, len(a.Thin), b.Total, b.Slowest, b.LowerBound, len(b.Thin))
		}
		if ties {
			return
		}
		for i, node := range a.Order {
			a.Order[i] = to[node]
		}
		if !slices.Equal(turned(a.Order), b.Order) {
			t.Fatalf("got %v, want %v", b.Order, turned(a.Order))
		}
	})
}

// permuted is the matrix with node i at to[i].
func (m *Matrix) permuted(to []int) *Matrix {
	if m == nil {
		return nil
	}
	p := NewMatrix(m.n)
	for i := range m.n {
		for j := range m.n {
			p.Set(to[i], to[j], m.At(i, j))
		}
	}
	return p
}

// turned is the ring as Build writes it.
func turned(order []int) []int {
	at := slices.Index(order, 0)
	order = append(slices.Clone(order[at:]), order[:at]...)
	if n := len(order); n > 2 && order[1] > order[n-1] {
		slices.Reverse(order[1:])
	}
	return order
}

// fatTree is the links of a number of nodes, or more, in three levels, in a random order: 2 apart at the same leaf switch, 4 in
// the same pod, 6 elsewhere; and what the best ring costs.
func fatTree(random *rand.Rand, leaves, pods, hosts int) (*Matrix, float64) {
	n := leaves * pods * hosts
	place := random.Perm(n)
	m := NewMatrix(n)
	for i := range n {
		for j := range n {
			a, b := place[i], place[j]
			switch {
			case a/hosts == b/hosts:
				m.Set(i, j, 2)
			case a/hosts/leaves == b/hosts/leaves:
				m.Set(i, j, 4)
			default:
				m.Set(i, j, 6)
			}
		}
	}
	best := 2*(hosts-1)*leaves*pods + 4*(leaves-1)*pods
	if pods > 1 {
		best += 6 * pods
	} else {
		best += 4
	}
	return m, float64(best)
}

// A fat tree of 4,096 nodes: the best ring, and proved to be.
func TestFatTree(t *testing.T) {
	m, best := fatTree(rand.New(rand.NewPCG(8, 8)), 16, 16, 16)
	start := time.Now()
	r := build(t, Links{Cost: m}, Options{})
	took := time.Since(start)
	t.Logf("a fat tree of %d nodes: total %v, lower bound %v, %.2f s", m.Len(), r.Total, r.LowerBound, took.Seconds())
	if r.Total != best || r.LowerBound != best || r.Slowest != 6 {
		t.Errorf("the best ring costs %v, and has hops of up to 6; got %v, %v", best, r.Total, r.Slowest)
	}
	if took > 30*time.Second {
		t.Error("that is more than 30 s")
	}
}

// Two zones that are joined by a slow link are each passed once.
func TestZones(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(9, 9))
	m := euclidean(random, 128)
	for i := range 128 {
		for j := range 128 {
			if i%2 != j%2 {
				m.Set(i, j, m.At(i, j)+100)
			}
		}
	}
	r, crossings := build(t, Links{Cost: m}, Options{}), 0
	for i, node := range r.Order {
		crossings += (node + r.Order[(i+1)%128]) % 2
	}
	t.Logf("two zones of 64 nodes: %d crossings, %.3f %% above the lower bound", crossings, 100*(r.Total/r.LowerBound-1))
	if crossings != 2 || r.Total > 1.01*r.LowerBound {
		t.Errorf("got %+v", r)
	}
}
