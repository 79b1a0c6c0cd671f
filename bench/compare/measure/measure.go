package measure

import (
	"context"
	"fmt"
	"time"

	"hcomm/bench/compare/results"
)

// Options say what is measured.
type Options struct {
	Keys        []results.Key
	Rounds      int
	Seconds     float64 // for each size
	Least, Most int     // bytes; Most is 0: 32 MiB for allreduce, 8 MiB for others
	Limit       time.Duration
	Processors  int // that this process may use
}

// A Failure is a run that failed.
type Failure struct {
	results.Key
	Round   int    `json:"round"`
	Library string `json:"library"`
	Error   string `json:"error"`
}

func (f *Failure) String() string {
	return fmt.Sprintf("%s, %d ranks, %s, round %d: %s: %s", f.Collective, f.Ranks, f.Memory, f.Round, f.Library, f.Error)
}

// A Step is a run that is about to be made.
type Step struct {
	results.Key
	Round, Rounds int
	Library       string
	Left          time.Duration // of the whole, about
}

// A Measurement goes through all that is to be measured.
type Measurement struct {
	Options
	Pairs    []Pair
	Progress func(Step)

	Rows     []results.Row
	Failures []Failure

	took   map[run]time.Duration // the last time
	failed map[run]bool
}

// Run measures, until the context ends. What was measured up to then is in Rows.
func (m *Measurement) Run(ctx context.Context) {
	m.took, m.failed = map[run]time.Duration{}, map[run]bool{}
	turns := m.turns()
	for i, t := range turns {
		left := m.left(turns[i:])
		// Whoever has failed is not run again: he may take long to.
		if m.failed[run{t.Key, t.Mine.Title()}] || m.failed[run{t.Key, t.Other.Title()}] {
			continue
		}
		for _, l := range t.libraries() {
			if ctx.Err() != nil {
				return
			}
			m.Progress(Step{t.Key, t.round, m.Rounds, l.Title(), left})
			m.one(ctx, t, l)
		}
	}
}

// one is a run of one library in a turn.
func (m *Measurement) one(ctx context.Context, t turn, l *Library) {
	j := m.job(t.Key, l)
	begun := time.Now()
	rows, err := j.run(ctx)
	this := run{t.Key, l.Title()}
	m.took[this] = time.Since(begun)
	for _, r := range rows {
		r.Round, r.Pair = t.round, t.name()
		m.Rows = append(m.Rows, r)
	}
	if err != nil && ctx.Err() == nil {
		m.failed[this] = true
		m.Failures = append(m.Failures, Failure{t.Key, t.round, l.Title(), err.Error()})
	}
}

func (m *Measurement) job(key results.Key, l *Library) job {
	return job{Key: key, library: l, least: m.Least, most: m.most(key), seconds: m.Seconds, limit: m.Limit,
		bound: key.Ranks <= m.Processors}
}

// most is the largest size. Among many ranks, blocks are smaller, for each rank has as many as there are ranks.
func (o *Options) most(key results.Key) int {
	most := o.Most
	if most == 0 {
		most = 8 << 20
		if key.Collective == "allreduce" {
			most = 32 << 20
		}
	}
	switch key.Collective {
	case "allgather", "reducescatter", "alltoall":
		for r := key.Ranks; r > 2 && most/4 >= o.Least; r /= 4 {
			most /= 4
		}
	case "barrier":
		most = o.Least
	}
	return most
}
