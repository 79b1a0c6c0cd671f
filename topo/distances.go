package topo

import "math"

// Distance is how far a port is from another.
type Distance struct {
	Links       int     // outside of hosts
	Picoseconds float64 // of latency; infinite if no way leads there
	Bandwidth   float64 // of the narrowest link
}

// Distances is how far the first NIC of each host is from that of one, by its route there.
func (n *Network) Distances(to int) []Distance {
	all := make([]Distance, len(n.Hosts))
	for i := range all {
		all[i].Picoseconds = math.Inf(1)
	}
	end := Port{Host: to}
	if n.checkPort(end) != nil {
		return all
	}
	w, home := newWays(n, 0), n.homes[n.node(end)]
	w.find(home)
	in, links := w.arrival(n.node(end)), n.distances(home)
	for host := range all {
		from := Port{Host: host}
		if host == to {
			all[host] = Distance{Bandwidth: n.Links[n.memory[host]].Bandwidth}
			continue
		}
		if n.checkPort(from) != nil {
			continue
		}
		node := n.node(from)
		c := w.costs[node]
		if c.unlike || in.unlike {
			c = w.routeCost(from, end)
		} else {
			c = w.departure(node).plus(c).plus(in)
		}
		all[host] = Distance{int(links[node]), c.picoseconds, c.bandwidth}
		if home != n.node(end) {
			all[host].Links++
		}
	}
	return all
}
