package ring

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyRing calls f for each order of the nodes that begins with node 0.
func everyRing(n int, f func(order []int)) {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	var try func(k int)
	try = func(k int) {
		if k == n {
			f(order)
			return
		}
		for i := k; i < n; i++ {
			order[k], order[i] = order[i], order[k]
			try(k + 1)
			order[k], order[i] = order[i], order[k]
		}
	}
	try(1)
}

// The slowest hop is the fastest that a ring can have that costs at most 1 % more than the cheapest one.
func TestSlowestAgainstAllRings(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(10, 1))
	other := 0
	for k := range 200 {
		n := 3 + k%5
		m := euclidean(random, n)
		if k%2 == 0 {
			m = metricMatrix(random, n, 100)
		}
		figures := func(order []int) (total, slowest float64) {
			for i, node := range order {
				d := m.At(node, order[(i+1)%n])
				total, slowest = total+d, max(slowest, d)
			}
			return total, slowest
		}
		least, fast, cheap := math.Inf(1), math.Inf(1), math.Inf(1)
		everyRing(n, func(order []int) {
			total, _ := figures(order)
			least = min(least, total)
		})
		everyRing(n, func(order []int) {
			total, slowest := figures(order)
			if total <= 1.01*least {
				fast = min(fast, slowest)
			}
			if total <= least*(1+1e-12) {
				cheap = min(cheap, slowest)
			}
		})
		r := build(t, Links{Cost: m}, Options{})
		if math.Abs(r.LowerBound-least) > 1e-9*least || r.Total > least*1.01*(1+1e-9) || r.Slowest > fast*(1+1e-9) {
			t.Fatalf("case %d: total %v, slowest %v, bound %v; the best have %v and %v",
				k, r.Total, r.Slowest, r.LowerBound, least, fast)
		}
		if fast < cheap {
			other++
		}
	}
	if other == 0 {
		t.Error("never was a ring with a faster slowest hop")
	}
}

// For many nodes the slowest hop becomes faster, the total at most 1 % higher.
func TestSlowestOfMany(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(11, 1))
	faster := 0
	for range 40 {
		c := euclidean(random, 13+random.IntN(80)).closureOf(t)
		f := c.find()
		before, after := newSearch(c, slices.Clone(f.cheapest)), newSearch(c, f.order)
		permutation(t, f.order, c.n)
		if before.total() != f.total || f.bound > f.total || after.total() > f.total+f.total/100 || after.slowest() > before.slowest() {
			t.Fatalf("total %d, slowest %d; they were %d, %d, and the bound %d",
				after.total(), after.slowest(), f.total, before.slowest(), f.bound)
		}
		if after.slowest() < slowestBound(c, spanningTree(c, nil)) {
			t.Fatal("the slowest hop is faster than its bound")
		}
		if after.slowest() < before.slowest() {
			faster++
		}
	}
	t.Logf("in %d of 40 cases the slowest hop is faster than in the cheapest ring", faster)
	if faster == 0 {
		t.Error("that is never")
	}
}

// What links cost is what they cost over others, where that is cheaper, and the paths are those ways.
func TestClosure(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(12, 1))
	joined := 0
	for k := range 300 {
		n := 2 + k%30
		m := NewMatrix(n)
		for i := range n {
			for j := range i {
				v := float64(1 + random.IntN([]int{2, 9, 1000}[k%3]))
				if i != j+1 && random.IntN(3) > 0 {
					v = NoLink
				}
				m.Set(i, j, v)
				m.Set(j, i, v)
			}
		}
		if k%2 == 0 && n > 4 { // twins
			for i := range n {
				for _, pair := range [][2]int{{1, 2}, {3, 2}} {
					m.Set(i, pair[0], m.At(i, pair[1]))
					m.Set(pair[0], i, m.At(i, pair[1]))
				}
			}
			for _, pair := range [][2]int{{1, 2}, {1, 3}, {2, 3}} {
				m.Set(pair[0], pair[1], 3)
				m.Set(pair[1], pair[0], 3)
			}
		}
		if _, part := spanLinks(&Links{Cost: m}, 0); part != nil {
			continue
		}
		joined++
		want := &Matrix{n, slices.Clone(m.values)}
		want.shorten()
		c := m.closureOf(t)
		for i := range int32(n) {
			for j := range int32(n) {
				if i == j {
					continue
				}
				way, at, got := 0.0, int(i), math.Ldexp(float64(c.at(i, j)), -c.unit)
				for _, next := range append(c.path(i, j), int(j)) {
					way += m.At(at, next)
					at = next
				}
				if got != want.At(int(i), int(j)) || way != got {
					t.Fatalf("case %d: from %d to %d it is %v, the path %v costs %v; want %v",
						k, i, j, got, c.path(i, j), way, want.At(int(i), int(j)))
				}
			}
		}
	}
	if joined < 150 {
		t.Errorf("only %d cases were joined", joined)
	}
}

