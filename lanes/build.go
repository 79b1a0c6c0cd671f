package lanes

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"hcomm/ring"
	"hcomm/topo"
)

// Lane is a ring over all ranks.
type Lane struct {
	Name  string
	Order []int       // the ranks, in the ring's order
	Ports []topo.Port // by rank
	Total float64     // seconds that a small message takes all around, alone
	// Bandwidth is what its narrowest link gives it if all lanes are at work, and all that crosses a link gets as much of
	// it. It is infinite if nothing limits it.
	Bandwidth float64

	links []int32 // that its hops cross; as often as they do
}

// By is what there is a lane for.
type By uint8

// The ways to divide.
const (
	Rail   By = iota // one for each rail that all hosts have
	Domain           // one for each NUMA domain that has a NIC on all hosts
	Number           // so many, over the rails in turn
)

// Ask is what lanes are wanted.
type Ask struct {
	By    By
	Lanes int     // of Number
	Need  float64 // bytes a second that should go through each hop; 0: any link will do
	// Progress, unless it is nil, is told now and then what is under way, and how much of that is done, 0 to 1.
	Progress func(what string, fraction float64)
}

// mostLanes bounds what may be asked for.
const mostLanes = 256

// Build makes the lanes of a job whose rank r is on host placement[r], one after the other. Each is the ring that package
// ring finds for its ports. If that shares links between switches with lanes before it, it may go the other way round, or
// be another ring that shares fewer; [Shared] says what it came to. Ranks that know the same network get the same lanes.
func Build(n *topo.Network, placement []int, ask Ask) ([]Lane, error) {
	lanes, err := ask.lanes(n, placement)
	if err != nil {
		return nil, err
	}
	b := builder{network: n, ring: ring.Options{Need: ask.Need}, uses: make([]int, len(n.Links))}
	for i := range lanes {
		if ask.Progress != nil {
			b.ring.Progress = func(what string, fraction float64) { ask.Progress(lanes[i].Name+": "+what, fraction) }
		}
		if err := b.build(&lanes[i]); err != nil {
			return nil, fmt.Errorf("%s: %w", lanes[i].Name, err)
		}
	}
	crosses := make([]float64, len(n.Links))
	for _, l := range lanes {
		for _, link := range l.links {
			crosses[link]++
		}
	}
	for i := range lanes {
		l := &lanes[i]
		l.Bandwidth = math.Inf(1)
		for _, link := range l.links {
			l.Bandwidth = min(l.Bandwidth, n.Links[link].Bandwidth/crosses[link])
		}
	}
	return lanes, nil
}

// builder has what is known while lanes are built.
type builder struct {
	network *topo.Network
	ring    ring.Options
	uses    []int // by link between switches: how often lanes cross it
}

// build finds the ring of a lane that has ports.
func (b *builder) build(l *Lane) error {
	links, err := b.network.RingLinks(l.Ports)
	if err != nil {
		return err
	}
	cost := links.Cost
	if err := b.try(l, links, cost); err != nil {
		return err
	}
	if b.shared(l.links) > 0 {
		if links.Cost, err = b.dearer(l.Ports, cost); err != nil {
			return err
		}
		other := Lane{Ports: l.Ports}
		if err := b.try(&other, links, cost); err != nil {
			return err
		}
		if b.shared(other.links) < b.shared(l.links) {
			l.Order, l.links, l.Total = other.Order, other.links, other.Total
		}
	}
	for _, link := range l.links {
		if b.network.Links[link].Kind == topo.Trunk {
			b.uses[link]++
		}
	}
	return nil
}

// try makes a lane the ring for these links, in the direction that shares less. What its hops truly cost is said apart.
func (b *builder) try(l *Lane, links ring.Links, cost *ring.Matrix) error {
	r, err := ring.Build(links, b.ring)
	if err != nil {
		return err
	}
	l.Order = r.Order
	if l.links, err = crossed(b.network, l); err != nil {
		return err
	}
	back := Lane{Ports: l.Ports, Order: slices.Clone(r.Order)}
	slices.Reverse(back.Order[1:])
	if back.links, err = crossed(b.network, &back); err != nil {
		return err
	}
	if b.shared(back.links) < b.shared(l.links) {
		l.Order, l.links = back.Order, back.links
	}
	l.Total = 0
	l.hops(func(from, to int) { l.Total += cost.At(from, to) })
	return nil
}

