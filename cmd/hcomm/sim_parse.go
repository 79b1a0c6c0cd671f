package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/bench"
	"hcomm/cmd/hcomm/curves"
	"hcomm/lanes"
	"hcomm/plan"
	"hcomm/topo"
)

// Limits of what is simulated.
const (
	mostSimRanks = 1 << 14
	mostSims     = 1000
	mostSimBytes = 1 << 50
)

// simSpec is what is to be simulated: every combination.
type simSpec struct {
	topology *topo.Topology
	network  *topo.Network
	model    plan.Model
	builders []plan.Builder
	sizes    []uint64
	ranks    []int
	orders   []simOrder
	perHost  int
	root     int
	grain    float64
	lanes    lanes.Ask
}

// simOrder is how the ranks are ordered.
type simOrder struct {
	name string
	seed uint64 // of random ones
}

const (
	orderRank   = "rank"
	orderRandom = "random"
	orderRing   = "ring"
)

// parse checks the flags, and reads the topology.
func (f *simFlags) parse(cmd *cobra.Command, args []string) (*simSpec, error) {
	if err := f.meaning(cmd, args); err != nil {
		return nil, err
	}
	s := &simSpec{perHost: f.perHost, root: f.root, grain: f.grain}
	var err error
	if s.builders, err = f.builders(); err != nil {
		return nil, err
	}
	if s.lanes, err = parseLanes(f.lanes); err != nil {
		return nil, err
	}
	if s.orders, err = parseOrders(f.orders); err != nil {
		return nil, err
	}
	if s.model, err = f.model(); err != nil {
		return nil, err
	}
	if s.sizes = []uint64{0}; f.bytes != "" {
		if s.sizes, err = parseList("bytes", f.bytes, bench.ParseSize, 1, mostSimBytes); err != nil {
			return nil, err
		}
	}
	if s.topology, err = readTopology(cmd.InOrStdin(), f.topology); err != nil {
		return nil, fmt.Errorf("--topology: %w", err)
	}
	if s.network, err = s.topology.Network(); err != nil {
		return nil, fmt.Errorf("--topology: %s: %w", f.topology, err)
	}
	if err := s.parseRanks(f.ranks); err != nil {
		return nil, err
	}
	if sims := len(s.ranks) * len(s.sizes) * len(s.builders) * len(s.orders); sims > mostSims {
		return nil, fmt.Errorf("these would be %d simulations; %d are allowed", sims, mostSims)
	} else if f.export != "" && sims > 1 {
		return nil, fmt.Errorf("--export writes one simulation; these would be %d", sims)
	}
	lines := len(s.builders) * len(s.orders)
	if len(s.sizes) > 1 {
		lines *= len(s.ranks)
	}
	if f.svg && lines > curves.MostLines {
		return nil, fmt.Errorf("--svg would draw %d curves; nobody could tell more than %d apart", lines, curves.MostLines)
	}
	return s, nil
}

func (f *simFlags) builders() (all []plan.Builder, err error) {
	c, err := plan.ParseCollective(f.collective)
	if err != nil {
		return nil, err
	}
	if len(f.algos) == 0 {
		return nil, fmt.Errorf("--algo names no algorithm")
	}
	for _, name := range f.algos {
		b, err := findBuilder(c, name)
		if err != nil {
			return nil, fmt.Errorf("--algo: %w", err)
		}
		all = append(all, b)
	}
	return all, nil
}

func parseLanes(text string) (ask lanes.Ask, err error) {
	switch text {
	case "rails":
		return lanes.Ask{By: lanes.Rail}, nil
	case "numa":
		return lanes.Ask{By: lanes.Domain}, nil
	}
	ask = lanes.Ask{By: lanes.Number}
	if ask.Lanes, err = strconv.Atoi(text); err != nil || ask.Lanes < 1 {
		return ask, fmt.Errorf("--lanes is %q; it must be a number from 1 on, rails or numa", text)
	}
	return ask, nil
}

