package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hcomm/cmd/hcomm/bench"
	"hcomm/simd"
)

const benchHelp = `Times a collective among N ranks on this host: allreduce, broadcast or barrier.

Every iteration rewrites the input, synchronises, times the call, then reads the whole output and verifies it. A row is
about the time from the last rank's entry into the call to the last rank's return. Sizes grow by a factor of 4. GB/s is
the buffer's bytes by the median time, in 10^9 bytes a second.

Sizes are in bytes, or with K, M, G (or KiB, MiB, GiB) for powers of 1024. Input is small integers of the type.

Status: 0 if all results were right, 1 if not or if a call failed, 125 if called wrongly.`

const benchExample = `  hcomm bench allreduce -n 2
  hcomm bench allreduce -n 4 --min 1M --max 256M --type bfloat16 --op max --alloc
  hcomm bench broadcast -n 2 --csv > broadcast.csv
  hcomm bench barrier -n 8`

// meaningless are the flags that say nothing about a collective.
var meaningless = map[string][]string{
	bench.Broadcast: {"op"},
	bench.Barrier:   {"op", "type", "min", "max", "alloc"},
}

// benchFlags are the flags of bench.
type benchFlags struct {
	runFlags
	min, max, element, op string
	seconds               float64
	alloc, csv, json      bool
}

func newBench(status *int) *cobra.Command {
	var f benchFlags
	cmd := &cobra.Command{
		Use:       "bench allreduce|broadcast|barrier -n N [flags]",
		Short:     "Time a collective among N ranks on this host, and verify it",
		Long:      benchHelp,
		Example:   benchExample,
		ValidArgs: bench.Collectives,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			*status, err = f.run(cmd, args)
			return err
		},
	}
	f.addTo(cmd)
	flags := cmd.Flags()
	flags.StringVar(&f.min, "min", "8", "smallest buffer")
	flags.StringVar(&f.max, "max", "32M", "largest buffer")
	flags.StringVar(&f.element, "type", simd.Float32.String(), "type of the elements: "+names(simd.Types()))
	flags.StringVar(&f.op, "op", simd.Sum.String(), "operator of allreduce: "+names(simd.Ops()))
	flags.BoolVar(&f.alloc, "alloc", false, "use memory from hcommMemAlloc")
	flags.Float64Var(&f.seconds, "seconds", 0.4, "time for each size, about")
	flags.BoolVar(&f.csv, "csv", false, "write CSV")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	return cmd
}

// newBenchRank makes the command that bench starts as its ranks.
func newBenchRank(status *int) *cobra.Command {
	return &cobra.Command{
		Use:    "bench-rank PLAN",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			var plan bench.Plan
			if err := json.Unmarshal([]byte(args[0]), &plan); err != nil {
				return err
			}
			if err := plan.RunRank(os.Stdout, os.Stderr); err != nil {
				fmt.Fprintln(os.Stderr, "hcomm bench:", err)
				*status = 1
			}
			return nil
		},
	}
}

func (f *benchFlags) run(cmd *cobra.Command, args []string) (status int, err error) {
	collective, err := whichCollective(args)
	if err != nil {
		return 0, err
	}
	for _, flag := range meaningless[collective] {
		if cmd.Flags().Changed(flag) {
			return 0, fmt.Errorf("--%s has no meaning for %s", flag, collective)
		}
	}
	job, err := f.makeJob(cmd)
	if err != nil {
		return 0, err
	}
	plan, err := f.plan(collective)
	if err != nil {
		return 0, err
	}
	if err := plan.Check(job.Ranks); err != nil {
		return 0, err
	}
	text, err := json.Marshal(plan)
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

func whichCollective(args []string) (string, error) {
	last := len(bench.Collectives) - 1
	all := strings.Join(bench.Collectives[:last], ", ") + " or " + bench.Collectives[last]
	switch {
	case len(args) == 0:
		return "", fmt.Errorf("which collective? Say %s (see: hcomm bench --help)", all)
	case len(args) > 1:
		return "", fmt.Errorf("takes one collective, not %d", len(args))
	case !slices.Contains(bench.Collectives, args[0]):
		return "", fmt.Errorf("%q is no collective; it must be %s", args[0], all)
	}
	return args[0], nil
}

// plan reads the flags that say what is measured.
func (f *benchFlags) plan(collective string) (p *bench.Plan, err error) {
	if f.csv && f.json {
		return nil, errors.New("--csv and --json exclude each other")
	}
	p = &bench.Plan{Collective: collective, Alloc: f.alloc, Seconds: f.seconds, Format: bench.Table, Progress: isTerminal(os.Stderr)}
	if f.csv {
		p.Format = bench.CSV
	}
	if f.json {
		p.Format = bench.JSON
	}
	if p.Min, err = bench.ParseSize(f.min); err != nil {
		return nil, fmt.Errorf("--min: %w", err)
	}
	if p.Max, err = bench.ParseSize(f.max); err != nil {
		return nil, fmt.Errorf("--max: %w", err)
	}
	if p.Type, err = named("--type", f.element, simd.Types()); err != nil {
		return nil, err
	}
	p.Op, err = named("--op", f.op, simd.Ops())
	return p, err
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
