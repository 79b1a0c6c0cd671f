package bench

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/engine"
)

const (
	warmup      = 3 // iterations that are not counted
	fewest      = 7
	mostSamples = 20000
)

// Rank is one rank of a measurement.
type Rank struct {
	plan       *Plan
	comm       *engine.Comm
	send, recv *buffer
	in, out    int // their blocks
	pattern    *pattern
	now        func() float64
	times      []float64 // seconds
}

// RunRank takes part as the rank that the environment says. Rank 0 writes the report to out, and the progress to err.
func (p *Plan) RunRank(out, err io.Writer) error {
	runtime.LockOSThread() // as a C program's thread does, it stays where it is
	comm, e := engine.InitEnv(p.environment)
	if e != nil {
		return e
	}
	if comm.Rank() != 0 {
		out, err = io.Discard, io.Discard
	}
	sizes := p.sizes()
	r, e := NewRank(p, comm, sizes[len(sizes)-1])
	if e == nil {
		r.times = make([]float64, 0, mostSamples)
		e = errors.Join(r.measure(sizes, newReport(p, comm.Size(), out, err)), r.Free())
	}
	return errors.Join(e, comm.Destroy())
}

// NewRank is a rank of a communicator with buffers for blocks of up to so many bytes.
func NewRank(p *Plan, comm *engine.Comm, most uint64) (r *Rank, err error) {
	r = &Rank{plan: p, comm: comm, now: sharedClock(), pattern: newPattern(p, comm.Rank(), comm.Size())}
	r.in, r.out = p.buffers(comm.Rank(), comm.Size())
	if r.send, err = newBuffer(most*uint64(r.in), p.Alloc); err != nil {
		return nil, err
	}
	r.recv, err = newBuffer(most*uint64(r.out), p.Alloc)
	return r, err
}

// Free gives the buffers back.
func (r *Rank) Free() error { return errors.Join(r.send.free(), r.recv.free()) }

// environment is os.Getenv, and the algorithm that is asked for beside those that the user has set.
func (p *Plan) environment(name string) string {
	value := os.Getenv(name)
	if name != "HCOMM_ALGO" || p.Algo == "" {
		return value
	}
	if value != "" {
		value += "," // the last one counts
	}
	return value + p.name() + ":" + p.Algo
}

// measure measures all rows.
func (r *Rank) measure(sizes []uint64, report *report) error {
	for i, bytes := range sizes {
		report.begin(i, len(sizes), bytes)
		if err := r.row(bytes); err != nil {
			return fmt.Errorf("rank %d, %s of %s: %w", r.comm.Rank(), r.plan.name(), FormatSize(bytes), err)
		}
		report.row(summary(bytes, r.times))
	}
	return report.end()
}

// row measures one size into r.times.
func (r *Rank) row(bytes uint64) error {
	r.times = r.times[:0]
	shortest := math.Inf(1)
	spent := 0.0
	for it := -warmup; it < 0 || r.more(shortest, spent); it++ {
		call, whole, err := r.Iteration(bytes, it)
		if err != nil {
			return err
		}
		if it < 0 { // all ranks see the same times, so all do the same number of iterations
			shortest = min(shortest, whole)
		} else {
			r.times = append(r.times, call)
			spent += whole
		}
	}
	return nil
}

// more says whether there should be another iteration: as many as fit into the time, going by the quickest of those that
// were not counted, but when that was too good to last, not for more than twice the time.
func (r *Rank) more(shortest, spent float64) bool {
	want := min(r.plan.Seconds/shortest, mostSamples)
	done := len(r.times)
	return done < fewest || float64(done) < want && spent < 2*r.plan.Seconds
}

// Iteration makes one call, and verifies its result. It gives the seconds that the call took, and that call and comparison
// took together, which all ranks see alike.
func (r *Rank) Iteration(bytes uint64, it int) (call, whole float64, err error) {
	send, recv := r.send.data[:bytes*uint64(r.in)], r.recv.data[:bytes*uint64(r.out)]
	r.pattern.fill(send, it)
	if err := r.comm.Barrier(); err != nil {
		return 0, 0, err
	}
	entry := r.now()
	if err := r.call(bytes / uint64(r.plan.Type.Size())); err != nil {
		return 0, 0, err
	}
	times := [2]float64{entry, r.now()}
	if err := Latest(r.comm, &times); err != nil {
		return 0, 0, err
	}
	if err := r.pattern.check(recv, it); err != nil {
		return 0, 0, fmt.Errorf("wrong result in iteration %d: %w", it, err)
	}
	total := [2]float64{r.now() - entry}
	if err := Latest(r.comm, &total); err != nil {
		return 0, 0, err
	}
	return times[1] - times[0], total[0], nil
}

// sharedClock gives a clock that all processes of this host share. The kernel has one, but asking it takes a system call
// from Go; Go's own clock takes none, but starts anew in each process. So the difference is taken once, from the
// quickest of many tries.
func sharedClock() func() float64 {
	base := time.Now()
	var offset, quickest time.Duration = 0, math.MaxInt64
	for range 1000 {
		var t unix.Timespec
		before := time.Since(base)
		if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
			break
		}
		after := time.Since(base)
		if after-before < quickest {
			quickest = after - before
			offset = time.Duration(t.Nano()) - before - quickest/2
		}
	}
	return func() float64 { return (time.Since(base) + offset).Seconds() }
}

// summary sorts times.
func summary(bytes uint64, times []float64) Row {
	slices.Sort(times)
	median := times[len(times)/2]
	row := Row{Bytes: bytes, Median: µs(median), Min: µs(times[0]), P99: µs(times[len(times)*99/100]), Iterations: len(times)}
	if median > 0 {
		row.Rate = rounded(float64(bytes) / median / 1e9)
	}
	return row
}

func µs(seconds float64) float64 { return rounded(seconds * 1e6) }

// rounded keeps what was measured: a nanosecond of a microsecond.
func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }
