package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"hcomm/cmd/hcomm/bench"
	"hcomm/lanes"
	"hcomm/plan"
	"hcomm/sim"
	"hcomm/topo"
)

// simulated is a row, as --json writes it. Fields are added, but neither renamed nor removed.
type simulated struct {
	Collective string        `json:"collective"`
	Algorithm  string        `json:"algorithm"`
	Order      string        `json:"order"`
	Lanes      int           `json:"lanes"`
	Ranks      int           `json:"ranks"`
	Bytes      uint64        `json:"bytes"` // of a block
	Seconds    float64       `json:"seconds"`
	Messages   int64         `json:"messages"`
	Sent       float64       `json:"sent_bytes"` // of all messages
	Traversals simTraversals `json:"traversals"`
	Busiest    *simBusiest   `json:"busiest,omitempty"` // absent if nothing is sent
	LaneTimes  []float64     `json:"lane_seconds"`
}

// simTraversals are the links that a byte crosses, in the mean.
type simTraversals struct {
	All   float64 `json:"all"`
	Trunk float64 `json:"trunk"`
}

type simBusiest struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Bytes float64 `json:"bytes"`
}

// simulate runs every combination.
func (s *simSpec) simulate(stderr io.Writer, export string, dir []string) (rows []simulated, err error) {
	p := simProgress{progress: newProgress(stderr), of: len(s.ranks) * len(s.sizes) * len(s.builders) * len(s.orders)}
	defer p.clear()
	for _, ranks := range s.ranks {
		for _, order := range s.orders {
			what := fmt.Sprintf("the order %s of %d ranks", order.name, ranks)
			p.say(what)
			going, err := s.lanesOf(ranks, order, func(step string, fraction float64) { p.tell(what+": "+step, fraction) })
			if err != nil {
				return nil, err
			}
			for _, b := range s.builders {
				for _, bytes := range s.sizes {
					p.begin(fmt.Sprintf("%s:%s, %d ranks, %s", lower(b.Collective), b.Name, ranks, bench.FormatSize(bytes)))
					job := s.job(b, bytes, going)
					var r *sim.Result
					if export == "" {
						r, err = sim.Run(job, p.show)
					} else {
						r, err = exportSim(export, dir[0], fmt.Sprintf("%s:%s of %d bytes", lower(b.Collective), b.Name, bytes), job, p.show)
					}
					if err != nil {
						return nil, err
					}
					rows = append(rows, s.row(b, order, ranks, bytes, r))
				}
			}
		}
	}
	return rows, nil
}

// lanesOf makes the lanes, without algorithm and bytes.
func (s *simSpec) lanesOf(ranks int, order simOrder, progress func(string, float64)) (all []sim.Lane, err error) {
	placement := make([]int, ranks)
	for r := range placement {
		placement[r] = r / s.perHost
	}
	if s.lanes.By == lanes.Number && s.lanes.Lanes == 1 && order.name != orderRing { // and so no ring need be found
		l := sim.Lane{Ports: make([]topo.Port, ranks)}
		for r, host := range placement {
			l.Ports[r].Host = host
		}
		all = []sim.Lane{l}
	} else {
		ask := s.lanes
		ask.Progress = progress
		rings, err := lanes.Build(s.network, placement, ask)
		if err != nil {
			return nil, fmt.Errorf("--lanes: %w", err)
		}
		for _, r := range rings {
			all = append(all, sim.Lane{Order: r.Order, Ports: r.Ports})
		}
	}
	for i := range all {
		switch {
		case order.name == orderRank:
			all[i].Order = nil
		case order.name != orderRing:
			all[i].Order = rand.New(rand.NewPCG(order.seed, uint64(i))).Perm(ranks)
		}
	}
	return all, nil
}

// job has each lane carry an equal share.
func (s *simSpec) job(b plan.Builder, bytes uint64, going []sim.Lane) sim.Job {
	job := sim.Job{Network: s.network, Model: s.model, Root: s.root, Grain: s.grain}
	for _, l := range going {
		l.Builder, l.Bytes = b, float64(bytes)/float64(len(going))
		job.Lanes = append(job.Lanes, l)
	}
	return job
}

// row is what a simulation came to. Its slices may be parts of bytes, and sums of them are rounded.
func (s *simSpec) row(b plan.Builder, order simOrder, ranks int, bytes uint64, r *sim.Result) simulated {
	row := simulated{
		Collective: lower(b.Collective), Algorithm: b.Name, Order: order.name, Lanes: len(r.Lanes), Ranks: ranks, Bytes: bytes,
		Seconds: r.Seconds, Messages: r.Messages, Sent: math.Round(r.Bytes), LaneTimes: r.Lanes,
	}
	if r.Bytes > 0 {
		row.Traversals = simTraversals{r.Traversals() / r.Bytes, r.Crossed[topo.Trunk] / r.Bytes}
	}
	if r.Busiest >= 0 {
		l := &s.network.Links[r.Busiest]
		row.Busiest = &simBusiest{l.From, l.To, math.Round(r.Links[r.Busiest])}
	}
	return row
}
