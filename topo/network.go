package topo

import "fmt"

// Network is a topology in numbers. Every [Link] is two directed ones, and the buses and memories of hosts are directed links,
// too, so that whoever shares anything shares a link.
type Network struct {
	*Topology
	Links []Directed // in place of the topology's; their numbers are what a route is made of

	ports  [][]int32         // by host and NIC: the node
	memory []int32           // by host: the link that messages inside it take
	buses  [][2]int32        // by node, of a NIC: the links from its domain and to it, or none
	out    [][]int32         // by node: the links that leave it
	passes []bool            // by node: it is a switch
	toward map[int32][]int32 // by node: how many links it is from each node; -1 if there is no way
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
	at, end := n.ports[from.Host][from.NIC], n.ports[to.Host][to.NIC]
	distance := n.distances(end)
	if distance[at] < 0 {
		return nil, fmt.Errorf("no way leads from %s to %s", n.portName(from), n.portName(to))
	}
	route := make([]int32, 0, distance[at]+2)
	if bus := n.buses[at][0]; bus != none {
		route = append(route, bus)
	}
	for digits := uint32(to.Host); at != end; {
		var link int32
		link, digits = n.next(at, distance, digits)
		route, at = append(route, link), n.Links[link].to
	}
	if bus := n.buses[end][1]; bus != none {
		route = append(route, bus)
	}
	return route, nil
}

// portName is the name of a port, as a link's end has it.
func (n *Network) portName(p Port) string {
	h := n.Hosts[p.Host]
	return h.Name + "/" + h.NICs[p.NIC].Name
}

// next is the link to take from a node, and the digits that are left.
func (n *Network) next(at int32, distance []int32, digits uint32) (int32, uint32) {
	var nearer []int32
	for _, l := range n.out[at] {
		if distance[n.Links[l].to] == distance[at]-1 {
			nearer = append(nearer, l)
		}
	}
	k := uint32(len(nearer))
	return nearer[digits%k], digits / k
}

// distances is how many links every node is from one, -1 if no way leads there. NICs do not pass messages on.
func (n *Network) distances(end int32) []int32 {
	if d, ok := n.toward[end]; ok {
		return d
	}
	d := make([]int32, len(n.out))
	for i := range d {
		d[i] = -1
	}
	d[end] = 0
	for queue := []int32{end}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
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
