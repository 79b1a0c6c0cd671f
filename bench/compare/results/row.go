package results

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// A Row is what one run said about one size.
type Row struct {
	Round            int
	Pair             string // the name of the other library that hcomm was run beside in this very turn; see Preload
	Library, Variant string
	Collective       string
	Ranks            int
	Memory           string
	Bytes            int
	Median, Min, P99 float64 // microseconds

	// How long a flag took between two of the ranks, before and after; nanoseconds. 0: it was not measured.
	FlagBefore, FlagAfter float64
}

// Hcomm and Direct are libraries; the rows of Direct have the way in which it was done for a variant. Preload ends the
// variant of an MPI whose program had hcomm's library preloaded. In such a turn that one is the pair's name, and the other
// is the same MPI without.
const (
	Hcomm   = "hcomm"
	Direct  = "direct"
	Preload = "preload"
)

// Name joins library and variant: mpich-tuned.
func Name(library, variant string) string {
	if variant == "" || library == Direct {
		return library
	}
	return library + "-" + variant
}

// Preloaded is the name of the same with hcomm preloaded.
func Preloaded(name string) string { return name + "-" + Preload }

func isPreloaded(name string) bool { return strings.HasSuffix(name, "-"+Preload) }

var header = []string{"round", "pair", "library", "variant", "collective", "ranks", "memory", "bytes", "median_us", "min_us", "p99_us",
	"flag_before_ns", "flag_after_ns"}

// Write writes CSV.
func Write(w io.Writer, rows []Row) error {
	out := csv.NewWriter(w)
	out.Write(header)
	for _, r := range rows {
		record := []string{strconv.Itoa(r.Round), r.Pair, r.Library, r.Variant, r.Collective, strconv.Itoa(r.Ranks), r.Memory, strconv.Itoa(r.Bytes)}
		for _, us := range []float64{r.Median, r.Min, r.P99} {
			record = append(record, strconv.FormatFloat(us, 'f', 3, 64))
		}
		for _, ns := range []float64{r.FlagBefore, r.FlagAfter} {
			record = append(record, strconv.FormatFloat(ns, 'f', 1, 64))
		}
		out.Write(record)
	}
	out.Flush()
	return out.Error()
}

// Read reads what Write has written.
func Read(r io.Reader) (rows []Row, err error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) == 0 || !slices.Equal(records[0], header) {
		return nil, fmt.Errorf("line 1 is not %v", header)
	}
	for i, record := range records[1:] {
		row := Row{Pair: record[1], Library: record[2], Variant: record[3], Collective: record[4], Memory: record[6]}
		whole := map[int]*int{0: &row.Round, 5: &row.Ranks, 7: &row.Bytes}
		real := map[int]*float64{8: &row.Median, 9: &row.Min, 10: &row.P99, 11: &row.FlagBefore, 12: &row.FlagAfter}
		if err := scan(record, whole, real); err != nil {
			return nil, fmt.Errorf("line %d: %w", i+2, err)
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func scan(record []string, whole map[int]*int, real map[int]*float64) (err error) {
	for i, to := range whole {
		if *to, err = strconv.Atoi(record[i]); err != nil {
			return fmt.Errorf("%s is %q", header[i], record[i])
		}
	}
	for i, to := range real {
		if *to, err = number(record[i]); err != nil {
			return fmt.Errorf("%s is %q", header[i], record[i])
		}
	}
	return nil
}

// number reads a time; it must be one that can be.
func number(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err == nil && !(x >= 0 && x < 1e12) {
		err = strconv.ErrRange
	}
	return x, err
}

// Parse reads a line that the yardstick has printed: its name for the collective, ranks, bytes, three times, the way, and
// how long a flag took before and after.
func Parse(line []string) (row Row, err error) {
	if len(line) != 9 {
		return row, fmt.Errorf("%d fields instead of 9", len(line))
	}
	row.Collective, row.Variant = line[0], line[6]
	for i, to := range map[int]*int{1: &row.Ranks, 2: &row.Bytes} {
		if *to, err = strconv.Atoi(line[i]); err != nil {
			return row, fmt.Errorf("field %d is %q", i+1, line[i])
		}
	}
	for i, to := range map[int]*float64{3: &row.Median, 4: &row.Min, 5: &row.P99, 7: &row.FlagBefore, 8: &row.FlagAfter} {
		if *to, err = number(line[i]); err != nil {
			return row, fmt.Errorf("field %d is %q", i+1, line[i])
		}
	}
	return row, nil
}
