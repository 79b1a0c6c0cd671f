package show

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"hcomm/bench/compare/results"
)

// The summaries stand on another page, each between such a line and the end.
const (
	summaryBegins = "<!-- made by make bench: summary -->\n"
	underBegins   = "<!-- made by make bench: preload -->\n"
	summaryEnds   = "<!-- end -->"
)

// of is what the summary has of single sizes, and these are the sizes.
var (
	of      = results.Key{Collective: "allreduce", Ranks: 2, Memory: "malloc"}
	ofSizes = []int{8, 128, 2 << 10, 8 << 10, 128 << 10, 512 << 10, 2 << 20, 8 << 20, 32 << 20}
)

// WriteSummary puts the report in short between the markers of a page.
func (r *Report) WriteSummary(path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := r.fill(old)
	if err != nil {
		return fmt.Errorf("%s %w", path, err)
	}
	return os.WriteFile(path, text, 0o644)
}

// fill gives the page with the summaries of what was measured.
func (r *Report) fill(page []byte) (_ []byte, err error) {
	beside, under := apart(results.Sections(r.Rows))
	if beside != nil {
		page, err = between(page, summaryBegins, func(w io.Writer) { r.summary(w, beside) })
	}
	if under != nil && err == nil {
		page, err = between(page, underBegins, func(w io.Writer) { r.summaryUnder(w, under) })
	}
	return page, err
}

// between puts what is written where the page has such a line.
func between(page []byte, begins string, write func(io.Writer)) ([]byte, error) {
	head, rest, found := bytes.Cut(page, []byte(begins))
	_, tail, ended := bytes.Cut(rest, []byte(summaryEnds))
	if !found || !ended {
		return nil, fmt.Errorf("has no place between %q and %q", strings.TrimSpace(begins), summaryEnds)
	}
	var b bytes.Buffer
	b.Write(head)
	b.WriteString(begins)
	write(&b)
	b.WriteString(summaryEnds)
	b.Write(tail)
	return b.Bytes(), nil
}

func (r *Report) summary(w io.Writer, sections []results.Section) {
	for _, s := range sections {
		if s.Key == of {
			fmt.Fprintf(w, "Allreduce of float32 with sum, %d ranks, ordinary memory; medians in µs:\n\n", s.Ranks)
			brief(w, s)
			fmt.Fprintln(w)
		}
	}
	fmt.Fprint(w, "The ratio over all sizes, as geometric mean (and the lowest and the highest):\n\n")
	overview(w, sections)
	fmt.Fprintf(w, "\n%s, %d processors, %s.\n", r.Machine.Processor, r.Machine.Processors, r.Machine.libraries())
}

// brief has of each other library the variant that does best.
func brief(w io.Writer, s results.Section) {
	var names []string
	for _, peer := range s.Peers {
		if name := library(peer); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	titles, rule := "| bytes | hcomm |", "|---:|---:|"
	for _, name := range names {
		titles, rule = titles+" "+title(name)+" |", rule+"---:|"
	}
	fmt.Fprintf(w, "%s ratio |\n%s---:|\n", titles, rule)
	for _, l := range s.Lines {
		if !slices.Contains(ofSizes, l.Bytes) {
			continue
		}
		fmt.Fprintf(w, "| %s | %s |", Size(l.Bytes), micros(l.Times, results.Hcomm))
		for _, name := range names {
			fmt.Fprintf(w, " %s |", micros(l.Times, fastest(l, s.Peers, name)))
		}
		fmt.Fprintf(w, " %s |\n", factor(l.Ratio.Median))
	}
}

// library is the name without the variant.
func library(peer string) string {
	name, _, _ := strings.Cut(peer, "-")
	return name
}

// fastest is the variant of a library that is the fastest at this size.
func fastest(l results.Line, peers []string, name string) (best string) {
	for _, peer := range peers {
		us, measured := l.Times[peer]
		if measured && library(peer) == name && (best == "" || us < l.Times[best]) {
			best = peer
		}
	}
	return best
}

// A row of the overview: a collective in a kind of memory. Of other memory than the ordinary it has allreduce only.
type kind struct{ collective, memory string }

func (k kind) String() string {
	if k.memory == of.Memory {
		return k.collective
	}
	return k.collective + ", " + memories[k.memory]
}

// overview has a row for each kind, and a column for each number of ranks.
func overview(w io.Writer, sections []results.Section) {
	var kinds []kind
	var ranks []int
	cells := map[kind]map[int]string{}
	for _, s := range sections {
		k := kind{s.Collective, s.Memory}
		if s.Memory != of.Memory && s.Collective != of.Collective {
			continue
		}
		if cells[k] == nil {
			kinds, cells[k] = append(kinds, k), map[int]string{}
		}
		if !slices.Contains(ranks, s.Ranks) {
			ranks = append(ranks, s.Ranks)
		}
		cells[k][s.Ranks] = inShort(s)
	}
	slices.Sort(ranks)
	titles, rule := "| |", "|---|"
	for _, n := range ranks {
		titles, rule = fmt.Sprintf("%s %d ranks |", titles, n), rule+"---:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", titles, rule)
	for _, k := range kinds {
		fmt.Fprintf(w, "| %s |", k)
		for _, n := range ranks {
			fmt.Fprintf(w, " %s |", cells[k][n])
		}
		fmt.Fprintln(w)
	}
}

// inShort is the geometric mean of the ratios of a section, the lowest and the highest.
func inShort(s results.Section) string {
	var ratios []float64
	sum := 0.0
	for _, l := range s.Lines {
		if l.Ratio.Pairs > 0 {
			ratios = append(ratios, l.Ratio.Median)
			sum += math.Log(l.Ratio.Median)
		}
	}
	switch len(ratios) {
	case 0:
		return ""
	case 1:
		return factor(ratios[0])
	}
	mean := math.Exp(sum / float64(len(ratios)))
	return fmt.Sprintf("%s (%s–%s)", factor(mean), factor(slices.Min(ratios)), factor(slices.Max(ratios)))
}
