package tuner

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"hcomm/cmd/hcomm/bench"
	"hcomm/engine"
	"hcomm/plan"
)

// report writes what is found as it is found, and before it what is being measured.
type report struct {
	plan     *Plan
	comm     *engine.Comm
	out, err io.Writer
	failed   error
}

func newReport(p *Plan, comm *engine.Comm, out, err io.Writer) *report {
	r := &report{plan: p, comm: comm, out: out, err: err}
	if !p.JSON {
		r.printf("%s, float32, %s; slices of a slot (%s) where no size is said; about %.0f s\n%s\n",
			r.ranks(), p.memory(), bench.FormatSize(uint64(comm.SlotBytes())), p.Seconds,
			fmt.Sprintf("%-13s %8s  %-28s %10s  %-20s %10s  %5s", "collective", "block", "chosen", "µs", "by the model", "µs", "ratio"))
	}
	return r
}

func (r *report) ranks() string {
	if r.comm.Crowded() {
		return fmt.Sprintf("%d ranks, more than there are processors", r.comm.Size())
	}
	return fmt.Sprintf("%d ranks", r.comm.Size())
}

func (r *report) printf(format string, args ...any) {
	if _, err := fmt.Fprintf(r.out, format, args...); err != nil && r.failed == nil {
		r.failed = err
	}
}

// begin shows what is being measured. The line has no end: the row is written over it.
func (r *report) begin(i, n int, c cell, left float64) {
	if r.plan.Progress {
		fmt.Fprintf(r.err, "\r%-70s\r", fmt.Sprintf("  measuring %s of %s, %d of %d; about %.0f s left", lower(c.collective), bench.FormatSize(c.bytes), i+1, n, left))
	}
}

func (r *report) row(x Result) {
	if r.plan.JSON {
		return
	}
	size := bench.FormatSize(x.Bytes)
	if x.collective == plan.Barrier {
		size = "-"
	}
	line := fmt.Sprintf("%-13s %8s  %-28s %10.2f", x.Collective, size, x.Chosen, x.Chosen.Time)
	if x.Chosen.Choice == x.Model.Choice {
		line += "  the same"
	} else {
		line += fmt.Sprintf("  %-20s %10.2f  %5.2f", x.Model, x.Model.Time, x.Chosen.Ratio)
	}
	r.printf("%s\n", line)
}

// end writes what is left to write; the error is the first that occurred.
func (r *report) end(results []Result) error {
	if r.plan.Progress {
		fmt.Fprintf(r.err, "\r\x1b[K")
	}
	if r.plan.JSON {
		text, err := json.MarshalIndent(struct {
			Ranks   int      `json:"ranks"`
			Crowded bool     `json:"crowded"`
			Memory  string   `json:"memory"`
			Rows    []Result `json:"rows"`
		}{r.comm.Size(), r.comm.Crowded(), r.plan.memory(), results}, "", "  ")
		if err != nil {
			return err
		}
		r.printf("%s\n", text)
	}
	return r.failed
}

// lower is a collective as it is written on the command line.
func lower(c plan.Collective) string { return strings.ToLower(c.String()) }
