//go:build cgo

package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A table is about one kind and size; cells[0] are its columns' titles.
type table struct {
	what  string
	bytes int
	cells [][]string
}

// tables makes those of the results, in their order. A row is a type and an operator. First come the speeds, of who was
// measured against someone, and of whom they were first measured against; then the ratios.
func tables(results []result) (all []table) {
	for len(results) > 0 {
		first := results[0]
		n := slices.IndexFunc(results, func(r result) bool { return r.What != first.What || r.Bytes != first.Bytes })
		if n < 0 {
			n = len(results)
		}
		all = append(all, table{first.What, first.Bytes, cells(results[:n])})
		results = results[n:]
	}
	return all
}

func cells(results []result) [][]string {
	var speeds, ratios []string // titles
	seen := func(list *[]string, title string) int {
		if i := slices.Index(*list, title); i >= 0 {
			return i
		}
		*list = append(*list, title)
		return len(*list) - 1
	}
	for i, r := range results {
		seen(&speeds, r.Mine)
		if i == 0 {
			seen(&speeds, r.Other)
		}
		seen(&ratios, r.Mine+"/"+r.Other)
	}
	titles := append([]string{"type", "op"}, append(speeds, ratios...)...)
	rows := [][]string{titles}
	for i, r := range results {
		if i == 0 || r.Type != results[i-1].Type || r.Op != results[i-1].Op {
			rows = append(rows, append([]string{r.Type, r.Op}, make([]string, len(titles)-2)...))
		}
		row := rows[len(rows)-1]
		set := func(title, text string) {
			if i := slices.Index(titles, title); i >= 0 && row[i] == "" {
				row[i] = text
			}
		}
		set(r.Mine, speed(r.MineGBps))
		set(r.Other, speed(r.OtherGBps))
		set(r.Mine+"/"+r.Other, fmt.Sprintf("%.2f (%.2f-%.2f)", r.Ratio, r.Lowest, r.Highest))
	}
	return rows
}

// speed has three digits.
func speed(gbps float64) string {
	if gbps < 9.995 {
		return fmt.Sprintf("%.2f", gbps)
	}
	return fmt.Sprintf("%.1f", gbps)
}

func (t *table) title() string {
	about := ""
	for _, k := range kinds {
		if k.name == t.what {
			about = k.about
		}
	}
	return fmt.Sprintf("%s; buffers of %s, %s at a time", about, size(t.bytes), size(min(piece, t.bytes)))
}

// size writes a number of bytes, which is a multiple of the unit.
func size(bytes int) string {
	switch {
	case bytes%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", bytes>>20)
	case bytes%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// writeText writes tables for people: names to the left, figures to the right.
func writeText(w io.Writer, results []result) error {
	for _, t := range tables(results) {
		widths := make([]int, len(t.cells[0]))
		for _, row := range t.cells {
			for i, cell := range row {
				widths[i] = max(widths[i], utf8.RuneCountInString(cell))
			}
		}
		fmt.Fprintf(w, "\n%s\n", t.title())
		for _, row := range t.cells {
			line := fmt.Sprintf("%-*s  %-*s", widths[0], row[0], widths[1], row[1])
			for i, cell := range row[2:] {
				line += fmt.Sprintf("  %*s", widths[i+2], cell)
			}
			if _, err := fmt.Fprintln(w, strings.TrimRight(line, " ")); err != nil {
				return err
			}
		}
	}
	return nil
}

func writeMarkdown(w io.Writer, results []result) error {
	for _, t := range tables(results) {
		fmt.Fprintf(w, "\n%s:\n\n", strings.ToUpper(t.title()[:1])+t.title()[1:])
		for i, row := range t.cells {
			fmt.Fprintf(w, "| %s |\n", strings.Join(row, " | "))
			if i == 0 {
				if _, err := fmt.Fprintln(w, "|---|---"+strings.Repeat("|---:", len(row)-2)+"|"); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func writeCSV(w io.Writer, results []result) error {
	out := csv.NewWriter(w)
	out.Write([]string{"what", "type", "op", "bytes", "mine", "other", "mine_gbps", "other_gbps", "ratio", "lowest", "highest", "rounds"})
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', 3, 64) }
	for _, r := range results {
		out.Write([]string{r.What, r.Type, r.Op, strconv.Itoa(r.Bytes), r.Mine, r.Other, number(r.MineGBps), number(r.OtherGBps),
			number(r.Ratio), number(r.Lowest), number(r.Highest), strconv.Itoa(r.Rounds)})
	}
	out.Flush()
	return out.Error()
}

func writeJSON(w io.Writer, results []result) error {
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	return out.Encode(results)
}
