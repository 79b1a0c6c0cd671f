package plan

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// permutations are all orders of n ranks.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, shorter := range permutations(n - 1) {
		for i := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), i, n-1))
		}
	}
	return all
}

// checkAlong wants a subject's programs to pass along an order.
func checkAlong(t *testing.T, s subject, order []int, root int, inPlace mix, o CheckOptions) {
	t.Helper()
	s.Builder = s.Along(order)
	o.Order = s.Order
	programs := s.programs(len(order), root, inPlace)
	if err := Check(programs, s.Collective, root, o); err != nil {
		t.Fatalf("%v along %v, root %d, rank 0 in place: %v, %+v: %v", s, order, root, inPlace(0), o, err)
	}
}

// Every algorithm computes the same along any order: all orders of up to 4 ranks, with all roots, and random ones of more.
func TestAlong(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(*base, 2))
			world := func(ranks int) CheckOptions {
				worlds := s.options(random.Uint64N(1 << 32))
				return worlds[random.IntN(len(worlds))]
			}
			for ranks := 1; ranks <= 4; ranks++ {
				for _, order := range permutations(ranks) {
					for root := range s.roots(ranks) {
						checkAlong(t, s, order, root, someInPlace(random.Uint64()), world(ranks))
					}
				}
			}
			for ranks := 5; ranks <= 24; ranks++ {
				order := random.Perm(ranks)
				root := s.root(ranks, random.IntN(ranks))
				checkAlong(t, s, order, root, someInPlace(random.Uint64()), world(ranks))
			}
		})
	}
}

// Along rank order nothing changes, nor does an order's algorithm when the caller changes the order.
func TestAlongKeeps(t *testing.T) {
	order := []int{2, 0, 1}
	for _, b := range builders {
		if same := b.Along([]int{0, 1, 2}); same.Order != b.Order || !reflect.DeepEqual(same.Programs(3, 0), b.Programs(3, 0)) {
			t.Errorf("%v/%s differs along rank order", b.Collective, b.Name)
		}
		along := b.Along(order)
		if along.Order != AnyOrder {
			t.Errorf("%v/%s keeps %v along another order", b.Collective, b.Name, along.Order)
		}
		before := along.Programs(3, 0)
		order[0], order[1] = order[1], order[0]
		if !reflect.DeepEqual(along.Programs(3, 0), before) {
			t.Errorf("%v/%s changes with the caller's order", b.Collective, b.Name)
		}
		order[0], order[1] = order[1], order[0]
	}
}

// A ring along an order passes everything on from each rank to the next in it.
func TestAlongRing(t *testing.T) {
	order := []int{3, 1, 4, 0, 2}
	for p, r := range order {
		program := ringAllReduce.Along(order).Build(Role{Rank: r, Ranks: len(order)})
		for _, s := range program.Steps {
			for _, to := range s.To {
				if want := order[(p+1)%len(order)]; to != want {
					t.Errorf("rank %d sends to rank %d, not to %d", r, to, want)
				}
			}
		}
	}
}

// What is no order is a mistake in the calling program.
func TestAlongRefuses(t *testing.T) {
	for _, order := range [][]int{{1}, {0, 0}, {-1, 0}, {0, 2, 1, 3, 3}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%v passes as an order", order)
				}
			}()
			ringAllReduce.Along(order)
		}()
	}
}

// Those builders, and only those, that say so make the program of each rank by rotating that of rank 0.
func TestRotates(t *testing.T) {
	some := 0
	for _, b := range builders {
		rotates := true
		for ranks := 1; ranks <= 20; ranks++ {
			all := b.Programs(ranks, 0)
			for r, p := range all {
				same := reflect.DeepEqual(p, all[0].Rotated(b.Collective, Role{Rank: r, Ranks: ranks}))
				rotates = rotates && same
				if b.Rotates && !same {
					t.Fatalf("%v/%s, %d ranks: rank %d does something else than rank 0", b.Collective, b.Name, ranks, r)
				}
			}
		}
		if rotates && !b.Rotates {
			t.Errorf("%v/%s rotates, and does not say so", b.Collective, b.Name)
		}
		if b.Rotates {
			some++
		}
	}
	if some == 0 {
		t.Error("nobody rotates")
	}
}
