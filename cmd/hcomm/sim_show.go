package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hcomm/cmd/hcomm/bench"
	"hcomm/cmd/hcomm/curves"
)

// simProgress says which of several simulations is under way.
type simProgress struct {
	progress
	of   int // simulations
	at   int
	what string
}

func (p *simProgress) begin(what string) {
	p.at, p.what = p.at+1, what
	p.show(0)
}

func (p *simProgress) show(fraction float64) {
	p.tell(fmt.Sprintf("%d of %d: %s", p.at, p.of, p.what), fraction)
}

func writeSim(w io.Writer, rows []simulated) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "algorithm\torder\tlanes\tranks\tbytes\ttime\ttraversals\ttrunk\tmessages\tbusiest")
	for _, r := range rows {
		busiest := "-"
		if b := r.Busiest; b != nil {
			busiest = fmt.Sprintf("%s from %s to %s", bench.FormatSize(uint64(b.Bytes)), b.From, b.To)
			if b.From == b.To {
				busiest = fmt.Sprintf("%s inside %s", bench.FormatSize(uint64(b.Bytes)), b.From)
			}
		}
		fmt.Fprintf(table, "%s:%s\t%s\t%d\t%d\t%s\t%s\t%.2f\t%.2f\t%d\t%s\n", r.Collective, r.Algorithm, r.Order, r.Lanes, r.Ranks,
			bench.FormatSize(r.Bytes), simTime(r.Seconds), r.Traversals.All, r.Traversals.Trunk, r.Messages, busiest)
	}
	return table.Flush()
}

// simTime writes seconds in the unit that suits them.
func simTime(seconds float64) string {
	switch {
	case seconds >= 1:
		return fmt.Sprintf("%.4g s", seconds)
	case seconds >= 1e-3:
		return fmt.Sprintf("%.4g ms", seconds*1e3)
	}
	return fmt.Sprintf("%.4g µs", seconds*1e6)
}

// writeCurves draws the times over the sizes, or if there is one only over the ranks.
func (s *simSpec) writeCurves(w io.Writer, rows []simulated) error {
	chart := curves.Chart{Title: s.chartTitle(rows[0]), X: curves.Bytes, Y: curves.Seconds}
	if len(s.sizes) == 1 {
		chart.X = curves.Ranks
	}
	lines := map[string]int{}
	for _, r := range rows {
		name, x := s.curve(r), float64(r.Bytes)
		if chart.X == curves.Ranks {
			x = float64(r.Ranks)
		}
		i, known := lines[name]
		if !known {
			i = len(chart.Lines)
			lines[name] = i
			chart.Lines = append(chart.Lines, curves.Line{Name: name})
		}
		chart.Lines[i].Points = append(chart.Lines[i].Points, curves.Point{X: x, Y: r.Seconds})
	}
	text, err := chart.SVG()
	if err == nil {
		_, err = w.Write(text)
	}
	return err
}

// chartTitle says what is the same in all rows.
func (s *simSpec) chartTitle(r simulated) string {
	title := r.Collective + " "
	if len(s.sizes) == 1 && r.Bytes > 0 {
		title += "of " + bench.FormatSize(r.Bytes) + " "
	}
	title += "on " + s.topology.Name
	if len(s.sizes) > 1 && len(s.ranks) == 1 {
		title += fmt.Sprintf(", %d ranks", r.Ranks)
	}
	return title
}

// curve names the line that a row is on, by what differs between lines.
func (s *simSpec) curve(r simulated) string {
	words := []string{r.Algorithm}
	if len(s.orders) > 1 || r.Order != orderRank {
		words = append(words, "order "+r.Order)
	}
	if r.Lanes > 1 {
		words = append(words, fmt.Sprintf("%d lanes", r.Lanes))
	}
	if len(s.sizes) > 1 && len(s.ranks) > 1 {
		words = append(words, fmt.Sprintf("%d ranks", r.Ranks))
	}
	return strings.Join(words, ", ")
}
