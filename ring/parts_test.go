package ring

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Christofides' ring costs no more than what it is made of.
func TestChristofides(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(15, 1))
	for range 100 {
		c := euclidean(random, 3+random.IntN(100)).closureOf(t)
		tree := spanningTree(c, nil)
		links, limit := make([]int, c.n), int64(c.n) // costs are rounded
		for _, b := range tree {
			links[b.from]++
			links[b.to]++
			limit += b.cost
		}
		var odd []int32
		for node, k := range links {
			if k%2 == 1 {
				odd = append(odd, int32(node))
			}
		}
		for i, mate := range perfectMatching(c, odd) {
			if i < int(mate) {
				limit += c.at(odd[i], odd[mate])
			}
		}
		order := christofides(c, tree)
		permutation(t, order, c.n)
		if cost := ringCost(c, order); cost > limit {
			t.Fatalf("%d nodes: the ring costs %d, the tree and the matching %d", c.n, cost, limit)
		}
	}
}

// On a line, pieces that join at their nearest ends make the best ring: there and back.
func TestDendrogramOfALine(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(16, 1))
	for n := 3; n < 60; n++ {
		at := random.Perm(10 * n)[:n]
		m := NewMatrix(n)
		for i := range n {
			for j := range n {
				m.Set(i, j, math.Abs(float64(at[i]-at[j])))
			}
		}
		c := m.closureOf(t)
		order := dendrogram(c, spanningTree(c, nil))
		permutation(t, order, n)
		got, want := math.Ldexp(float64(ringCost(c, order)), -c.unit), float64(2*(slices.Max(at)-slices.Min(at)))
		if got != want {
			t.Fatalf("the ring through %v costs %v, the best one %v", at, got, want)
		}
	}
}

// Promising are the nearest nodes, and those for which the cheapest tree with the link to them costs the least.
func TestPromising(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(17, 1))
	const n = 30
	for range 20 {
		c := euclidean(random, n).closureOf(t)
		price := make([]int64, n)
		for i := range price {
			price[i] = random.Int64N(c.cost[1] / 4)
		}
		priced := func(i, j int) int64 { return c.at(int32(i), int32(j)) + price[i] + price[j] }
		within := make([][]int64, n) // the least cost of which links must be to lead from one to another
		for i := range n {
			for j := range n {
				within[i] = append(within[i], priced(i, j))
			}
		}
		for over := range n {
			for i := range n {
				for j := range n {
					within[i][j] = min(within[i][j], max(within[i][over], within[over][j]))
				}
			}
		}
		for i, list := range promising(c, price) {
			for j := range n {
				if j == i || slices.Contains(list, int32(j)) {
					continue
				}
				nearer, better := 0, 0
				for k := range n {
					if k != i && c.at(int32(i), int32(k)) <= c.at(int32(i), int32(j)) {
						nearer++
					}
					if k != i && priced(i, k)-within[i][k] <= priced(i, j)-within[i][j] {
						better++
					}
				}
				if nearer <= neighbours || better <= neighbours {
					t.Fatalf("%d is not promising for %d, but only %d are nearer, and %d better", j, i, nearer-1, better-1)
				}
			}
			if !slices.IsSortedFunc(list, func(a, b int32) int { return cmp.Compare(c.at(int32(i), a), c.at(int32(i), b)) }) {
				t.Fatalf("the nearest are not first: %v", list)
			}
		}
	}
}

// The cheapest ways, and what they pass, are those that Floyd's algorithm finds with one node after the other.
func TestShortest(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 21))
		n, limit, missing := 1+random.IntN(60), []int64{3, 1000, 1 << 45}[seed%3], random.Float64()*random.Float64()
		cost := make([]int64, n*n)
		for i := range n {
			for j := range i {
				v := random.Int64N(limit)
				if random.Float64() < missing {
					v = none
				}
				cost[i*n+j], cost[j*n+i] = v, v
			}
		}
		want := slices.Clone(cost)
		wantVia := floyd(want, n)
		via := shortest(cost, n, func(float64) {})
		if !slices.Equal(cost, want) || !slices.Equal(via, wantVia) {
			t.Fatalf("seed %d, %d nodes: costs %v over %v, want %v over %v", seed, n, cost, via, want, wantVia)
		}
	}
}

// floyd does what [shortest] does, plainly.
func floyd(cost []int64, n int) (via []int32) {
	via = make([]int32, n*n)
	for i := range via {
		via[i] = -1
	}
	changed := false
	for m := range n {
		for i := range n {
			for j := range n {
				way := uint64(cost[i*n+m]) + uint64(cost[m*n+j])
				if way+slack < uint64(cost[i*n+j]) && i != m && j != m && i != j {
					cost[i*n+j], via[i*n+j], changed = int64(way), int32(m), true
				}
			}
		}
	}
	if !changed {
		return nil
	}
	return via
}
