package topo

import "fmt"

// FatTree is a tree of three levels of switches with K ports each, as Al-Fares, Loukissas, Vahdat have it (A scalable,
// commodity data center network architecture, 2008): K pods, each with K/2 edge switches of K/2 hosts, and K/2 aggregation
// switches that are linked to all of these, and to K/2 core switches each. Oversubscription leaves only one of so many
// aggregation switches in each pod. Each rail is a tree of its own.
type FatTree struct {
	K, Oversubscription, Rails int
	Hardware
}

func newFatTree() form {
	return &FatTree{Oversubscription: 1, Rails: 1, Hardware: DefaultHardware()}
}

func (f *FatTree) params() []param {
	return append([]param{
		{"k", (*whole)(&f.K), "ports of a switch; there are k³/4 hosts"},
		{"oversubscription", (*whole)(&f.Oversubscription), "hosts for each link upwards of an edge switch"},
		{"rails", (*whole)(&f.Rails), "NICs of each host, each in a tree of its own"},
	}, f.Hardware.params()...)
}

// Topology makes it.
func (f *FatTree) Topology() (*Topology, error) {
	if f.K < 2 || f.K%2 != 0 {
		return nil, fmt.Errorf("k is %d; it must be even, and 2 or more", f.K)
	}
	if err := within("k", f.K, 2); err != nil {
		return nil, err
	}
	half := f.K / 2
	if f.Oversubscription < 1 || half%f.Oversubscription != 0 {
		return nil, fmt.Errorf("oversubscription is %d; it must divide k/2, which is %d", f.Oversubscription, half)
	}
	hosts := int64(f.K) * int64(half) * int64(half)
	if err := f.check(hosts, int64(f.Rails), hosts*3*int64(f.Rails)); err != nil {
		return nil, err
	}
	t := &Topology{Name: fmt.Sprintf("fat tree, k=%d", f.K)}
	for rail := range f.Rails {
		f.makeSwitches(t, rail)
	}
	for pod := range f.K {
		for edge := range half {
			switches := make([]string, f.Rails)
			for rail := range switches {
				switches[rail] = f.edge(rail, pod, edge)
			}
			for range half {
				f.makeHost(t, fmt.Sprintf("pod%d", pod), switches...)
			}
		}
	}
	return t, nil
}

func (f *FatTree) makeSwitches(t *Topology, rail int) {
	half := f.K / 2
	aggregations := half / f.Oversubscription
	core := func(group, i int) string { return f.name(rail, "core%d.%d", group, i) }
	for group := range aggregations {
		for i := range half {
			t.Switches = append(t.Switches, Switch{Name: core(group, i), Level: 2})
		}
	}
	for pod := range f.K {
		zone := fmt.Sprintf("pod%d", pod)
		for edge := range half {
			t.Switches = append(t.Switches, Switch{Name: f.edge(rail, pod, edge), Zone: zone})
		}
		for group := range aggregations {
			aggregation := f.name(rail, "aggregation%d.%d", pod, group)
			t.Switches = append(t.Switches, Switch{Name: aggregation, Zone: zone, Level: 1})
			for edge := range half {
				f.makeLink(t, f.edge(rail, pod, edge), aggregation)
			}
			for i := range half {
				f.makeLink(t, aggregation, core(group, i))
			}
		}
	}
}

func (f *FatTree) edge(rail, pod, i int) string { return f.name(rail, "edge%d.%d", pod, i) }

// name is that of a switch, with its rail if there are several.
func (f *FatTree) name(rail int, format string, numbers ...any) string {
	name := fmt.Sprintf(format, numbers...)
	if f.Rails > 1 {
		name = fmt.Sprintf("rail%d.%s", rail, name)
	}
	return name
}
