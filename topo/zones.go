package topo

import (
	"errors"
	"fmt"
)

// Zones is groups of hosts, each group around one switch, and a slow link between every two of these switches.
type Zones struct {
	Sizes       []int // hosts of each
	Slow        float64
	SlowLatency float64
	Hardware
}

func newZones() form {
	return &Zones{Slow: 1.25e9, SlowLatency: 50e-6, Hardware: DefaultHardware()}
}

func (z *Zones) params() []param {
	return append([]param{
		{"", &numbers{&z.Sizes, "+"}, "hosts of each zone"},
		{"slow", (*bandwidth)(&z.Slow), "bandwidth of a link between zones, in each direction"},
		{"slow-latency", (*seconds)(&z.SlowLatency), "of a link between zones"},
	}, z.Hardware.params()...)
}

// Topology makes it.
func (z *Zones) Topology() (*Topology, error) {
	hosts, n := int64(0), int64(len(z.Sizes))
	for _, size := range z.Sizes {
		if err := within("the size of a zone", size, 1); err != nil {
			return nil, err
		}
		hosts += int64(size)
	}
	if err := z.check(hosts, 1, hosts+n*(n-1)/2); err != nil {
		return nil, err
	}
	if z.Slow == 0 {
		return nil, errors.New("slow is 0; it must be above 0")
	}
	if err := positive("a slow link's", z.Slow, z.SlowLatency); err != nil {
		return nil, err
	}
	t := &Topology{Name: fmt.Sprintf("%d zones", n)}
	for i, size := range z.Sizes {
		zone := fmt.Sprintf("zone%d", i)
		t.Switches = append(t.Switches, Switch{Name: zone, Zone: zone})
		for range size {
			z.makeHost(t, zone, zone)
		}
	}
	for i := range z.Sizes {
		for j := range i {
			t.Links = append(t.Links, Link{A: t.Switches[j].Name, B: t.Switches[i].Name, Bandwidth: z.Slow, Latency: z.SlowLatency})
		}
	}
	return t, nil
}
