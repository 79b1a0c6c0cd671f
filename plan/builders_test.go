package plan

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
)

// TestBuildersAreDescribed: names are unique within a collective, and programs bear them.
func TestBuildersAreDescribed(t *testing.T) {
	seen := map[string]bool{}
	for _, b := range builders {
		name := fmt.Sprintf("%v/%s", b.Collective, b.Name)
		if seen[name] {
			t.Errorf("%s is there twice", name)
		}
		seen[name] = true
		if b.Cost == nil || b.Formula == "" || b.Source == "" || b.About == "" {
			t.Errorf("%s lacks a description", name)
		}
		for ranks := 1; ranks <= 9; ranks++ {
			for r, p := range b.Programs(ranks, 0) {
				if p.Builder != b.Name {
					t.Errorf("%s: the program of rank %d of %d says that it is %q", name, r, ranks, p.Builder)
				}
			}
		}
	}
	for _, c := range Collectives() {
		if len(Builders(c)) == 0 {
			t.Errorf("%v has no builder", c)
		}
	}
}

// TestCuts: in every cut a rank gets what the other half has, from a rank that is in it, and the last cut serves all.
func TestCuts(t *testing.T) {
	for ranks := 2; ranks <= 100; ranks++ {
		for r := range ranks {
			all := cutsOf(r, ranks)
			if rounds := bits.Len(uint(ranks - 1)); len(all) > rounds {
				t.Errorf("rank %d of %d is cut %d times, more than %d", r, ranks, len(all), rounds)
			}
			for i, c := range all {
				server := c.server(r)
				if from, to := c.other(r); server < from || server >= to || !slices.Contains(c.served(server), r) {
					t.Errorf("rank %d of %d, cut %d: rank %d does not serve it", r, ranks, i, server)
				}
				if theirs := cutsOf(server, ranks); theirs[i] != c {
					t.Errorf("rank %d of %d, cut %d: rank %d has another", r, ranks, i, server)
				}
			}
			if last := all[len(all)-1]; len(last.served(r)) == 0 {
				t.Errorf("rank %d of %d serves nobody in its last cut", r, ranks)
			}
		}
	}
}

// TestBinomial: a node's subtree is its children's subtrees, in order, behind itself.
func TestBinomial(t *testing.T) {
	for n := 1; n <= 100; n++ {
		for v := range n {
			_, size, children := binomial(v, n)
			next := v + 1
			for _, c := range children {
				parent, more, _ := binomial(c, n)
				if c != next || parent != v {
					t.Errorf("%d nodes: node %d has the child %d, which should be %d and has the parent %d", n, v, c, next, parent)
				}
				for w := c; w < c+more; w++ {
					if got := childTo(v, w); got != c {
						t.Errorf("%d nodes: from node %d to node %d one goes by %d, not %d", n, v, w, c, got)
					}
				}
				next = c + more
			}
			if next != v+size {
				t.Errorf("%d nodes: node %d has a subtree up to %d, not %d", n, v, v+size, next)
			}
		}
	}
}

// TestTwoTrees: each is a tree of all ranks, in order and of logarithmic height, and nobody is inside both.
func TestTwoTrees(t *testing.T) {
	for n := 1; n <= 100; n++ {
		var inner [2][]bool
		for i := range inner {
			inner[i] = make([]bool, n)
			at := func(v int) place { return twoTrees(v, n)[i] }
			tops := 0
			for v := range n {
				inner[i][v] = len(at(v).children()) > 0
				if at(v).parent < 0 {
					tops++
					if got := inOrderFrom(at, v, bits.Len(uint(n))+1); len(got) != n || !slices.IsSorted(got) {
						t.Errorf("%d ranks, tree %d holds %v", n, i, got)
					}
				}
				for _, c := range at(v).children() {
					if at(c).parent != v {
						t.Errorf("%d ranks, tree %d: rank %d is a child of rank %d, but not the other way round", n, i, c, v)
					}
				}
			}
			if tops != 1 {
				t.Errorf("%d ranks, tree %d has %d tops", n, i, tops)
			}
		}
		for v := range n {
			if inner[0][v] && inner[1][v] {
				t.Errorf("%d ranks: rank %d is inside both trees", n, v)
			}
		}
	}
}

// inOrderFrom lists the ranks of a subtree, from left to right, as far as it is no higher than it may be.
func inOrderFrom(at func(v int) place, v, height int) []int {
	if v < 0 || height == 0 {
		return nil
	}
	all := append(inOrderFrom(at, at(v).left, height-1), v)
	return append(all, inOrderFrom(at, at(v).right, height-1)...)
}
