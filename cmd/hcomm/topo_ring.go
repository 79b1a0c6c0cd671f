package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcomm/ring"
)

const topoRingHelp = `Finds a ring over all nodes: the order in which they pass data on, each to the next one. Its total cost is low, and within
1 % of that its slowest hop is as fast as possible. The lower bound is what no ring's total goes below.

The file is a matrix in CSV: a line for each node, with what it costs to send to each node (latency, say), between commas;
nothing or inf where there is no link. A first line may name the nodes. Where two directions differ, the worse one counts.
Or it is a file of TSPLIB with points of the plane (EUC_2D). The name - is the standard input.

Where another way is cheaper than the link, or there is none, a hop goes over other nodes. Links with less than the bandwidth
that is needed are avoided, if that is possible; docs/ring.md has more.`

func newTopoRing() *cobra.Command {
	var matrix, bandwidth string
	var need float64
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "ring --matrix FILE [flags]",
		Short: "Find a ring for a matrix of costs",
		Long:  topoRingHelp,
		Example: `  hcomm topo ring --matrix latency.csv
  hcomm topo ring --matrix latency.csv --bandwidth bandwidth.csv --need 1.25e9 --json
  hcomm topo ring --matrix - < berlin52.tsp`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := newProgress(cmd.ErrOrStderr())
			defer p.clear()
			p.say("reading")
			links, err := readLinks(cmd.InOrStdin(), matrix, bandwidth, cmd.Flags().Changed("need"))
			if err != nil {
				return err
			}
			r, err := ring.Build(links, ring.Options{Need: need, Progress: p.tell})
			if err != nil {
				return fmt.Errorf("%s: %w", matrix, err)
			}
			p.clear()
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), shownRingOf(r, links.Names))
			}
			return writeRing(cmd.OutOrStdout(), r, links.Names, formatCost)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&matrix, "matrix", "", "the `FILE` with the costs; - is the standard input")
	flags.StringVar(&bandwidth, "bandwidth", "", "a `FILE` with the bandwidths of the links, in bytes a second, as a matrix in CSV")
	flags.Float64Var(&need, "need", 0, "the `BANDWIDTH` that each hop needs, in bytes a second")
	flags.BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// readLinks reads what the flags name.
func readLinks(stdin io.Reader, matrix, bandwidth string, need bool) (links ring.Links, err error) {
	switch {
	case matrix == "":
		return links, fmt.Errorf("--matrix is missing (see: hcomm topo ring --help)")
	case need != (bandwidth != ""):
		return links, fmt.Errorf("--bandwidth and --need have no meaning without each other")
	case matrix == "-" && bandwidth == "-":
		return links, fmt.Errorf("--matrix and --bandwidth cannot both be the standard input")
	}
	if links, err = readMatrix(stdin, matrix, "--matrix"); err != nil || !need {
		return links, err
	}
	other, err := readMatrix(stdin, bandwidth, "--bandwidth")
	if err != nil {
		return links, err
	}
	if links.Names != nil && other.Names != nil && !slices.Equal(links.Names, other.Names) {
		return links, fmt.Errorf("%s and %s name different nodes, or not in the same order", matrix, bandwidth)
	}
	links.Bandwidth = other.Cost
	for i := range links.Bandwidth.Len() {
		for j := range links.Bandwidth.Len() {
			if math.IsInf(links.Bandwidth.At(i, j), 1) { // no link
				links.Bandwidth.Set(i, j, 0)
			}
		}
	}
	return links, nil
}

func readMatrix(stdin io.Reader, path, flag string) (ring.Links, error) {
	if path == "-" {
		return ring.Read(stdin, "standard input")
	}
	file, err := os.Open(path)
	if err != nil {
		return ring.Links{}, fmt.Errorf("%s: %w", flag, err)
	}
	defer file.Close()
	return ring.Read(file, path)
}

