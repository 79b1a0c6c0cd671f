package show

import (
	"fmt"
	"io"
	"slices"

	"hcomm/bench/compare/results"
)

const explanationUnder = `Each program is run with ` + "`LD_PRELOAD=libhcomm_mpi.so`" + ` and right after that without, under the MPI as it is installed and
tuned. Times are medians in µs. The ratio is the time with hcomm by that without: the median of the ratios of runs that
followed each other (and the range of these). Below 1, hcomm is faster; what it does no better it passes on to the MPI.
*near* and *far* are the same of the pairs in which the processors of two ranks shared a cache and did not, and how many
pairs these were, of the variant that hcomm helps less. "iallreduce" is MPI_Iallreduce and, at once, MPI_Wait.
`

func (r *Report) pageUnder(w io.Writer, sections []results.Section) {
	fmt.Fprintf(w, "# MPI programs that hcomm serves\n\nWritten by `make bench BENCH_ARGS=--preload`; on which machine is in [README.md](%s), how it is measured in\nbench/README.md.\n\n%s",
		page, explanationUnder)
	tables(w, sections)
}

// cellsUnder has each variant of an MPI, with hcomm preloaded and without.
func cellsUnder(s results.Section) [][]string {
	near, far := places(s)
	head := []string{"bytes"}
	for _, peer := range s.Peers {
		head = append(head, title(peer), "with hcomm", "ratio (range)")
	}
	if near && far {
		head = append(head, "near", "far")
	}
	rows := [][]string{head}
	for _, l := range s.Lines {
		row := []string{sizeIn(s, l)}
		for _, peer := range s.Peers {
			row = append(row, micros(l.Times, peer), micros(l.Times, results.Preloaded(peer)), spread(l.Each[peer]))
		}
		if near && far {
			row = append(row, counted(l.Near), counted(l.Far))
		}
		rows = append(rows, row)
	}
	return rows
}

// summaryUnder puts it in short: allreduce by size, and each collective over all sizes.
func (r *Report) summaryUnder(w io.Writer, sections []results.Section) {
	sections = slices.DeleteFunc(slices.Clone(sections), func(s results.Section) bool { return s.Memory != of.Memory })
	fmt.Fprintf(w, "Allreduce of float32 with sum in an MPI program, %d ranks; medians in µs without hcomm and with it:\n\n", of.Ranks)
	briefUnder(w, sections)
	fmt.Fprint(w, "\nThe ratio over all sizes, as geometric mean (and the lowest and the highest):\n\n")
	overviewUnder(w, sections)
}

// briefUnder has of each MPI the variant that hcomm helps less.
func briefUnder(w io.Writer, sections []results.Section) {
	titles, rule := "| bytes |", "|---:|"
	var shown []results.Section
	for _, s := range sections {
		if s.Collective == of.Collective && s.Ranks == of.Ranks {
			shown = append(shown, s)
			titles, rule = titles+fmt.Sprintf(" %s | with hcomm | ratio |", title(s.Under)), rule+"---:|---:|---:|"
		}
	}
	fmt.Fprintf(w, "%s\n%s\n", titles, rule)
	for _, bytes := range ofSizes {
		row, some := fmt.Sprintf("| %s |", Size(bytes)), false
		for _, s := range shown {
			at := slices.IndexFunc(s.Lines, func(l results.Line) bool { return l.Bytes == bytes })
			if at < 0 {
				row += "  |  |  |"
				continue
			}
			l := s.Lines[at]
			some = true
			row += fmt.Sprintf(" %s | %s | %s |", micros(l.Times, l.Ratio.To), micros(l.Times, results.Preloaded(l.Ratio.To)), factor(l.Ratio.Median))
		}
		if some {
			fmt.Fprintln(w, row)
		}
	}
}

// overviewUnder has a row for each collective, and a column for each MPI and number of ranks.
func overviewUnder(w io.Writer, sections []results.Section) {
	type column struct {
		under string
		ranks int
	}
	var names []string
	var columns []column
	cells := map[column]map[string]string{}
	for _, s := range sections {
		c := column{s.Under, s.Ranks}
		if cells[c] == nil {
			columns, cells[c] = append(columns, c), map[string]string{}
		}
		if !slices.Contains(names, s.Collective) {
			names = append(names, s.Collective)
		}
		cells[c][s.Collective] = inShort(s)
	}
	slices.SortStableFunc(columns, func(a, b column) int { return a.ranks - b.ranks })
	titles, rule := "| |", "|---|"
	for _, c := range columns {
		titles, rule = fmt.Sprintf("%s %s, %d ranks |", titles, title(c.under), c.ranks), rule+"---:|"
	}
	fmt.Fprintf(w, "%s\n%s\n", titles, rule)
	for _, name := range names {
		fmt.Fprintf(w, "| %s |", name)
		for _, c := range columns {
			fmt.Fprintf(w, " %s |", cells[c][name])
		}
		fmt.Fprintln(w)
	}
}
