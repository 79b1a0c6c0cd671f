package lanes

import (
	"slices"

	"hcomm/topo"
)

// Sharing is how many directed links lanes have in common: of two lanes i and j, those that both cross, and of these, those
// that they must share. Own counts the links of each lane alone.
type Sharing struct {
	Own          []int
	Shared, Must [][]int
}

// Shared looks at each pair of lanes. A link must be shared if no ring over the ports of either lane could do without it,
// with the routes that the network has: the buses and the NICs that both use, and what is the only way to somewhere.
func Shared(n *topo.Network, lanes []Lane) *Sharing {
	s := &Sharing{Own: make([]int, len(lanes)), Shared: square(len(lanes)), Must: square(len(lanes))}
	uses, needs := make([]map[int32]bool, len(lanes)), make([]*needed, len(lanes))
	for i := range lanes {
		uses[i] = map[int32]bool{}
		for _, link := range lanes[i].links {
			uses[i][link] = true
		}
		s.Own[i] = len(uses[i])
		needs[i] = newNeeded(n, &lanes[i])
	}
	for i := range lanes {
		for j := range i {
			shared, must := 0, 0
			for link := range uses[i] { // in any order: they are counted only
				if !uses[j][link] {
					continue
				}
				shared++
				if needs[i].always(link) && needs[j].always(link) {
					must++
				}
			}
			s.Shared[i][j], s.Shared[j][i] = shared, shared
			s.Must[i][j], s.Must[j][i] = must, must
		}
	}
	return s
}

func square(n int) [][]int {
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = make([]int, n)
	}
	return rows
}

// needed finds the links that no ring over a lane's ports can do without.
type needed struct {
	network *topo.Network
	lane    *Lane
	found   map[int32]bool
}

func newNeeded(n *topo.Network, l *Lane) *needed {
	d := &needed{n, l, map[int32]bool{}}
	ways := map[string]int{} // by NIC: its links
	for _, link := range n.Links {
		if link.Kind == topo.Access {
			ways[link.From]++
		}
	}
	ranks := map[int]int{} // by host
	for _, p := range l.Ports {
		ranks[p.Host]++
	}
	l.hops(func(from, to int) {
		route, err := n.Route(l.Ports[from], l.Ports[to])
		if err != nil {
			return
		}
		if ranks[l.Ports[from].Host] == 1 {
			d.end(route, func(link topo.Directed) int { return ways[link.From] })
		}
		slices.Reverse(route)
		if ranks[l.Ports[to].Host] == 1 {
			d.end(route, func(link topo.Directed) int { return ways[link.To] })
		}
	})
	return d
}

// end notes what a port that is alone on its host always needs, at the end of a route where it is: its bus, and its NIC's
// link, if that has one only. The general way would find that, too, but look at all other ports for each.
func (d *needed) end(route []int32, ways func(topo.Directed) int) {
	for _, link := range route {
		l := d.network.Links[link]
		if l.Kind != topo.Bus && (l.Kind != topo.Access || ways(l) > 1) {
			return
		}
		d.found[link] = true
		if l.Kind == topo.Access {
			return
		}
	}
}

// always says whether a link is one of them: without the hops that cross it, not every rank can be reached from every
// other.
func (d *needed) always(link int32) bool {
	if always, known := d.found[link]; known {
		return always
	}
	always := !d.reaches(0, link, false) || !d.reaches(0, link, true)
	d.found[link] = always
	return always
}

// reaches says whether a rank reaches all others by hops that do not cross the link, or, back, is reached by all.
func (d *needed) reaches(start int, link int32, back bool) bool {
	var left []int
	for rank := range d.lane.Ports {
		if rank != start {
			left = append(left, rank)
		}
	}
	for queue := []int{start}; len(queue) > 0 && len(left) > 0; queue = queue[1:] {
		left = slices.DeleteFunc(left, func(rank int) bool {
			from, to := queue[0], rank
			if back {
				from, to = to, from
			}
			if d.crosses(from, to, link) {
				return false
			}
			queue = append(queue, rank)
			return true
		})
	}
	return len(left) == 0
}

func (d *needed) crosses(from, to int, link int32) bool {
	route, err := d.network.Route(d.lane.Ports[from], d.lane.Ports[to])
	return err != nil || slices.Contains(route, link)
}
