package topo

import "fmt"

// Network is a topology in numbers. Every [Link] is two directed ones, and the buses and memories of hosts are directed
// links, too, so that whoever shares anything shares a link.
//
// Its methods keep what they have found out, and so are for one goroutine at a time.
type Network struct {
	*Topology
	Links []Directed // in place of the topology's; their numbers are what a route is made of

	first  int32             // link outside of hosts: it and the next are the two directions of the first [Link], and so on
	ports  [][]int32         // by host and NIC: the node
	memory []int32           // by host: the link that messages inside it take
	buses  [][2]int32        // by node, of a NIC: the links from its domain and to it, or none
	out    [][]int32         // by node: the links that leave it
	trunks [][]int32         // by node: of these, the links to switches
	passes []bool            // by node: it is a switch
	homes  []int32           // by node: the switch that a NIC with links to one only has, or itself
	toward map[int32][]int32 // by node, of homes: how many links it is from each node; -1 if there is no way
}

// none is no link.
const none = -1

// Directed is one direction of a link.
type Directed struct {
	From, To  string // as in [Link]; those inside a host are named HOST/numaN and HOST
	Bandwidth float64
	Latency   float64
	Kind      Kind

	from, to int32
}

// Kind says what a directed link is.
type Kind uint8

// The kinds.
const (
	Access Kind = iota // between a NIC and a switch, or two NICs
	Trunk              // between switches
	Bus                // between a NUMA domain and its NICs
	Inside             // the memory of a host
)

// Port is where a rank's messages enter and leave the network: a NIC of a host, both by index.
type Port struct{ Host, NIC int }

// Route is the links that a message takes from one port to another, in order. Ports of one host are joined by its memory.
//
// It is a shortest way, in links; of several next links that are on one, the destination's number decides, digit by digit
// (D-mod-K: Zahavi, Johnson, Kerbyson, Lang: Optimized InfiniBand fat-tree routing for shift all-to-all communication
// patterns, 2010). So it is the same at any time and on all ranks, and messages to different hosts are spread.
func (n *Network) Route(from, to Port) ([]int32, error) {
	if from.Host == to.Host {
		return []int32{n.memory[from.Host]}, nil
	}
	if err := n.checkPort(from); err != nil {
		return nil, err
	}
	if err := n.checkPort(to); err != nil {
		return nil, err
	}
	at, end := n.ports[from.Host][from.NIC], n.ports[to.Host][to.NIC]
	home := n.homes[end]
	distance := n.distances(home)
	if distance[at] < 0 {
		return nil, fmt.Errorf("no way leads from %s to %s", n.portName(from), n.portName(to))
	}
	route := make([]int32, 0, distance[at]+3)
	if bus := n.buses[at][0]; bus != none {
		route = append(route, bus)
	}
	digits, link := uint32(to.Host), int32(none)
	for at != home {
		nearer := distance[at] - 1
		out := n.out[at]
		if home != end {
			out = n.trunks[at]
		}
		link, digits = n.next(out, digits, func(to int32) bool {
			return distance[to] == nearer && (n.passes[to] || to == end)
		})
		route, at = append(route, link), n.Links[link].to
	}
	if home != end {
		out := n.out[end] // all of it leads to its home, which may have links to thousands of others
		route = append(route, n.back(out[digits%uint32(len(out))]))
	}
	if bus := n.buses[end][1]; bus != none {
		route = append(route, bus)
	}
	return route, nil
}

// checkPort says what is wrong with a port of a host that there is: a host may have no NIC.
func (n *Network) checkPort(p Port) error {
	switch nics := len(n.ports[p.Host]); {
	case nics == 0:
		return fmt.Errorf("host %q has no NIC", n.Hosts[p.Host].Name)
	case p.NIC < 0 || p.NIC >= nics:
		return fmt.Errorf("host %q has %d NICs, and none is number %d", n.Hosts[p.Host].Name, nics, p.NIC)
	}
	return nil
}

// portName is the name of a port, as a link's end has it.
func (n *Network) portName(p Port) string {
	h := n.Hosts[p.Host]
	return h.Name + "/" + h.NICs[p.NIC].Name
}

// back is the other direction of a link.
func (n *Network) back(link int32) int32 { return n.first + ((link - n.first) ^ 1) }

// next is the link to take of some that leave a node, of those that lead on, and the digits that are left.
func (n *Network) next(out []int32, digits uint32, on func(to int32) bool) (int32, uint32) {
	ways := uint32(0)
	for _, l := range out {
		if on(n.Links[l].to) {
			ways++
		}
	}
	turn := digits % ways
	for _, l := range out {
		if on(n.Links[l].to) {
			if turn == 0 {
				return l, digits / ways
			}
			turn--
		}
	}
	panic("topo: a node that leads on has no link")
}

// mostKept bounds the memory for distances, in numbers.
const mostKept = 1 << 26

// distances is how many links every node is from one, -1 if no way leads there. NICs do not pass messages on.
func (n *Network) distances(end int32) []int32 {
	if d, ok := n.toward[end]; ok {
		return d
	}
	if (len(n.toward)+1)*len(n.out) > mostKept {
		clear(n.toward)
	}
	d := make([]int32, len(n.out))
	for i := range d {
		d[i] = -1
	}
	d[end] = 0
	queue := make([]int32, 1, len(n.out))
	queue[0] = end
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		if at != end && !n.passes[at] {
			continue
		}
		for _, l := range n.out[at] { // every link has both directions
			if to := n.Links[l].to; d[to] < 0 {
				d[to] = d[at] + 1
				queue = append(queue, to)
			}
		}
	}
	n.toward[end] = d
	return d
}