// Links that are too thin are avoided if others join all nodes; if not, no ring has fewer hops over them.
func TestThin(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(13, 1))
	avoided, unavoidable := 0, 0
	for k := range 300 {
		n := 4 + k%4
		links := Links{Cost: euclidean(random, n), Bandwidth: NewMatrix(n)}
		for i := range n {
			for j := range i {
				cost, b := links.Cost.At(i, j), 1.0
				if k%3 == 0 {
					cost = random.Float64()
				}
				if random.IntN(5) < 3 {
					b = 10
				}
				for _, pair := range [][2]int{{i, j}, {j, i}} {
					links.Cost.Set(pair[0], pair[1], cost)
					links.Bandwidth.Set(pair[0], pair[1], b)
				}
			}
		}
		least, wide := n, links.wide(10)
		everyRing(n, func(order []int) {
			thin := 0
			for i, node := range order {
				if wide.At(node, order[(i+1)%n]) == NoLink {
					thin++
				}
			}
			least = min(least, thin)
		})
		r := build(t, links, Options{Need: 10})
		if len(r.Thin) != least {
			t.Fatalf("case %d: there is a ring with %d thin hops; got %+v", k, least, r)
		}
		if free := build(t, Links{Cost: links.Cost}, Options{}); r.LowerBound > r.Total || free.LowerBound > r.Total*(1+1e-9) {
			t.Fatalf("case %d: %+v, without thin links %+v", k, r, free)
		}
		if len(r.Thin) == 0 {
			avoided++
		} else {
			unavoidable++
		}
	}
	t.Logf("no thin hop in %d cases; in %d there was no other way", avoided, unavoidable)
	if avoided < 50 || unavoidable < 10 {
		t.Error("these are too few")
	}
}

// wide is [NoLink] between nodes that links of a bandwidth do not join.
func (l *Links) wide(bandwidth float64) *Matrix {
	m := NewMatrix(l.Cost.Len())
	for i := range m.n {
		for j := range m.n {
			m.Set(i, j, NoLink)
			if l.Bandwidth.At(i, j) >= bandwidth {
				m.Set(i, j, 1)
			}
		}
	}
	m.shorten()
	return m
}

// Where a thin link must be used, it is used as seldom as possible.
func TestThinZones(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(14, 1))
	for _, n := range []int{8, 100} {
		links := Links{Cost: NewMatrix(n), Bandwidth: NewMatrix(n)}
		for i := range n {
			for j := range i {
				cost, bandwidth := 1+random.Float64(), 10.0
				if i%2 != j%2 {
					cost, bandwidth = cost/4, 1
				}
				for _, pair := range [][2]int{{i, j}, {j, i}} {
					links.Cost.Set(pair[0], pair[1], cost)
					links.Bandwidth.Set(pair[0], pair[1], bandwidth)
				}
			}
		}
		r := build(t, links, Options{Need: 2})
		if len(r.Thin) != 2 || r.Total > 1.06*r.LowerBound {
			t.Errorf("%d nodes: %+v", n, r)
		}
		r = build(t, Links{Cost: links.Cost}, Options{})
		if r.Thin != nil || r.Total > float64(n)*0.6 {
			t.Errorf("%d nodes without a need: %+v", n, r)
		}
	}
}

// Two hops that go through one link need twice as much of it.
func TestThinShare(t *testing.T) {
	t.Parallel()
	inf := math.Inf(1)
	chain := Links{Cost: matrixOf(
		[]float64{0, 1, inf, inf, inf}, []float64{1, 0, 1, inf, inf}, []float64{inf, 1, 0, 1, 1},
		[]float64{inf, inf, 1, 0, inf}, []float64{inf, inf, 1, inf, 0})}
	chain.Bandwidth = NewMatrix(5)
	for i := range chain.Bandwidth.values {
		chain.Bandwidth.values[i] = 1
	}
	if r := build(t, chain, Options{Need: 1}); len(r.Thin) != 0 || r.Total != 8 {
		t.Errorf("each link once in each direction: %+v", r)
	}
	if r := build(t, chain, Options{Need: 1.01}); len(r.Thin) != 5 {
		t.Errorf("all links are too thin: %+v", r)
	}

	links := Links{Cost: NewMatrix(4), Bandwidth: NewMatrix(4)}
	for i := range links.Bandwidth.values {
		links.Bandwidth.values[i] = 2
	}
	twice := &Ring{Order: []int{0, 1, 2, 3}, Paths: [][]int{{3}, {0}, nil, nil}}
	// 0 3 1 0 2 3 0: between 0 and 3 once in either direction
	if thin := links.thin(twice, 2); len(thin) != 0 {
		t.Errorf("no link is passed twice in one direction: %v", thin)
	}
	twice = &Ring{Order: []int{0, 1, 2, 3}, Paths: [][]int{nil, nil, {0, 1}, nil}} // 0 1 2 0 1 3 0: 0-1 twice
	if thin := links.thin(twice, 1); len(thin) != 0 {
		t.Errorf("no link is too thin: %v", thin)
	}
	if thin := links.thin(twice, 1.5); !slices.Equal(thin, [][2]int{{0, 1}, {2, 3}}) {
		t.Errorf("from 0 to 1 the link is too thin for two hops: %v", thin)
	}
}
