package topo

import (
	"errors"
	"fmt"
)

// Dragonfly is groups of routers (Kim, Dally, Scott, Abts: Technology-driven, highly-scalable dragonfly topology, 2008):
// each of A routers has P hosts, a link to every other of its group, and H links to other groups. These are shared out
// evenly; what does not come out even is left unused.
type Dragonfly struct {
	P, A, H       int
	Groups        int // 0 is as many as there can be: A*H+1
	Global        float64
	GlobalLatency float64
	Hardware
}

func newDragonfly() form {
	d := &Dragonfly{Hardware: DefaultHardware()}
	d.Global, d.GlobalLatency = d.Bandwidth, d.Latency
	return d
}

func (d *Dragonfly) params() []param {
	return append([]param{
		{"p", (*whole)(&d.P), "hosts of a router"},
		{"a", (*whole)(&d.A), "routers of a group"},
		{"h", (*whole)(&d.H), "links of a router to other groups"},
		{"groups", (*fill)(&d.Groups), "groups; as many as there can be: a*h+1"},
		{"global", (*bandwidth)(&d.Global), "bandwidth of a link between groups, in each direction"},
		{"global-latency", (*seconds)(&d.GlobalLatency), "of a link between groups"},
	}, d.Hardware.params()...)
}

// Topology makes it.
func (d *Dragonfly) Topology() (*Topology, error) {
	groups, err := d.groups()
	if err != nil {
		return nil, err
	}
	t := &Topology{Name: fmt.Sprintf("dragonfly, p=%d, a=%d, h=%d", d.P, d.A, d.H)}
	for g := range groups {
		d.makeGroup(t, g)
	}
	for g := range groups {
		for other := range g {
			d.makeGlobal(t, groups, other, g)
		}
	}
	return t, nil
}

// groups checks all numbers, and gives how many there are.
func (d *Dragonfly) groups() (int, error) {
	for _, n := range []struct {
		name     string
		n, least int
	}{{"p", d.P, 1}, {"a", d.A, 1}, {"h", d.H, 0}, {"groups", d.Groups, 0}} {
		if err := within(n.name, n.n, n.least); err != nil {
			return 0, err
		}
	}
	most := int64(d.A)*int64(d.H) + 1
	groups := int64(d.Groups)
	if groups == 0 {
		groups = most
	}
	if groups > most {
		return 0, fmt.Errorf("groups is %d; it must be at most a*h+1, which is %d", groups, most)
	}
	if d.Global == 0 {
		return 0, errors.New("global is 0; it must be above 0")
	}
	if err := positive("a link between groups:", d.Global, d.GlobalLatency); err != nil {
		return 0, err
	}
	routers := min(groups*int64(d.A), 1<<40)
	hosts := min(routers, MostHosts+1) * int64(d.P)
	return int(groups), d.check(hosts, 1, hosts+min(routers, MostHosts+1)*int64(d.A+d.H))
}

// makeGroup adds its hosts and routers, and the links between them.
func (d *Dragonfly) makeGroup(t *Topology, group int) {
	zone := fmt.Sprintf("group%d", group)
	for i := range d.A {
		name := router(group, i)
		t.Switches = append(t.Switches, Switch{Name: name, Zone: zone})
		for range d.P {
			d.makeHost(t, zone, name)
		}
		for other := range i {
			d.makeLink(t, router(group, other), name)
		}
	}
}

// makeGlobal adds the links between two groups. A group numbers its links to others by how many groups on they are.
func (d *Dragonfly) makeGlobal(t *Topology, groups, a, b int) {
	for turn := range d.A * d.H / (groups - 1) {
		from := (turn*(groups-1) + b - a - 1) / d.H
		to := (turn*(groups-1) + groups + a - b - 1) / d.H
		t.Links = append(t.Links, Link{A: router(a, from), B: router(b, to), Bandwidth: d.Global, Latency: d.GlobalLatency})
	}
}

func router(group, i int) string { return fmt.Sprintf("router%d.%d", group, i) }
