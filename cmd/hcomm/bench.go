package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hcomm/cmd/hcomm/bench"
	"hcomm/plan"
	"hcomm/simd"
)

const benchHelp = `Times a collective among N ranks on this host: allreduce, broadcast, barrier, reduce, allgather,
reducescatter, alltoall, gather or scatter. The root is rank 0.

Every iteration rewrites the input, synchronises, times the call, then reads the whole output and verifies it. A row is
about the time from the last rank's entry into the call to the last rank's return. Sizes grow by a factor of 4. GB/s is
the bytes of the row by the median time, in 10^9 bytes a second.

The ranks call the library's engine, but not what libhcomm.so has in C for blocks of up to 2 KiB: in a C program these
take 0.1 to 0.4 µs less.

Sizes are in bytes, or with K, M, G (or KiB, MiB, GiB) for powers of 1024. They are those of a buffer; where a buffer has
a block for each rank (allgather, reducescatter, alltoall, gather, scatter), those of one block. Input is small integers
of the type.

Status: 0 if all results were right, 1 if not or if a call failed, 125 if called wrongly.`

const benchExample = `  hcomm bench allreduce -n 2
  hcomm bench allreduce -n 4 --min 1M --max 256M --type bfloat16 --op max --alloc
  hcomm bench broadcast -n 2 --csv > broadcast.csv
  hcomm bench alltoall -n 8 --algo pairwise --max 1M
  hcomm bench barrier -n 8`

// meaningless are the flags that say nothing about a collective.
func meaningless(c plan.Collective) []string {
	switch {
	case c == plan.Barrier:
		return []string{"op", "type", "min", "max", "alloc"}
	case !c.Reduces():
		return []string{"op"}
	}
	return nil
}

// benchFlags are the flags of bench.
type benchFlags struct {
	runFlags
	min, max, element, op string
	algo                  string
	seconds               float64
	alloc, csv, json      bool
}

func newBench(status *int) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:       "bench COLLECTIVE -n N [flags]",
		Short:     "Time a collective among N ranks on this host, and verify it",
		Long:      benchHelp,
		Example:   benchExample,
		ValidArgs: collectives(),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*status, err = f.run(cmd, args)
			return err
		},
	}
	f.addTo(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.min, "min", "8", "smallest size")
	flags.StringVar(&f.max, "max", "", "largest size (default 32M; of blocks, 32M by the number of ranks)")
	flags.StringVar(&f.element, "type", simd.Float32.String(), "type of the elements: "+names(simd.Types()))
	flags.StringVar(&f.op, "op", simd.Sum.String(), "operator of a reduction: "+names(simd.Ops()))
	flags.StringVar(&f.algo, "algo", "", "the algorithm, of those that hcomm plan list has (default: the library chooses)")
	flags.BoolVar(&f.alloc, "alloc", false, "use memory from hcommMemAlloc")
	flags.Float64Var(&f.seconds, "seconds", 0.4, "time for each size, about")
	flags.BoolVar(&f.csv, "csv", false, "write CSV")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	return cmd
}

// newBenchRank makes the command that bench starts as its ranks.
func newBenchRank(status *int) *cobra.Command { return newRank[bench.Plan]("bench", status) }

func (f *benchFlags) run(cmd *cobra.Command, args []string) (status int, err error) {
	collective, err := whichCollective(args)
	if err != nil {
		return 0, err
	}
	for _, flag := range meaningless(collective) {
		if cmd.Flags().Changed(flag) {
			return 0, fmt.Errorf("--%s has no meaning for %s", flag, lower(collective))
		}
	}
	job, err := f.makeJob(cmd)
	if err != nil {
		return 0, err
	}
	p, err := f.plan(collective, job.Ranks)
	if err != nil {
		return 0, err
	}
	if err := p.Check(job.Ranks); err != nil {
		return 0, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	job.Args = []string{self, "bench-rank", string(text)}
	job.Interactive = true // rank 0 alone writes, and its progress has no line ends
	return job.Run(), nil
}

func whichCollective(args []string) (plan.Collective, error) {
	switch {
	case len(args) == 0:
		return 0, fmt.Errorf("which collective? Say %s (see: hcomm bench --help)", strings.Join(collectives(), ", "))
	case len(args) > 1:
		return 0, fmt.Errorf("takes one collective, not %d", len(args))
	}
	return plan.ParseCollective(args[0])
}

// collectives are the names of all.
func collectives() []string {
	var all []string
	for _, c := range plan.Collectives() {
		all = append(all, lower(c))
	}
	return all
}

// plan reads the flags that say what is measured.
func (f *benchFlags) plan(collective plan.Collective, ranks int) (p *bench.Plan, err error) {
	if f.csv && f.json {
		return nil, errors.New("--csv and --json exclude each other")
	}
	p = &bench.Plan{
		Collective: collective, Alloc: f.alloc, Seconds: f.seconds, Format: bench.Table, Progress: isTerminal(os.Stderr),
	}
	if f.csv {
		p.Format = bench.CSV
	}
	if f.json {
		p.Format = bench.JSON
	}
	if p.Min, err = bench.ParseSize(f.min); err != nil {
		return nil, fmt.Errorf("--min: %w", err)
	}
	p.Max = max(p.Min, 32<<20/uint64(bench.Blocks(collective, ranks)))
	if f.max != "" {
		if p.Max, err = bench.ParseSize(f.max); err != nil {
			return nil, fmt.Errorf("--max: %w", err)
		}
	}
	if p.Algo, err = f.builder(collective); err != nil {
		return nil, err
	}
	if p.Type, err = named("--type", f.element, simd.Types()); err != nil {
		return nil, err
	}
	p.Op, err = named("--op", f.op, simd.Ops())
	return p, err
}

// builder is the name of the algorithm that is asked for.
func (f *benchFlags) builder(c plan.Collective) (string, error) {
	if f.algo == "" {
		return "", nil
	}
	b, err := findBuilder(c, f.algo)
	if err != nil {
		return "", fmt.Errorf("--algo: %w", err)
	}
	return b.Name, nil
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// named finds the one of that name.
func named[T fmt.Stringer](flag, name string, all []T) (found T, err error) {
	for _, one := range all {
		if one.String() == name {
			return one, nil
		}
	}
	return found, fmt.Errorf("%s is %q; it must be one of %s", flag, name, names(all))
}

func names[T fmt.Stringer](all []T) string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = one.String()
	}
	return strings.Join(list, ", ")
}
