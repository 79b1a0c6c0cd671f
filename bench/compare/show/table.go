package show

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"hcomm/bench/compare/results"
)

// title names a library for people.
func title(name string) string {
	name, preloaded := strings.CutSuffix(name, "-"+results.Preload)
	library, variant, _ := strings.Cut(name, "-")
	switch library {
	case "openmpi":
		library = "Open MPI"
	case "mpich":
		library = "MPICH"
	}
	text := strings.TrimSpace(library + " " + strings.ReplaceAll(variant, "-", " "))
	if preloaded {
		text += ", with hcomm"
	}
	return text
}

var memories = map[string]string{"malloc": "ordinary memory", "alloc": "allocated by the library", "register": "registered memory"}

// Heading says what a section is about.
func Heading(k results.Key) string {
	text := fmt.Sprintf("%s, %d ranks, %s", k.Collective, k.Ranks, memories[k.Memory])
	if k.Under != "" {
		text += ", under " + title(k.Under)
	}
	return text
}

// cells makes the table of a section; the first row has the titles.
func cells(s results.Section) [][]string {
	if s.Under != "" {
		return cellsUnder(s)
	}
	return cellsBeside(s)
}

// cellsBeside has hcomm beside other libraries.
func cellsBeside(s results.Section) (rows [][]string) {
	near, far := places(s)
	apart := near && far // else it is the same as all
	direct := slices.ContainsFunc(s.Lines, func(l results.Line) bool { return l.Limit.Pairs > 0 })
	head := []string{"bytes", "hcomm"}
	for _, peer := range s.Peers {
		head = append(head, title(peer))
	}
	if direct {
		head = append(head, "direct", "way")
	}
	head = append(head, "ratio (range)", "to")
	if apart {
		head = append(head, "near", "far")
	}
	if direct {
		head = append(head, "to direct")
	}
	rows = append(rows, head)
	for _, l := range s.Lines {
		row := []string{sizeIn(s, l)}
		for _, name := range append([]string{results.Hcomm}, s.Peers...) {
			row = append(row, micros(l.Times, name))
		}
		if direct {
			row = append(row, micros(l.Times, results.Direct), l.Way)
		}
		row = append(row, spread(l.Ratio), title(l.Ratio.To))
		if apart {
			row = append(row, counted(l.Near), counted(l.Far))
		}
		if direct {
			row = append(row, spread(l.Limit))
		}
		rows = append(rows, row)
	}
	return rows
}

func sizeIn(s results.Section, l results.Line) string {
	if s.Collective == "barrier" {
		return "–"
	}
	return Size(l.Bytes)
}

// Size writes bytes in the largest unit of which they are a multiple.
func Size(bytes int) string {
	switch {
	case bytes%(1<<20) == 0 && bytes > 0:
		return fmt.Sprintf("%d Mi", bytes>>20)
	case bytes%(1<<10) == 0 && bytes > 0:
		return fmt.Sprintf("%d Ki", bytes>>10)
	}
	return strconv.Itoa(bytes)
}

// micros has three digits, or all of them before the point.
func micros(times map[string]float64, name string) string {
	us, found := times[name]
	switch {
	case !found:
		return ""
	case us < 9.995:
		return fmt.Sprintf("%.2f", us)
	case us < 99.95:
		return fmt.Sprintf("%.1f", us)
	}
	return thousands(fmt.Sprintf("%.0f", us))
}

func thousands(digits string) string {
	if len(digits) <= 3 {
		return digits
	}
	return thousands(digits[:len(digits)-3]) + "," + digits[len(digits)-3:]
}

func spread(r results.Ratio) string {
	if r.Pairs == 0 {
		return ""
	}
	return fmt.Sprintf("%s (%s–%s)", factor(r.Median), factor(r.Lowest), factor(r.Highest))
}

// factor has two digits behind the point, or the first that is not zero: MPIs that spin without yielding can take a
// thousand times as long where ranks share processors.
func factor(ratio float64) string {
	digits := 2
	for scale := 100.0; ratio > 0 && ratio*scale < 0.95 && digits < 9; scale *= 10 {
		digits++
	}
	return strconv.FormatFloat(ratio, 'f', digits, 64)
}

func counted(r *results.Ratio) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%s ×%d", factor(r.Median), r.Pairs)
}

// Text writes a section's table for a terminal.
func Text(w io.Writer, s results.Section) error {
	rows := cells(s)
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	fmt.Fprintf(w, "%s; median µs of %s\n", Heading(s.Key), made(s))
	for _, row := range rows {
		line := ""
		for i, cell := range row {
			line += strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)) + cell + "  "
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	return nil
}

// made says in how many rounds the section was made, and where the processors were, if they have not moved.
func made(s results.Section) string {
	text := fmt.Sprintf("%d rounds", s.Rounds)
	if s.Rounds == 1 {
		text = "1 round"
	}
	near, far := places(s)
	switch {
	case near && !far:
		text += ", all near"
	case far && !near:
		text += ", all far"
	}
	return text
}

// places tells whether there are pairs made near, and far.
func places(s results.Section) (near, far bool) {
	for _, l := range s.Lines {
		near, far = near || l.Near != nil, far || l.Far != nil
	}
	return near, far
}

// markdown writes it for a page.
func markdown(w io.Writer, s results.Section) {
	for i, row := range cells(s) {
		fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			fmt.Fprintln(w, "|"+strings.Repeat("---:|", len(row)))
		}
	}
}
