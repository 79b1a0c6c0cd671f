package bench

import (
	"encoding/json"
	"fmt"
	"io"

	"hcomm/plan"
)

// Format is how the report is written.
type Format string

// The formats.
const (
	Table Format = "table"
	CSV   Format = "csv"
	JSON  Format = "json"
)

// Row is what was measured at one size. Times are in µs.
type Row struct {
	// Bytes of the buffers, or where one of them has a block for each rank, of a block.
	Bytes      uint64  `json:"bytes"`
	Median     float64 `json:"median_us"`
	Min        float64 `json:"min_us"`
	P99        float64 `json:"p99_us"`
	Rate       float64 `json:"gb_per_s"` // bytes by the median, in 10^9 bytes per second
	Iterations int     `json:"iterations"`
}

// report writes rows as they come, and before each what is being measured.
type report struct {
	plan     *Plan
	ranks    int
	out, err io.Writer
	failed   error
	rows     []Row
}

func newReport(p *Plan, ranks int, out, err io.Writer) *report {
	r := &report{plan: p, ranks: ranks, out: out, err: err}
	switch p.Format {
	case Table:
		r.printf("%s\n%s\n", r.title(), r.columns())
	case CSV:
		r.printf("collective,ranks,bytes,median_us,min_us,p99_us,gb_per_s,iterations\n")
	}
	return r
}

func (r *report) title() string {
	text := fmt.Sprintf("%s, %d ranks", r.plan.name(), r.ranks)
	if r.ranks == 1 {
		text = r.plan.name() + ", 1 rank"
	}
	if r.plan.Collective.Reduces() {
		text += fmt.Sprintf(", %v", r.plan.Op)
	}
	if r.plan.Collective != plan.Barrier {
		text += fmt.Sprintf(" of %v, %s", r.plan.Type, r.memory())
	}
	if r.plan.Algo != "" {
		text += ", by " + r.plan.Algo
	}
	return text
}

func (r *report) memory() string {
	if r.plan.Alloc {
		return "memory from hcommMemAlloc"
	}
	return "ordinary memory"
}

func (r *report) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(r.out, format, args...); err != nil && r.failed == nil {
		r.failed = err
	}
}

// begin shows what is being measured. The line has no end: the row is written over it.
func (r *report) begin(i, n int, bytes uint64) {
	if r.plan.Progress {
		fmt.Fprintf(r.err, "\r%-62s\r", fmt.Sprintf("  measuring %s, %d of %d", FormatSize(bytes), i+1, n))
	}
}

func (r *report) row(row Row) {
	r.rows = append(r.rows, row)
	switch r.plan.Format {
	case Table:
		r.printf("%s\n", r.line(row))
	case CSV:
		r.printf("%s,%d,%d,%.2f,%.2f,%.2f,%.3f,%d\n",
			r.plan.name(), r.ranks, row.Bytes, row.Median, row.Min, row.P99, row.Rate, row.Iterations)
	}
}

// columns heads the lines. A barrier has no bytes.
func (r *report) columns() string {
	times := fmt.Sprintf("%12s %12s %12s", "median µs", "min µs", "p99 µs")
	if r.plan.Collective == plan.Barrier {
		return times
	}
	bytes := "bytes"
	if Blocks(r.plan.Collective, 2) > 1 {
		bytes = "block bytes" // a buffer has one for each rank
	}
	return fmt.Sprintf("%12s %s %10s", bytes, times, "GB/s")
}

func (r *report) line(row Row) string {
	times := fmt.Sprintf("%12.2f %12.2f %12.2f", row.Median, row.Min, row.P99)
	if r.plan.Collective == plan.Barrier {
		return times
	}
	return fmt.Sprintf("%12d %s %10.3f", row.Bytes, times, row.Rate)
}

// end writes what is left to write; the error is the first that occurred.
func (r *report) end() error {
	if r.plan.Progress {
		fmt.Fprintf(r.err, "\r\x1b[K")
	}
	if r.plan.Format == JSON {
		text, err := json.MarshalIndent(r.document(), "", "  ")
		if err != nil {
			return err
		}
		r.printf("%s\n", text)
	}
	return r.failed
}

func (r *report) document() any {
	d := struct {
		Collective string `json:"collective"`
		Algorithm  string `json:"algorithm,omitempty"` // that was asked for
		Ranks      int    `json:"ranks"`
		Type       string `json:"type,omitempty"`
		Op         string `json:"op,omitempty"`
		Memory     string `json:"memory,omitempty"`
		Rows       []Row  `json:"rows"`
	}{Collective: r.plan.name(), Algorithm: r.plan.Algo, Ranks: r.ranks, Rows: r.rows}
	if r.plan.Collective != plan.Barrier {
		d.Type, d.Memory = r.plan.Type.String(), r.memory()
	}
	if r.plan.Collective.Reduces() {
		d.Op = r.plan.Op.String()
	}
	return d
}
