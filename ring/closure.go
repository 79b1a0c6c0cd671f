package ring

import (
	"math/bits"
	"slices"
)

// costs is what a hop between any two nodes costs, over other nodes where that is cheaper: the metric closure.
type costs struct {
	n       int
	unit    int     // as of the graph
	class   []int32 // by node
	first   []int32 // by class: a node of it
	cost    []int64 // by two classes; within one, of a hop between two of its nodes
	via     []int32 // by two classes: a class that the way passes, or -1; nil: no way passes any
	viaThin []int32 // the same, of hops that cost the penalty or more
	penalty int64   // what a hop over thin links costs more than its way: more than any ring does

	progress func(what string, fraction float64) // of [Options]
}

func (c *costs) at(i, j int32) int64 { return c.cost[int(c.class[i])*len(c.first)+int(c.class[j])] }

// closure finds the cheapest ways. One over links that are wide enough is better than any other.
func (g *graph) closure(progress func(what string, fraction float64)) *costs {
	c := &costs{n: g.n, unit: g.unit, penalty: none, progress: progress}
	c.class, c.first = g.twins()
	k := len(c.first)
	c.cost = g.ofClasses(c)
	all, wide := slices.Clone(c.cost), c.cost
	thins := false
	for i, v := range all {
		if v != none && v&thin != 0 {
			all[i], wide[i], thins = v&^thin, none, true
		}
	}
	ways := func(fraction float64) { c.report("the cheapest ways", fraction) }
	c.via = shortest(wide, k, ways)
	if !thins || !slices.Contains(wide, none) {
		return c
	}
	c.penalty = 1 << (55 - bits.Len(uint(g.n)))
	c.viaThin = shortest(all, k, ways)
	for i, v := range wide {
		if v == none {
			wide[i] = all[i] + c.penalty
		}
	}
	return c
}

// ofClasses is the links between classes of twins.
func (g *graph) ofClasses(c *costs) []int64 {
	k := len(c.first)
	links, second := make([]int64, k*k), make([]int64, k)
	for i, class := range c.class {
		if first := c.first[class]; int(first) != i {
			second[class] = g.cost[i*g.n+int(first)]
		}
	}
	for a, i := range c.first {
		for b, j := range c.first {
			links[a*k+b] = g.cost[int(i)*g.n+int(j)]
		}
		links[a*k+a] = second[a] // 0 for a class of one node: nothing asks for it
	}
	return links
}

// report tells how much is done of something.
func (c *costs) report(what string, fraction float64) {
	if c.progress != nil {
		c.progress(what, fraction)
	}
}

// path is the nodes that a hop passes, in the order of the way from i to j.
func (c *costs) path(i, j int32) []int {
	via := c.via
	if c.at(i, j) >= c.penalty {
		via = c.viaThin
	}
	var path []int
	if via != nil {
		path = c.between(via, c.class[i], c.class[j], nil)
	}
	return path
}

func (c *costs) between(via []int32, a, b int32, path []int) []int {
	m := via[int(a)*len(c.first)+int(b)]
	if m < 0 {
		return path
	}
	path = c.between(via, a, m, path)
	path = append(path, int(c.first[m]))
	return c.between(via, m, b, path)
}