// shared is how many of the links are in use between switches, each as often as it is.
func (b *builder) shared(links []int32) (sum int) {
	for _, link := range links {
		sum += b.uses[link]
	}
	return sum
}

// dearer is the costs where each link between switches that is in use costs more than any hop, each time that it is used.
// What a port has to itself is not dearer, for every ring uses that once.
func (b *builder) dearer(ports []topo.Port, cost *ring.Matrix) (*ring.Matrix, error) {
	n, most := len(ports), 0.0
	for i := range n {
		for j := range n {
			if i != j {
				most = max(most, cost.At(i, j))
			}
		}
	}
	dearer := ring.NewMatrix(n)
	for i := range n {
		for j := range n {
			if i == j {
				continue
			}
			route, err := b.network.Route(ports[i], ports[j])
			if err != nil {
				return nil, err
			}
			dearer.Set(i, j, cost.At(i, j)+float64(b.shared(route))*most)
		}
	}
	return dearer, nil
}

// hops calls f for each hop of the ring.
func (l *Lane) hops(f func(from, to int)) {
	for i, from := range l.Order {
		if to := l.Order[(i+1)%len(l.Order)]; to != from {
			f(from, to)
		}
	}
}

// crossed is the links that a lane's hops cross.
func crossed(n *topo.Network, l *Lane) (links []int32, err error) {
	l.hops(func(from, to int) {
		route, failed := n.Route(l.Ports[from], l.Ports[to])
		if failed != nil {
			err = failed
		}
		links = append(links, route...)
	})
	return links, err
}

// lanes gives what is asked for names and ports.
func (a Ask) lanes(n *topo.Network, placement []int) ([]Lane, error) {
	if len(placement) == 0 {
		return nil, errors.New("there are no ranks")
	}
	for rank, host := range placement {
		if host < 0 || host >= len(n.Hosts) {
			return nil, fmt.Errorf("rank %d is on host %d; there are %d hosts", rank, host, len(n.Hosts))
		}
	}
	name, of := "rail", func(nic topo.NIC) int { return nic.Rail }
	if a.By == Domain {
		name, of = "NUMA domain", func(nic topo.NIC) int { return nic.NUMA }
	}
	ids, err := common(n, placement, name, of)
	if err != nil {
		return nil, err
	}
	count := len(ids)
	if a.By == Number {
		if count = a.Lanes; count < 1 || count > mostLanes {
			return nil, fmt.Errorf("%d lanes are asked for; there can be 1 to %d", count, mostLanes)
		}
	}
	lanes := make([]Lane, count)
	for i := range lanes {
		id := ids[i%len(ids)]
		lanes[i].Name = fmt.Sprintf("%s %d", name, id)
		if a.By == Number {
			if count < len(ids) {
				id = ids[i*len(ids)/count] // far apart: on all NUMA domains
			}
			lanes[i].Name = fmt.Sprintf("lane %d", i)
		}
		lanes[i].Ports = ports(n, placement, id, of)
	}
	return lanes, nil
}

// common is the rails, or the domains, of which all hosts of the job have a NIC.
func common(n *topo.Network, placement []int, name string, of func(topo.NIC) int) ([]int, error) {
	var ids []int
	for i, host := range placement {
		var has []int
		for _, nic := range n.Hosts[host].NICs {
			has = append(has, of(nic))
		}
		if i == 0 {
			slices.Sort(has)
			ids = slices.Compact(has)
		} else {
			ids = slices.DeleteFunc(ids, func(id int) bool { return !slices.Contains(has, id) })
		}
		if len(ids) == 0 {
			return nil, fmt.Errorf("host %q has no NIC on a %s that the hosts of ranks 0 to %d have", n.Hosts[host].Name, name, i)
		}
	}
	return ids, nil
}

// ports is a NIC of the rail, or the domain, for each rank. Ranks of one host have its NICs there in turn.
func ports(n *topo.Network, placement []int, id int, of func(topo.NIC) int) []topo.Port {
	ports, before := make([]topo.Port, len(placement)), map[int]int{} // by host: ranks
	for rank, host := range placement {
		var nics []int
		for i, nic := range n.Hosts[host].NICs {
			if of(nic) == id {
				nics = append(nics, i)
			}
		}
		ports[rank] = topo.Port{Host: host, NIC: nics[before[host]%len(nics)]}
		before[host]++
	}
	return ports
}
