package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"hcomm/lanes"
	"hcomm/topo"
)

// Above so many hosts, they are not listed, and distances are those to the first of them. Of more distances, those in the
// middle are left out.
const (
	mostListedHosts = 8
	mostAllPairs    = 256
	mostDistances   = 100
)

func (s *shownTopology) writeText(w io.Writer) error {
	n := s.network
	parts := []string{counted(len(n.Hosts), "host"), counted(len(n.Switches), "switch"), counted(len(n.Topology.Links), "link")}
	fmt.Fprintf(w, "%s: %s\n", n.Name, strings.Join(parts, ", "))
	for _, write := range []func(io.Writer, *topo.Network){writeHosts, writeZones, writeLinks, writeDistances} {
		var text bytes.Buffer
		table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
		write(table, n)
		table.Flush() // into memory
		if text.Len() == 0 {
			continue
		}
		if _, err := fmt.Fprintf(w, "\n%s", text.Bytes()); err != nil {
			return err
		}
	}
	if s.ring != nil {
		fmt.Fprintf(w, "\nring, with the latencies of its hops as costs\n")
		if err := writeRing(w, s.ring, s.hostNames(), topo.FormatSeconds); err != nil {
			return err
		}
		writePassed(w, n, s.ring.Order)
	}
	return s.writeLanes(w)
}

// writeLanes says of each which hosts it goes through, by which links of a host, and how wide it is while all are at work;
// and how many links two of them share.
func (s *shownTopology) writeLanes(w io.Writer) error {
	if len(s.lanes) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "\nlane\tbandwidth\tlatency\tfrom\torder of hosts\n")
	for _, l := range s.lanes {
		hosts := make([]string, len(l.Order))
		for i, host := range l.Order {
			hosts[i] = s.network.Hosts[host].Name
		}
		bandwidth, latency := topo.FormatBandwidth(l.Bandwidth), topo.FormatSeconds(l.Total)
		first := s.portName(l.Ports[l.Order[0]])
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", l.Name, bandwidth, latency, first, strings.Join(hosts, " "))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	shared, must := 0, 0
	sharing := lanes.Shared(s.network, s.lanes)
	for i := range s.lanes {
		for j := range i {
			shared, must = shared+sharing.Shared[i][j], must+sharing.Must[i][j]
		}
	}
	_, err := fmt.Fprintf(w, "links that two lanes share: %d, of which %d cannot be avoided\n", shared, must)
	return err
}

// counted is so many of something.
func counted(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func writeHosts(w io.Writer, n *topo.Network) {
	if len(n.Hosts) > mostListedHosts {
		kinds := map[string]int{}
		for _, h := range n.Hosts {
			kinds[fmt.Sprintf("%s\t%s\tmemory %s", counted(len(h.NICs), "NIC"), counted(len(h.NUMA), "NUMA domain"), memory(h))]++
		}
		fmt.Fprintf(w, "hosts\teach with\n")
		for _, kind := range slices.Sorted(maps.Keys(kinds)) {
			fmt.Fprintf(w, "%d\t%s\n", kinds[kind], kind)
		}
		return
	}
	for _, h := range n.Hosts {
		fmt.Fprintf(w, "host %s\tmemory %s\n", h.Name, memory(h))
		for _, d := range h.NUMA {
			bus := topo.FormatBandwidth(d.Bandwidth)
			fmt.Fprintf(w, "  NUMA domain %d\tprocessors %s\tbus %s\n", d.ID, ranges(d.Processors), bus)
		}
		for _, nic := range h.NICs {
			bandwidth := "bandwidth of its links"
			if nic.Bandwidth > 0 {
				bandwidth = "bandwidth " + topo.FormatBandwidth(nic.Bandwidth)
			}
			fmt.Fprintf(w, "  NIC %s\trail %d\tNUMA domain %d\t%s\n", nic.Name, nic.Rail, nic.NUMA, bandwidth)
		}
	}
}

func memory(h topo.Host) string {
	return topo.FormatBandwidth(h.Memory.Bandwidth) + " " + topo.FormatSeconds(h.Memory.Latency)
}

// ranges writes sorted numbers such as 0-3,8.
func ranges(numbers []int) string {
	var parts []string
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		part := fmt.Sprint(numbers[i])
		if last > i {
			part += fmt.Sprintf("-%d", numbers[last])
		}
		parts, i = append(parts, part), last+1
	}
	if parts == nil {
		return "unknown"
	}
	return strings.Join(parts, ",")
}

