package topo

import "fmt"

// Rails is hosts of several NICs. The n-th NICs of all hosts are rail n: they have leaf switches of their own, with Leaf
// hosts each. Every leaf switch of every rail is linked to every spine switch; there is one spine for so many hosts of a
// leaf switch as Oversubscription says. So messages within a rail never meet those of another, but on buses.
type Rails struct {
	Hosts, Rails, Leaf, Oversubscription int
	Hardware
}

func newRails() form {
	r := &Rails{Rails: 8, Leaf: 32, Oversubscription: 1, Hardware: DefaultHardware()}
	r.Domains = 2
	return r
}

func (r *Rails) params() []param {
	return append([]param{
		{"hosts", (*whole)(&r.Hosts), "how many hosts"},
		{"rails", (*whole)(&r.Rails), "NICs of each host"},
		{"leaf", (*whole)(&r.Leaf), "hosts of a leaf switch"},
		{"oversubscription", (*whole)(&r.Oversubscription), "hosts for each link upwards of a leaf switch"},
	}, r.Hardware.params()...)
}

// Topology makes it.
func (r *Rails) Topology() (*Topology, error) {
	if err := within("hosts", r.Hosts, 1); err != nil {
		return nil, err
	}
	if err := within("leaf", r.Leaf, 1); err != nil {
		return nil, err
	}
	if r.Oversubscription < 1 || r.Leaf%r.Oversubscription != 0 {
		return nil, fmt.Errorf("oversubscription is %d; it must divide leaf, which is %d", r.Oversubscription, r.Leaf)
	}
	spines, leaves := r.Leaf/r.Oversubscription, (r.Hosts+r.Leaf-1)/r.Leaf
	if leaves == 1 {
		spines = min(spines, 1) // nothing but messages between rails goes there
	}
	links := int64(r.Rails) * (int64(r.Hosts) + int64(leaves)*int64(spines))
	if err := r.check(int64(r.Hosts), int64(r.Rails), links); err != nil {
		return nil, err
	}
	t := &Topology{Name: fmt.Sprintf("%d hosts on %d rails", r.Hosts, r.Rails)}
	for s := range spines {
		t.Switches = append(t.Switches, Switch{Name: fmt.Sprintf("spine%d", s), Level: 1})
	}
	for leaf := range leaves {
		r.makeLeaf(t, leaf, spines)
	}
	return t, nil
}

// makeLeaf adds the hosts of one leaf switch in each rail, and these switches.
func (r *Rails) makeLeaf(t *Topology, leaf, spines int) {
	zone := fmt.Sprintf("unit%d", leaf)
	switches := make([]string, r.Rails)
	for rail := range switches {
		switches[rail] = fmt.Sprintf("rail%d.leaf%d", rail, leaf)
		t.Switches = append(t.Switches, Switch{Name: switches[rail], Zone: zone})
		for s := range spines {
			r.makeLink(t, switches[rail], fmt.Sprintf("spine%d", s))
		}
	}
	for range min(r.Leaf, r.Hosts-leaf*r.Leaf) {
		r.makeHost(t, zone, switches...)
	}
}
