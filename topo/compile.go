package topo

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Network numbers the topology's parts. The error names what is wrong with it.
func (t *Topology) Network() (*Network, error) {
	c := compiler{n: &Network{Topology: t, toward: map[int32][]int32{}}, nodes: map[string]int32{}}
	if len(t.Hosts) == 0 {
		return nil, errors.New("there are no hosts")
	}
	if !printable(t.Name) {
		return nil, fmt.Errorf("name %q: %s", t.Name, printableRule)
	}
	for _, h := range t.Hosts {
		if err := c.addHost(h); err != nil {
			return nil, fmt.Errorf("host %q: %w", h.Name, err)
		}
	}
	for _, s := range t.Switches {
		if !printable(s.Zone) {
			return nil, fmt.Errorf("switch %q: zone %q: %s", s.Name, s.Zone, printableRule)
		}
		if _, err := c.addNode(s.Name, true); err != nil {
			return nil, fmt.Errorf("switch %q: %w", s.Name, err)
		}
	}
	c.n.first = int32(len(c.n.Links))
	for i, l := range t.Links {
		if err := c.addLink(l); err != nil {
			return nil, fmt.Errorf("link %d, from %q to %q: %w", i, l.A, l.B, err)
		}
	}
	c.findHomes()
	c.findTrunks()
	return c.n, nil
}

// findHomes finds the switch of each NIC, so that all NICs of a switch share its distances.
func (c *compiler) findHomes() {
	c.n.homes = make([]int32, len(c.n.out))
	for node, out := range c.n.out {
		c.n.homes[node] = int32(node)
		if c.n.passes[node] || len(out) == 0 {
			continue
		}
		home := c.n.Links[out[0]].to
		same := c.n.passes[home]
		for _, l := range out {
			same = same && c.n.Links[l].to == home
		}
		if same {
			c.n.homes[node] = home
		}
	}
}

// findTrunks finds the links on which routes go on: few, even of a switch with thousands of hosts.
func (c *compiler) findTrunks() {
	c.n.trunks = make([][]int32, len(c.n.out))
	for node, out := range c.n.out {
		for _, l := range out {
			if c.n.passes[c.n.Links[l].to] {
				c.n.trunks[node] = append(c.n.trunks[node], l)
			}
		}
	}
}

// compiler makes a network.
type compiler struct {
	n     *Network
	nodes map[string]int32 // by name
	caps  []float64        // by node: the bandwidth of a NIC
}

// add adds a directed link. No bandwidth is no limit.
func (c *compiler) add(d Directed) int32 {
	if d.Bandwidth == 0 {
		d.Bandwidth = math.Inf(1)
	}
	c.n.Links = append(c.n.Links, d)
	return int32(len(c.n.Links) - 1)
}

func (c *compiler) addNode(name string, passes bool) (int32, error) {
	if _, twice := c.nodes[name]; twice || name == "" {
		return 0, errors.New("it must have a name, and nothing else the same")
	}
	if !printable(name) {
		return 0, errors.New(printableRule)
	}
	if passes && strings.Contains(name, "/") {
		return 0, errors.New("the name of a switch has no slash, for HOST/NIC has one")
	}
	node := int32(len(c.n.out))
	c.nodes[name] = node
	c.n.out = append(c.n.out, nil)
	c.n.passes = append(c.n.passes, passes)
	c.n.buses = append(c.n.buses, [2]int32{none, none})
	c.caps = append(c.caps, math.Inf(1))
	return node, nil
}

func (c *compiler) addHost(h Host) error {
	if h.Name == "" || strings.Contains(h.Name, "/") {
		return errors.New("a host must have a name without a slash")
	}
	for _, name := range []string{h.Name, h.Zone} {
		if !printable(name) {
			return fmt.Errorf("%q: %s", name, printableRule)
		}
	}
	if _, twice := c.nodes[h.Name]; twice {
		return errors.New("there is another of this name")
	}
	c.nodes[h.Name] = none // no end of a link
	memory := Directed{From: h.Name, To: h.Name, Bandwidth: h.Memory.Bandwidth, Latency: h.Memory.Latency, Kind: Inside}
	if err := positive("the memory's", h.Memory.Bandwidth, h.Memory.Latency); err != nil {
		return err
	}
	c.n.memory = append(c.n.memory, c.add(memory))
	buses, err := c.addBuses(h)
	if err != nil {
		return err
	}
	var ports []int32
	for _, nic := range h.NICs {
		node, err := c.addNIC(h, nic, buses)
		if err != nil {
			return fmt.Errorf("NIC %q: %w", nic.Name, err)
		}
		ports = append(ports, node)
	}
	c.n.ports = append(c.n.ports, ports)
	return nil
}

