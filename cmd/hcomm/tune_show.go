package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/bench"
	"hcomm/plan"
	"hcomm/settings"
	"hcomm/tune"
)

// shownRow is a row of the table in force. Fields are added, but neither renamed nor removed.
type shownRow struct {
	Collective string `json:"collective"`
	Ranks      int    `json:"ranks"`
	Crowded    bool   `json:"crowded"`
	Above      uint64 `json:"above_bytes"`
	UpTo       uint64 `json:"up_to_bytes,omitempty"` // absent: any size
	Algorithm  string `json:"algorithm"`
	Slice      int    `json:"slice_bytes,omitempty"` // absent: as many as a slot has
	Origin     string `json:"origin"`                // built in, a file, HCOMM_ALGO, or model
}

// showTable shows the table in force.
func (f *tuneFlags) showTable(cmd *cobra.Command) error {
	for _, flag := range []string{"from", "to", "seconds", "output", "alloc", "bind"} {
		if cmd.Flags().Changed(flag) {
			return fmt.Errorf("--%s has no meaning with --show", flag)
		}
	}
	if n := f.ranks; cmd.Flags().Changed("ranks") && (n < 2 || n > tune.MostRanks) {
		return fmt.Errorf("-n is %d; it must be 2 to %d", n, tune.MostRanks)
	}
	which, err := f.which()
	if err != nil {
		return err
	}
	values, err := settings.Load(os.Getenv)
	if err != nil {
		return err
	}
	table, err := tune.Load(values.TuneFile)
	if err != nil {
		return fmt.Errorf("HCOMM_TUNE_FILE: %w", err)
	}
	var rows []shownRow
	for _, c := range which {
		if f.ranks == 0 {
			rows = append(rows, said(table, c)...)
			continue
		}
		for _, crowded := range []bool{false, true} {
			rows = append(rows, inForce(table, tune.Key{Collective: c, Ranks: f.ranks, Crowded: crowded}, values)...)
		}
	}
	if f.js {
		return writeJSON(cmd.OutOrStdout(), rows)
	}
	return writeRows(cmd.OutOrStdout(), rows)
}

// said are the rows that the table has for a collective.
func said(table tune.Table, c plan.Collective) (rows []shownRow) {
	for _, s := range table {
		if s.Collective != c {
			continue
		}
		for _, r := range s.Rows {
			rows = append(rows, newShownRow(s.Key, r, s.Origin))
		}
	}
	return rows
}

func newShownRow(k tune.Key, r tune.Row, origin string) shownRow {
	row := shownRow{lower(k.Collective), k.Ranks, k.Crowded, r.Above(), 0, r.Algorithm, r.Slice, origin}
	if upTo, bounded := r.UpTo(); bounded {
		row.UpTo = upTo
	}
	return row
}

// inForce is what is chosen for each size.
func inForce(table tune.Table, k tune.Key, values settings.Values) (rows []shownRow) {
	var last tune.Row
	for class := range plan.Classes {
		row, origin := chosenFor(table, k, class, values)
		if n := len(rows); n > 0 && rows[n-1].Algorithm == row.Algorithm && rows[n-1].Slice == row.Slice && rows[n-1].Origin == origin {
			last.Last = class
			rows[n-1] = newShownRow(k, last, origin)
			continue
		}
		last = tune.Row{First: class, Last: class, Algorithm: row.Algorithm, Slice: row.Slice}
		rows = append(rows, newShownRow(k, last, origin))
		if k.Collective == plan.Barrier {
			break
		}
	}
	return rows
}

// chosenFor is what the engine's rules say, and why.
func chosenFor(table tune.Table, k tune.Key, class int, values settings.Values) (row tune.Row, origin string) {
	least := plan.AnyOrder
	if k.Collective.Reduces() && values.Deterministic {
		least = plan.LeftFold
	}
	for choice := range strings.SplitSeq(values.Algo, ",") {
		name, algorithm, _ := strings.Cut(strings.TrimSpace(choice), ":")
		if strings.EqualFold(name, k.Collective.String()) {
			return tune.Row{Algorithm: algorithm}, "HCOMM_ALGO"
		}
	}
	b, slice, said := table.Choose(k, class, least)
	if origin = "model"; said {
		origin = table.Origin(k)
	}
	return tune.Row{Algorithm: b.Name, Slice: slice}, origin
}

func writeRows(w io.Writer, rows []shownRow) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "collective\tranks\tcrowded\tabove\tup to\talgorithm\tslices\torigin")
	for _, r := range rows {
		crowded, upTo, slice := "no", "any", "slot"
		if r.Crowded {
			crowded = "yes"
		}
		if r.UpTo > 0 {
			upTo = bench.FormatSize(r.UpTo)
		}
		if r.Slice > 0 {
			slice = bench.FormatSize(uint64(r.Slice))
		}
		fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\n", r.Collective, r.Ranks, crowded, bench.FormatSize(r.Above), upTo, r.Algorithm, slice, r.Origin)
	}
	return table.Flush()
}
