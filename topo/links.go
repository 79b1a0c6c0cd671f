package topo

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"hcomm/ring"
)

// packet is how many bytes pass over each link of a route in the cost of it: few enough that latency decides, and so that of
// two routes with the same latency the longer, or the one with thinner links, costs more.
const packet = 64

// RingLinks is the matrices that a ring over the ports is built from. The cost of two ports is the time in seconds that a
// packet of 64 bytes takes over the route between them: the latency of each link, and 64 bytes at its bandwidth. Their
// bandwidth is that of the narrowest link. If no way leads from one to the other, the cost is infinite, the bandwidth 0.
// More ports than a ring may have are an error, for their matrices might need all memory.
func (n *Network) RingLinks(ports []Port) (ring.Links, error) {
	count := len(ports)
	if count > ring.MaxNodes {
		return ring.Links{}, fmt.Errorf("there are %d nodes; a ring has %d at most", count, ring.MaxNodes)
	}
	for _, p := range ports {
		if err := n.checkPort(p); err != nil {
			return ring.Links{}, err
		}
	}
	links := ring.Links{Cost: ring.NewMatrix(count), Bandwidth: ring.NewMatrix(count), Names: make([]string, count)}
	w := newWays(n, packet)
	nodes, byHome := make([]int32, count), make([]int, count)
	for i, p := range ports {
		links.Names[i], nodes[i], byHome[i] = n.portName(p), n.node(p), i
	}
	home := func(i int) int32 { return n.homes[nodes[i]] }
	slices.SortStableFunc(byHome, func(i, j int) int { return cmp.Compare(home(i), home(j)) })
	for k, to := range byHome {
		if k == 0 || home(to) != home(byHome[k-1]) {
			w.find(home(to))
		}
		in := w.arrival(nodes[to])
		for from, node := range nodes {
			if from == to {
				continue
			}
			c := w.costs[node]
			if ports[from].Host == ports[to].Host || c.unlike || in.unlike {
				c = w.routeCost(ports[from], ports[to])
			} else {
				c = w.departure(node).plus(c).plus(in)
			}
			links.Cost.Set(from, to, c.picoseconds/1e12)
			links.Bandwidth.Set(from, to, c.bandwidth)
		}
	}
	return links, nil
}

func (n *Network) node(p Port) int32 { return n.ports[p.Host][p.NIC] }

// cost is what the way from a node costs. Picoseconds are whole, so that sums are the same in any order.
type cost struct {
	picoseconds, bandwidth float64
	unlike                 bool // not all shortest ways cost the same
}

var (
	nothing = cost{bandwidth: math.Inf(1)}
	noWay   = cost{picoseconds: math.Inf(1)}
)

func (c cost) plus(d cost) cost {
	return cost{c.picoseconds + d.picoseconds, min(c.bandwidth, d.bandwidth), c.unlike || d.unlike}
}

// or is the cost if either way may be taken.
func (c cost) or(d cost) cost {
	c.unlike = c.unlike || c != d
	return c
}

// ways has what messages cost on the shortest ways from all nodes to one. What it has of links is apart from all else, for it is read
// again and again.
type ways struct {
	network *Network
	to      []int32 // by link
	link    []cost
	costs   []cost  // by node, without buses; see find
	order   []int32 // nodes, the nearest first
}

// newWays is for messages of so many bytes.
func newWays(n *Network, bytes float64) *ways {
	w := &ways{network: n, to: make([]int32, len(n.Links)), link: make([]cost, len(n.Links)), costs: make([]cost, len(n.out))}
	for i, l := range n.Links {
		w.to[i] = l.to
		w.link[i] = cost{picoseconds: math.Round(1e12*l.Latency) + math.Round(1e12*bytes/l.Bandwidth), bandwidth: l.Bandwidth}
	}
	return w
}

// find finds the costs to a node.
func (w *ways) find(end int32) {
	n := w.network
	distance := n.distances(end)
	w.sort(distance)
	for i := range w.costs {
		w.costs[i] = noWay
	}
	w.costs[end] = nothing
	for _, at := range w.order {
		found, nearer := false, distance[at]-1
		for _, l := range n.out[at] {
			to := w.to[l]
			if distance[to] != nearer || !n.passes[to] && to != end {
				continue
			}
			c := w.link[l].plus(w.costs[to])
			if found {
				c = w.costs[at].or(c)
			}
			w.costs[at], found = c, true
		}
	}
}

// sort puts the nodes from which a way leads to another in order, by how many links it has.
func (w *ways) sort(distance []int32) {
	first := make([]int32, 2, 64) // by distance: the place of the first such node
	for _, d := range distance {
		for int(d)+1 >= len(first) {
			first = append(first, 0)
		}
		if d > 0 {
			first[d+1]++
		}
	}
	for d := 1; d < len(first); d++ {
		first[d] += first[d-1]
	}
	w.order = slices.Grow(w.order[:0], len(distance))[:first[len(first)-1]]
	for node, d := range distance {
		if d > 0 {
			w.order[first[d]] = int32(node)
			first[d]++
		}
	}
}

// departure is the cost of the bus of a port.
func (w *ways) departure(node int32) cost { return w.bus(w.network.buses[node][0]) }

func (w *ways) bus(link int32) cost {
	if link == none {
		return nothing
	}
	return w.link[link]
}

// arrival is the cost from a port's home to the port, and of its bus.
func (w *ways) arrival(end int32) cost {
	n := w.network
	home, bus := n.homes[end], w.bus(n.buses[end][1])
	if home == end {
		return bus
	}
	c, found := noWay, false
	for _, l := range n.out[home] {
		if w.to[l] == end {
			if found {
				c = c.or(w.link[l])
			} else {
				c, found = w.link[l], true
			}
		}
	}
	return c.plus(bus)
}

// routeCost is that of a route, link by link.
func (w *ways) routeCost(from, to Port) cost {
	route, err := w.network.Route(from, to)
	if err != nil {
		return noWay
	}
	c := nothing
	for _, l := range route {
		c = c.plus(w.link[l])
	}
	return c
}