// addBuses adds those of the NUMA domains, by ID.
func (c *compiler) addBuses(h Host) (map[int][2]int32, error) {
	buses := map[int][2]int32{}
	for _, d := range h.NUMA {
		if _, twice := buses[d.ID]; twice {
			return nil, fmt.Errorf("there are two NUMA domains %d", d.ID)
		}
		if err := positive("the NUMA domain's", d.Bandwidth, 0); err != nil {
			return nil, err
		}
		buses[d.ID] = [2]int32{none, none}
		if d.Bandwidth > 0 {
			domain := fmt.Sprintf("%s/numa%d", h.Name, d.ID)
			buses[d.ID] = [2]int32{
				c.add(Directed{From: domain, To: h.Name, Bandwidth: d.Bandwidth, Kind: Bus}),
				c.add(Directed{From: h.Name, To: domain, Bandwidth: d.Bandwidth, Kind: Bus}),
			}
		}
	}
	return buses, nil
}

func (c *compiler) addNIC(h Host, nic NIC, buses map[int][2]int32) (int32, error) {
	if nic.Name == "" || nic.Rail < 0 {
		return 0, errors.New("a NIC must have a name, and a rail of 0 or more")
	}
	if err := positive("its", nic.Bandwidth, 0); err != nil {
		return 0, err
	}
	node, err := c.addNode(h.Name+"/"+nic.Name, false)
	if err != nil {
		return 0, err
	}
	if nic.Bandwidth > 0 {
		c.caps[node] = nic.Bandwidth
	}
	bus, known := buses[nic.NUMA]
	switch {
	case known:
		c.n.buses[node] = bus
	case len(h.NUMA) > 0:
		return 0, fmt.Errorf("the host has no NUMA domain %d", nic.NUMA)
	}
	return node, nil
}

func (c *compiler) addLink(l Link) error {
	a, err := c.end(l.A)
	if err != nil {
		return err
	}
	b, err := c.end(l.B)
	if err != nil {
		return err
	}
	if a == b {
		return errors.New("both ends are the same")
	}
	if err := positive("its", l.Bandwidth, l.Latency); err != nil {
		return err
	}
	if l.Bandwidth == 0 {
		return errors.New("it must have a bandwidth above 0")
	}
	kind := Access
	if c.n.passes[a] && c.n.passes[b] {
		kind = Trunk
	}
	narrowest := min(l.Bandwidth, c.caps[a], c.caps[b])
	d := Directed{From: l.A, To: l.B, Bandwidth: narrowest, Latency: l.Latency, Kind: kind, from: a, to: b}
	c.n.out[a] = append(c.n.out[a], c.add(d))
	d.From, d.To, d.from, d.to = d.To, d.From, d.to, d.from
	c.n.out[b] = append(c.n.out[b], c.add(d))
	return nil
}

// end finds an end of a link.
func (c *compiler) end(name string) (int32, error) {
	node, known := c.nodes[name]
	if !known || node == none {
		return 0, fmt.Errorf("%q is no switch, and no NIC of a host, written HOST/NIC", name)
	}
	return node, nil
}

// Bounds of what a link has, so that no sum of picoseconds overflows or loses all that others have added.
const (
	leastBandwidth = 1e-3
	mostBandwidth  = 1e18
	mostLatency    = 1e6
)

// positive wants numbers that a bandwidth and a latency can be, or are zero.
func positive(whose string, bandwidth, latency float64) error {
	if bandwidth != 0 && !(bandwidth >= leastBandwidth && bandwidth <= mostBandwidth) {
		return fmt.Errorf("%s bandwidth is %v; it must be in bytes a second, %v to %v", whose, bandwidth, leastBandwidth, mostBandwidth)
	}
	if !(latency >= 0 && latency <= mostLatency) {
		return fmt.Errorf("%s latency is %v; it must be in seconds, 0 to %v", whose, latency, mostLatency)
	}
	return nil
}

const printableRule = "a name must be text of characters that can be printed"

// printable says whether a name can be written on a terminal, in a table and in a picture without changing these.
func printable(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}
