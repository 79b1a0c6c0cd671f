package tuner

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"hcomm/cmd/hcomm/bench"
	"hcomm/engine"
	"hcomm/plan"
)

const (
	enough     = 1.05 // how much slower than the fastest a simpler candidate may be: less is noise
	sure       = 0.75 // in what share of the rounds a candidate must be faster than what the model takes
	batch      = 2e-3 // seconds that a candidate has the machine for, in its turn
	mostCalls  = 40   // in that time
	fewRounds  = 5
	mostRounds = 25
)

// hopeless is how much slower than the fastest a candidate may be after the first round, the second, and all others.
var hopeless = []float64{2.5, 1.6, 1.3}

// candidate is a choice, and what it took.
type candidate struct {
	Choice
	builder plan.Builder
	times   []float64 // of each of its turns the median, in seconds
	out     bool
}

// ratio is the candidate's time by another one's, round by round, for the machine's speed drifts: the median, and how
// large it is in all but a few rounds.
func (c *candidate) ratio(other *candidate) (middle, most float64) {
	var list []float64
	for i := range min(len(c.times), len(other.times)) {
		list = append(list, c.times[i]/other.times[i])
	}
	if len(list) == 0 {
		return math.Inf(1), math.Inf(1)
	}
	slices.Sort(list)
	return median(list), list[int(sure*float64(len(list)-1))]
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	return (sorted[len(sorted)/2] + sorted[(len(sorted)-1)/2]) / 2
}

// rank is one rank of a comparison.
type rank struct {
	plan  *Plan
	comm  *engine.Comm
	began time.Time
	it    int // calls so far
}

// RunRank takes part as the rank that the environment says. Rank 0 writes the report to out, the progress to err, and the
// file.
func (p *Plan) RunRank(out, err io.Writer) error {
	runtime.LockOSThread() // as a C program's thread does, it stays where it is
	comm, e := engine.InitEnv(os.Getenv)
	if e != nil {
		return e
	}
	if comm.Rank() != 0 {
		out, err = io.Discard, io.Discard
	}
	r := &rank{plan: p, comm: comm, began: time.Now()}
	results, e := r.measure(newReport(p, comm, out, err))
	if e == nil && comm.Rank() == 0 && p.File != "" {
		e = p.write(comm, results)
	}
	return errors.Join(e, comm.Destroy())
}

// measure goes through all cells. Each may take its share of the time that is left.
func (r *rank) measure(report *report) (results []Result, err error) {
	cells := r.plan.cells()
	var b *bench.Rank
	var before *Result
	for i, c := range cells {
		if i == 0 || cells[i-1].collective != c.collective {
			if b != nil {
				err = b.Free()
			}
			if err == nil {
				b, err = bench.NewRank(r.plan.bench(c.collective), r.comm, r.plan.To)
			}
			if err != nil {
				return nil, err
			}
			before = nil
		}
		left, err := r.left()
		if err != nil {
			return nil, err
		}
		report.begin(i, len(cells), c, left)
		result, err := r.compare(b, c, left/float64(len(cells)-i), before)
		if err != nil {
			return nil, fmt.Errorf("rank %d, %v of %s: %w", r.comm.Rank(), c.collective, bench.FormatSize(c.bytes), err)
		}
		results = append(results, result)
		before = &results[len(results)-1]
		report.row(result)
	}
	return results, errors.Join(report.end(results), b.Free())
}

// left is how much time is left, the same on all ranks.
func (r *rank) left() (float64, error) {
	spent := [2]float64{time.Since(r.began).Seconds()}
	err := bench.Latest(r.comm, &spent)
	return max(0, r.plan.Seconds-spent[0]), err
}

// compare measures the candidates of a cell in turns, for so many seconds, and drops those that are hopeless.
func (r *rank) compare(b *bench.Rank, c cell, seconds float64, before *Result) (Result, error) {
	model := Choice{Algorithm: plan.ForClass(c.collective, plan.AnyOrder, plan.Host, r.comm.Size(), plan.ClassOf(c.bytes)).Name}
	all := r.candidates(c, model)
	spent := 0.0
	for round := 0; round < mostRounds && (round < fewRounds || spent < seconds); round++ {
		for i := range all {
			x := &all[i]
			if x.out || spent > 2*seconds && len(x.times) > 0 {
				continue
			}
			took, err := r.turn(b, c, x)
			if err != nil {
				return Result{}, fmt.Errorf("by %s: %w", x.Algorithm, err)
			}
			spent += took
		}
		drop(all, hopeless[min(round, len(hopeless)-1)])
		if spent > 2*seconds {
			break
		}
	}
	return newResult(c, all, before), nil
}

// candidates are those of a cell, what the model would take first.
func (r *rank) candidates(c cell, model Choice) (all []candidate) {
	for _, choice := range c.candidates(r.comm.Size(), r.comm.SlotBytes()) {
		b, err := plan.Find(c.collective, choice.Algorithm)
		if err != nil {
			panic(err)
		}
		x := candidate{Choice: choice, builder: b}
		if choice == model {
			all = slices.Insert(all, 0, x)
		} else {
			all = append(all, x)
		}
	}
	return all
}

// drop takes out what is slower than the fastest by more than a factor. What the model takes, the first, stays, to be
// compared with.
func drop(all []candidate, factor float64) {
	best := math.Inf(1)
	for i := range all {
		if middle, _ := all[i].ratio(&all[0]); !all[i].out {
			best = min(best, middle)
		}
	}
	for i := range all {
		middle, _ := all[i].ratio(&all[0])
		all[i].out = all[i].out || i > 0 && middle > factor*best
	}
}

// turn measures a candidate for a moment. The first call, which finds the caches as another candidate has left them, does
// not count.
func (r *rank) turn(b *bench.Rank, c cell, x *candidate) (spent float64, err error) {
	if err := r.comm.Prefer(x.builder, x.Slice); err != nil {
		return 0, err
	}
	var times []float64
	for calls := 2; len(times) < calls-1 || calls == 2; {
		call, whole, err := b.Iteration(c.bytes, r.it)
		if err != nil {
			return 0, err
		}
		r.it++
		spent += whole
		if calls == 2 {
			calls = int(min(max(batch/whole, 3), mostCalls))
			continue
		}
		times = append(times, call)
	}
	x.times = append(x.times, median(times))
	return spent, nil
}
