package topo

import (
	"cmp"
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
func (n *Network) RingLinks(ports []Port) ring.Links {
	count := len(ports)
	links := ring.Links{Cost: ring.NewMatrix(count), Bandwidth: ring.NewMatrix(count), Names: make([]string, count)}
	byHome := make([]int, count)
	for i, p := range ports {
		links.Names[i], byHome[i] = n.portName(p), i
	}
	home := func(i int) int32 { return n.homes[n.node(ports[i])] }
	slices.SortStableFunc(byHome, func(i, j int) int { return cmp.Compare(home(i), home(j)) })
	var toHome []cost
	for k, to := range byHome {
		if k == 0 || home(to) != home(byHome[k-1]) {
			toHome = n.costs(home(to))
		}
		in := n.arrival(ports[to])
		for from := range ports {
			if from == to {
				continue
			}
			c := n.cost(ports[from], ports[to], toHome[n.node(ports[from])], in)
			links.Cost.Set(from, to, c.picoseconds/1e12)
			links.Bandwidth.Set(from, to, c.bandwidth)
		}
	}
	return links
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

func (n *Network) linkCost(link int32) cost {
	if link == none {
		return nothing
	}
	l := &n.Links[link]
	return cost{picoseconds: math.Round(1e12*l.Latency) + math.Round(1e12*packet/l.Bandwidth), bandwidth: l.Bandwidth}
}

// costs is those of the shortest ways from all nodes to one, without buses.
func (n *Network) costs(end int32) []cost {
	distance := n.distances(end)
	order := make([]int32, 0, len(distance))
	costs := make([]cost, len(distance))
	for node, d := range distance {
		costs[node] = noWay
		if d > 0 {
			order = append(order, int32(node))
		}
	}
	costs[end] = nothing
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(distance[a], distance[b]) })
	for _, at := range order {
		found := false
		for _, l := range n.out[at] {
			to := n.Links[l].to
			if distance[to] != distance[at]-1 || !n.passes[to] && to != end {
				continue
			}
			c := n.linkCost(l).plus(costs[to])
			if found {
				c = costs[at].or(c)
			}
			costs[at], found = c, true
		}
	}
	return costs
}

// arrival is the cost from a port's home to the port, and of its bus.
func (n *Network) arrival(p Port) cost {
	end := n.node(p)
	home, bus := n.homes[end], n.linkCost(n.buses[end][1])
	if home == end {
		return bus
	}
	c, found := noWay, false
	for _, l := range n.out[home] {
		if n.Links[l].to == end {
			if found {
				c = c.or(n.linkCost(l))
			} else {
				c, found = n.linkCost(l), true
			}
		}
	}
	return c.plus(bus)
}

// cost is that of the route from one port to another, of which most is known.
func (n *Network) cost(from, to Port, toHome, in cost) cost {
	switch {
	case from.Host == to.Host:
		return n.linkCost(n.memory[from.Host])
	case math.IsInf(toHome.picoseconds, 1):
		return noWay
	case !toHome.unlike && !in.unlike:
		return n.linkCost(n.buses[n.node(from)][0]).plus(toHome).plus(in)
	}
	route, err := n.Route(from, to)
	if err != nil {
		return noWay
	}
	c := nothing
	for _, l := range route {
		c = c.plus(n.linkCost(l))
	}
	return c
}
