package topo

import (
	"errors"
	"fmt"
	"strings"
)

// Torus is a grid of hosts, each with a switch of its own that is linked to the next one in each dimension, and the last
// of a row to its first.
type Torus struct {
	Sizes []int // of each dimension
	Hardware
}

func newTorus() form { return &Torus{Hardware: DefaultHardware()} }

func (g *Torus) params() []param {
	return append([]param{{"", &numbers{&g.Sizes, "x"}, "hosts in each dimension"}}, g.Hardware.params()...)
}

// Topology makes it. Two hosts in a row have one link, not two.
func (g *Torus) Topology() (*Topology, error) {
	if len(g.Sizes) < 1 || len(g.Sizes) > 8 {
		return nil, errors.New("it must have 1 to 8 dimensions")
	}
	hosts := int64(1)
	for _, size := range g.Sizes {
		if err := within("the size of a dimension", size, 1); err != nil {
			return nil, err
		}
		hosts = min(hosts*int64(size), 1<<40)
	}
	if err := g.check(hosts, 1, hosts*int64(1+len(g.Sizes))); err != nil {
		return nil, err
	}
	t := &Topology{Name: "torus of " + strings.ReplaceAll(g.place(g.Sizes), ".", "x")}
	at := make([]int, len(g.Sizes)) // the last dimension changes the fastest
	for range hosts {
		name := "switch" + g.place(at)
		t.Switches = append(t.Switches, Switch{Name: name})
		g.makeHost(t, "", name)
		g.makeRows(t, at)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < g.Sizes[d] {
				break
			}
			at[d] = 0
		}
	}
	return t, nil
}

// makeRows adds the links to the next switch in each dimension.
func (g *Torus) makeRows(t *Topology, at []int) {
	next := make([]int, len(at))
	for d, size := range g.Sizes {
		if size == 1 || size == 2 && at[d] == 1 {
			continue
		}
		copy(next, at)
		next[d] = (at[d] + 1) % size
		g.makeLink(t, "switch"+g.place(at), "switch"+g.place(next))
	}
}

func (g *Torus) place(at []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(at), "[]"), " ", ".")
}
