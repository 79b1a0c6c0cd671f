package tuner

import (
	"fmt"
	"os"
	"slices"

	"hcomm/cmd/hcomm/bench"
	"hcomm/engine"
	"hcomm/plan"
	"hcomm/tune"
)

// Result is what was found for one size. Times are medians, in µs.
type Result struct {
	collective plan.Collective

	Collective string     `json:"collective"`
	Bytes      uint64     `json:"bytes"` // of a block
	Chosen     Measured   `json:"chosen"`
	Model      Measured   `json:"model"` // what the cost model would take
	Candidates []Measured `json:"candidates"`
}

// Measured is a candidate and its time.
type Measured struct {
	Choice
	Time    float64 `json:"median_us"`
	Ratio   float64 `json:"ratio"`             // to the model's choice: the median of all rounds'
	Dropped bool    `json:"dropped,omitempty"` // as hopeless, before the time was over
}

// newResult chooses: what the model takes, which is the first, unless another is surely faster; then what the size before
// took, or else the simplest, of those that are about as fast as the fastest.
func newResult(c cell, all []candidate, before *Result) Result {
	model, best := &all[0], 1.0
	for i := range all {
		if middle, most := all[i].ratio(model); !all[i].out && most < 1 {
			best = min(best, middle)
		}
	}
	chosen := model
	if best*enough < 1 {
		good := func(x candidate) bool {
			middle, most := x.ratio(model)
			return !x.out && most < 1 && middle <= enough*best
		}
		i := slices.IndexFunc(all, func(x candidate) bool { return before != nil && x.Choice == before.Chosen.Choice && good(x) })
		if i < 0 {
			i = slices.IndexFunc(all, good)
		}
		chosen = &all[i]
	}
	r := Result{collective: c.collective, Collective: lower(c.collective), Bytes: c.bytes, Chosen: chosen.measured(model), Model: model.measured(model)}
	for _, x := range all {
		if len(x.times) > 0 {
			r.Candidates = append(r.Candidates, x.measured(model))
		}
	}
	return r
}

func (c *candidate) measured(model *candidate) Measured {
	ratio, _ := c.ratio(model)
	return Measured{Choice: c.Choice, Time: µs(median(c.times)), Ratio: float64(int(ratio*1000+0.5)) / 1000, Dropped: c.out}
}

// table has a section for each collective; sizes that follow each other with the same choice are one row.
func table(results []Result, ranks int, crowded bool) tune.Table {
	var t tune.Table
	for i, r := range results {
		if i == 0 || results[i-1].collective != r.collective {
			t = append(t, tune.Section{Key: tune.Key{Collective: r.collective, Ranks: ranks, Crowded: crowded}})
		}
		s := &t[len(t)-1]
		class := plan.ClassOf(r.Bytes)
		row := tune.Row{First: class, Last: class, Algorithm: r.Chosen.Algorithm, Slice: r.Chosen.Slice}
		if n := len(s.Rows); n > 0 && s.Rows[n-1].Algorithm == row.Algorithm && s.Rows[n-1].Slice == row.Slice {
			s.Rows[n-1].Last = class
		} else {
			s.Rows = append(s.Rows, row)
		}
		largest := i+1 == len(results) || results[i+1].collective != r.collective
		if largest && (r.Bytes >= openEnded || r.collective == plan.Barrier) {
			s.Rows[len(s.Rows)-1].Last = plan.Classes - 1
		}
	}
	return t
}

// write puts what was found into the file, in the place of the sections that it has of the same.
func (p *Plan) write(comm *engine.Comm, results []Result) error {
	t := table(results, comm.Size(), comm.Crowded())
	if old, err := tune.Open(p.File); err == nil {
		t = t.Over(old)
	} else if _, there := os.Stat(p.File); there == nil {
		return err
	}
	return t.Write(p.File, fmt.Sprintf("measured by hcomm tune; the last time %d ranks, float32, %s", comm.Size(), p.memory()))
}

func (p *Plan) memory() string {
	if p.Alloc {
		return "memory from hcommMemAlloc"
	}
	return "ordinary memory"
}

func µs(seconds float64) float64 { return float64(int64(seconds*1e9+0.5)) / 1000 }

// String is "ring", or "ring, slices of 8 KiB".
func (c Choice) String() string {
	if c.Slice == 0 {
		return c.Algorithm
	}
	return c.Algorithm + ", " + bench.FormatSize(uint64(c.Slice))
}