// shownRing is what topo ring --json writes. Fields are added, but neither renamed nor removed. Nodes are numbers, from 0, in
// the order of the file.
type shownRing struct {
	Order      []int      `json:"order"`
	Names      []string   `json:"names,omitempty"` // in that order, if they have some
	Total      float64    `json:"total"`
	Slowest    float64    `json:"slowest"`
	LowerBound float64    `json:"lower_bound"`
	Over       []shownHop `json:"over,omitempty"` // hops that pass other nodes
	Thin       [][2]int   `json:"thin,omitempty"` // hops over links with too little bandwidth
	Gap        *shownGap  `json:"gap,omitempty"`  // the link whose directions differ most, if any do
}

type shownHop struct {
	From  int   `json:"from"`
	To    int   `json:"to"`
	Nodes []int `json:"nodes"`
}

type shownGap struct {
	From int      `json:"from"`
	To   int      `json:"to"`
	Cost *float64 `json:"cost"` // null where there is no link
	Back *float64 `json:"back"`
}

func shownRingOf(r *ring.Ring, names []string) shownRing {
	s := shownRing{Order: r.Order, Total: r.Total, Slowest: r.Slowest, LowerBound: r.LowerBound, Thin: r.Thin}
	for i, node := range r.Order {
		if names != nil {
			s.Names = append(s.Names, names[node])
		}
		if len(r.Paths[i]) > 0 {
			s.Over = append(s.Over, shownHop{node, r.Order[(i+1)%len(r.Order)], r.Paths[i]})
		}
	}
	if g := r.Gap; g.From != g.To {
		s.Gap = &shownGap{g.From, g.To, finite(g.Cost), finite(g.Back)}
	}
	return s
}

// finite is the number, or nil for an infinity, which JSON has not.
func finite(v float64) *float64 {
	if math.IsInf(v, 0) {
		return nil
	}
	return &v
}

// formatCost is a cost in whatever unit the file has.
func formatCost(cost float64) string { return fmt.Sprintf("%.6g", cost) }

// linkCost is what a link costs in one direction.
func linkCost(cost float64, format func(cost float64) string) string {
	if math.IsInf(cost, 1) {
		return "no link"
	}
	return format(cost)
}

func writeRing(w io.Writer, r *ring.Ring, names []string, format func(cost float64) string) error {
	name := func(node int) string {
		if names == nil {
			return fmt.Sprint(node)
		}
		return names[node]
	}
	list := func(nodes []int) string {
		said := make([]string, len(nodes))
		for i, node := range nodes {
			said[i] = name(node)
		}
		return strings.Join(said, " ")
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "order\t%s\n", list(r.Order))
	fmt.Fprintf(table, "total\t%s\n", format(r.Total))
	fmt.Fprintf(table, "slowest\t%s\n", format(r.Slowest))
	fmt.Fprintf(table, "lower bound\t%s%s\n", format(r.LowerBound), above(r))
	for i, path := range r.Paths {
		if len(path) > 0 {
			fmt.Fprintf(table, "over\t%s: from %s to %s\n", list(path), name(r.Order[i]), name(r.Order[(i+1)%len(r.Order)]))
		}
	}
	for _, hop := range r.Thin {
		fmt.Fprintf(table, "too thin\tfrom %s to %s\n", name(hop[0]), name(hop[1]))
	}
	if g := r.Gap; g.From != g.To {
		cost, back := linkCost(g.Cost, format), linkCost(g.Back, format)
		fmt.Fprintf(table, "greatest gap\tfrom %s to %s %s, back %s\n", name(g.From), name(g.To), cost, back)
	}
	return table.Flush()
}

// above says how far the total is above the bound.
func above(r *ring.Ring) string {
	switch {
	case r.Total <= r.LowerBound:
		return " (no ring is cheaper)"
	case r.LowerBound == 0:
		return ""
	}
	return fmt.Sprintf(" (the total is %.2f %% above it)", 100*(r.Total/r.LowerBound-1))
}