func parseOrders(names []string) (all []simOrder, err error) {
	if len(names) == 0 {
		return nil, fmt.Errorf("--order names no order")
	}
	for _, name := range names {
		kind, seed, said := strings.Cut(name, ":")
		o := simOrder{name: name, seed: 1}
		if said && kind == orderRandom {
			if o.seed, err = strconv.ParseUint(seed, 10, 64); err != nil {
				return nil, fmt.Errorf("--order is %q; a seed must be a whole number, 0 or more", name)
			}
		} else if said || kind != orderRank && kind != orderRandom && kind != orderRing {
			return nil, fmt.Errorf("--order is %q; it must be %s, %s, %s:SEED or %s", name, orderRank, orderRandom, orderRandom, orderRing)
		}
		all = append(all, o)
	}
	return all, nil
}

// model is what processors take.
func (f *simFlags) model() (m plan.Model, err error) {
	switch f.processors {
	case "host":
		m = plan.Model{Overhead: plan.Host.Overhead, Copy: plan.Host.Copy, Reduce: plan.Host.Reduce}
	case "ideal":
	default:
		return m, fmt.Errorf("--processors is %q; it must be host or ideal", f.processors)
	}
	slice, err := bench.ParseSize(f.slice)
	if err != nil {
		return m, fmt.Errorf("--slice: %w", err)
	}
	if slice > 0 && slice < 64 {
		return m, fmt.Errorf("--slice is %d bytes; it must be 64 or more, or 0", slice)
	}
	m.Slice = float64(slice)
	if !(f.grain >= 0) || math.IsInf(f.grain, 1) {
		return m, fmt.Errorf("--grain is %v; it must be in seconds, 0 or more", f.grain)
	}
	return m, nil
}

// parseRanks checks them against the topology's hosts.
func (s *simSpec) parseRanks(text string) (err error) {
	hosts := len(s.topology.Hosts)
	if s.perHost < 1 || s.perHost > mostSimRanks {
		return fmt.Errorf("--per-host is %d; it must be 1 to %d", s.perHost, mostSimRanks)
	}
	room := min(hosts*s.perHost, mostSimRanks)
	if s.ranks = []int{room}; text != "" {
		number := func(text string) (uint64, error) {
			n, err := strconv.ParseUint(text, 10, 32)
			if err != nil {
				return 0, fmt.Errorf("%q is no whole number", text)
			}
			return n, nil
		}
		all, err := parseList("ranks", text, number, 1, mostSimRanks)
		if err != nil {
			return err
		}
		s.ranks = nil
		for _, n := range all {
			s.ranks = append(s.ranks, int(n))
		}
	}
	for _, n := range s.ranks {
		switch {
		case n > room:
			return fmt.Errorf("--ranks is %d; the %d hosts with %d on each hold %d", n, hosts, s.perHost, room)
		case s.root < 0 || s.root >= n:
			return fmt.Errorf("--root is %d; with --ranks %d it must be 0 to %d", s.root, n, n-1)
		}
	}
	return nil
}

// parseList reads numbers with commas between them, or ranges such as 1..8, which are 1, 2, 4, 8.
func parseList(flag, text string, parse func(string) (uint64, error), least, most uint64) (all []uint64, err error) {
	for item := range strings.SplitSeq(text, ",") {
		from, to, isRange := strings.Cut(item, "..")
		if !isRange {
			to = from
		}
		first, err := parse(from)
		if err != nil {
			return nil, fmt.Errorf("--%s: %w", flag, err)
		}
		last, err := parse(to)
		switch {
		case err != nil:
			return nil, fmt.Errorf("--%s: %w", flag, err)
		case first < least || last > most || last < first:
			return nil, fmt.Errorf("--%s is %q; it must be %d to %d, and a range from the smaller number to the larger", flag, item, least, most)
		}
		for n := first; n <= last; n *= 2 {
			all = append(all, n)
		}
	}
	return all, nil
}