func writeZones(w io.Writer, n *topo.Network) {
	var names []string
	hosts := map[string]int{}
	for _, h := range n.Hosts {
		if h.Zone == "" {
			continue
		}
		if hosts[h.Zone]++; hosts[h.Zone] == 1 {
			names = append(names, h.Zone)
		}
	}
	if len(names) == 0 {
		return
	}
	sizes := map[int]int{}
	for _, name := range names {
		sizes[hosts[name]]++
	}
	fmt.Fprintf(w, "zones\thosts of each\n")
	for _, size := range slices.Sorted(maps.Keys(sizes)) {
		fmt.Fprintf(w, "%d\t%d\n", sizes[size], size)
	}
}

// kindOfLink groups the links of a network.
type kindOfLink struct {
	kind               topo.Kind
	bandwidth, latency float64
}

var kindNames = map[topo.Kind]string{topo.Access: "of hosts", topo.Trunk: "between switches"}

func writeLinks(w io.Writer, n *topo.Network) {
	kinds := map[kindOfLink]int{}
	for _, l := range n.Links {
		if _, ok := kindNames[l.Kind]; ok {
			kinds[kindOfLink{l.Kind, l.Bandwidth, l.Latency}]++
		}
	}
	if len(kinds) == 0 {
		return
	}
	fmt.Fprintf(w, "links\t\tbandwidth\tlatency\n")
	order := slices.SortedFunc(maps.Keys(kinds), func(a, b kindOfLink) int {
		return cmp.Or(cmp.Compare(a.kind, b.kind), -cmp.Compare(a.bandwidth, b.bandwidth), cmp.Compare(a.latency, b.latency))
	})
	for _, k := range order {
		bandwidth, latency := topo.FormatBandwidth(k.bandwidth), topo.FormatSeconds(k.latency)
		fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", kinds[k]/2, kindNames[k.kind], bandwidth, latency)
	}
}

func writeDistances(w io.Writer, n *topo.Network) {
	if len(n.Hosts) < 2 {
		return
	}
	to, said := len(n.Hosts), "pairs of hosts"
	if to > mostAllPairs {
		to, said = 1, "hosts, to "+n.Hosts[0].Name
	}
	pairs := map[topo.Distance]int{}
	for b := range to {
		for a, d := range n.Distances(b) {
			if a < b || to == 1 && a != b {
				pairs[d]++
			}
		}
	}
	fmt.Fprintf(w, "%s\tlinks between\tbandwidth\tlatency\n", said)
	order := slices.SortedFunc(maps.Keys(pairs), func(a, b topo.Distance) int {
		far := cmp.Or(cmp.Compare(a.Links, b.Links), cmp.Compare(a.Picoseconds, b.Picoseconds))
		return cmp.Or(far, cmp.Compare(a.Bandwidth, b.Bandwidth))
	})
	row := func(d topo.Distance) {
		if math.IsInf(d.Picoseconds, 1) {
			fmt.Fprintf(w, "%d\tno way\n", pairs[d])
			return
		}
		bandwidth, latency := topo.FormatBandwidth(d.Bandwidth), topo.FormatSeconds(d.Picoseconds/1e12)
		fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", pairs[d], d.Links, bandwidth, latency)
	}
	leftOut := 0
	for i, d := range order {
		left := len(order) - i
		if len(order) <= mostDistances || i < mostDistances/2 || left <= mostDistances/2 {
			row(d)
			continue
		}
		if leftOut += pairs[d]; left == mostDistances/2+1 {
			fmt.Fprintf(w, "%d\t…\t…\t…\n", leftOut)
		}
	}
}

// writePassed says how many links between switches the messages of a ring pass on one round, and how many of the thinnest.
func writePassed(w io.Writer, n *topo.Network, order []int) {
	passed, thin, thinnest := 0, 0, math.Inf(1)
	for i, from := range order {
		route, err := n.Route(topo.Port{Host: from}, topo.Port{Host: order[(i+1)%len(order)]})
		if err != nil {
			return // the ring says which hosts it goes over
		}
		for _, l := range route {
			if n.Links[l].Kind != topo.Trunk {
				continue
			}
			passed++
			switch bandwidth := n.Links[l].Bandwidth; {
			case bandwidth < thinnest:
				thin, thinnest = 1, bandwidth
			case bandwidth == thinnest:
				thin++
			}
		}
	}
	fmt.Fprintf(w, "links between switches passed: %d", passed)
	if thin < passed {
		fmt.Fprintf(w, ", of which %d have the least bandwidth, %s", thin, topo.FormatBandwidth(thinnest))
	}
	fmt.Fprintln(w)
}
