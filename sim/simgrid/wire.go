package simgrid

import (
	"fmt"

	"hcomm/topo"
)

// wiring is an experiment whose processes have numbers: those of ranks, lane by lane, then the wires.
type wiring struct {
	Experiment
	ranks int   // processes that are ranks of a lane
	first []int // by lane: that of its rank 0
	all   []wire
	begin []int         // by process that is a rank: the first wire that begins at it; and where the last one's end
	to    []map[int]int // by process that is a rank, and peer: the wire
}

// wire is the process between two ranks of a lane.
type wire struct {
	lane, from, to int
	route          []int32
}

// wires finds out who sends to whom.
func (e Experiment) wires() (*wiring, error) {
	w := &wiring{Experiment: e}
	for l, lane := range e.Lanes {
		w.first = append(w.first, w.ranks)
		for rank := range lane.Ports {
			known := map[int]int{}
			w.begin = append(w.begin, len(w.all))
			for a := range lane.Actions(rank) {
				for _, m := range a.Sends {
					if _, ok := known[m.Peer]; ok {
						continue
					}
					if m.Peer == rank || m.Peer < 0 || m.Peer >= len(lane.Ports) {
						return nil, fmt.Errorf("rank %d of lane %d sends to rank %d; there are %d", rank, l, m.Peer, len(lane.Ports))
					}
					route, err := e.Network.Route(lane.Ports[rank], lane.Ports[m.Peer])
					if err != nil {
						return nil, err
					}
					known[m.Peer] = len(w.all)
					w.all = append(w.all, wire{l, rank, m.Peer, route})
				}
			}
			w.to = append(w.to, known)
			w.ranks++
		}
	}
	w.begin = append(w.begin, len(w.all))
	return w, nil
}

// process is the number of a rank's in a lane.
func (w *wiring) process(lane, rank int) int { return w.first[lane] + rank }

// rankHost is the name of the host on which such a process is.
func (w *wiring) rankHost(process int) string {
	lane := len(w.first) - 1
	for w.first[lane] > process {
		lane--
	}
	return fmt.Sprintf("%srank%d", w.prefix(lane), process-w.first[lane])
}

func (w *wiring) wireHost(x wire) string {
	return fmt.Sprintf("%srank%d-to-rank%d", w.prefix(x.lane), x.from, x.to)
}

// prefix tells the names of several lanes apart.
func (w *wiring) prefix(lane int) string {
	if len(w.Lanes) == 1 {
		return ""
	}
	return fmt.Sprintf("lane%d-", lane)
}

// place says where in the topology a process is.
func (w *wiring) place(process int) string {
	for l := len(w.first) - 1; ; l-- {
		if first := w.first[l]; first <= process {
			return portName(w.Network, w.Lanes[l].Ports[process-first])
		}
	}
}

func portName(n *topo.Network, p topo.Port) string {
	h := n.Hosts[p.Host]
	if len(h.NICs) == 0 {
		return h.Name
	}
	return h.Name + "/" + h.NICs[p.NIC].Name
}
