package topo

import (
	"errors"
	"fmt"
)

// The largest topology that a generator makes, and that is read from a file.
const (
	MostHosts = 1 << 16
	MostLinks = 1 << 20
)

// Hardware is what the parts of a generated topology are like.
type Hardware struct {
	Bandwidth float64 // of each link, in each direction
	Latency   float64 // of each link, with the port that it leaves through
	Memory    Memory  // of each host
	Domains   int     // NUMA domains of each host; its NICs are dealt out to them in blocks
	Bus       float64 // between a domain and its NICs; 0 is without limit
}

// DefaultHardware is links of 100 Gbit/s, and hosts with one NUMA domain.
func DefaultHardware() Hardware {
	return Hardware{Bandwidth: 12.5e9, Latency: 500e-9, Memory: Memory{Bandwidth: 50e9, Latency: 300e-9}, Domains: 1}
}

func (h *Hardware) params() []param {
	return []param{
		{"bandwidth", (*bandwidth)(&h.Bandwidth), "of each link, in each direction"},
		{"latency", (*seconds)(&h.Latency), "of each link"},
		{"memory", (*bandwidth)(&h.Memory.Bandwidth), "bandwidth between ranks of one host"},
		{"memory-latency", (*seconds)(&h.Memory.Latency), "between ranks of one host"},
		{"numa", (*whole)(&h.Domains), "NUMA domains of each host"},
		{"bus", (*limit)(&h.Bus), "bandwidth between a NUMA domain and its NICs"},
	}
}

// check looks at the hardware, and at how much of it there would be.
func (h *Hardware) check(hosts, rails, links int64) error {
	switch {
	case h.Bandwidth == 0:
		return errors.New("bandwidth is 0; it must be above 0")
	case h.Domains < 1 || h.Domains > 64:
		return fmt.Errorf("numa is %d; it must be 1 to 64", h.Domains)
	case rails < 1 || rails > 64:
		return fmt.Errorf("rails is %d; it must be 1 to 64", rails)
	case hosts < 1 || hosts > MostHosts:
		return fmt.Errorf("it would have %d hosts; it must have 1 to %d", hosts, MostHosts)
	case links > MostLinks:
		return fmt.Errorf("it would have %d links; it may have %d", links, MostLinks)
	}
	if err := positive("a link's", h.Bandwidth, h.Latency); err != nil {
		return err
	}
	if err := positive("the memory's", h.Memory.Bandwidth, h.Memory.Latency); err != nil {
		return err
	}
	return positive("the bus's", h.Bus, 0)
}

// within checks numbers that sizes are worked out from, so that no product of three of them overflows.
func within(name string, n, least int) error {
	if n < least || n > MostHosts {
		return fmt.Errorf("%s is %d; it must be %d to %d", name, n, least, MostHosts)
	}
	return nil
}

// makeHost adds a host whose NICs, one for each rail, are linked to these switches.
func (h *Hardware) makeHost(t *Topology, zone string, switches ...string) {
	host := Host{Name: fmt.Sprintf("h%d", len(t.Hosts)), Zone: zone, Memory: h.Memory}
	for d := range h.Domains {
		host.NUMA = append(host.NUMA, NUMA{ID: d, Bandwidth: h.Bus})
	}
	for rail, s := range switches {
		nic := NIC{Name: fmt.Sprintf("nic%d", rail), NUMA: rail * h.Domains / len(switches), Rail: rail}
		host.NICs = append(host.NICs, nic)
		h.makeLink(t, host.Name+"/"+nic.Name, s)
	}
	t.Hosts = append(t.Hosts, host)
}

func (h *Hardware) makeLink(t *Topology, a, b string) {
	t.Links = append(t.Links, Link{A: a, B: b, Bandwidth: h.Bandwidth, Latency: h.Latency})
}
