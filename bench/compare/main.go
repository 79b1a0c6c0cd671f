package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"hcomm/bench/compare/measure"
)

// What main returns.
const (
	statusFailed = 1
	statusUsage  = 2
)

// errUsage is what comes of a wrong command line.
type errUsage struct{ error }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := newCommand().ExecuteContext(ctx)
	if err == nil {
		return
	}
	fmt.Fprintln(os.Stderr, "compare:", err)
	if _, usage := errors.AsType[errUsage](err); usage {
		os.Exit(statusUsage)
	}
	os.Exit(statusFailed)
}

// flags are those of the command line.
type flags struct {
	collectives, memory, peers []string
	ranks                      []int
	rounds                     int
	seconds                    float64
	least, most                string
	limit                      time.Duration
	full, newer, add, json     bool
	preload                    bool
	write, from, summary       string
}

const about = `Measures hcomm beside Open MPI, MPICH and bare shared memory: collective by collective, size by size, in turns. Each run of
another library follows a run of hcomm, and only such pairs are compared, for a machine's speed drifts. Each MPI is
measured as it is installed, and tuned, which has glibc keep large buffers. MPIs that are missing are left out.

Without --collectives, --ranks and --memory: all collectives among 2 ranks in ordinary memory, allreduce in memory that
the libraries allocate, and allreduce among 4 ranks; with --full all of it, among 2, 4 and 8 ranks. The results are
printed, and written as CSV, as pages of tables, and as pictures.

With --preload the programs are those of the MPIs only, and each is run with libhcomm_mpi.so preloaded, which has hcomm
serve it, and right after that without: the collectives, among 2 ranks, and allreduce as MPI_Iallreduce and MPI_Wait.

The status is 0 if all went well, 1 if anything failed, 2 if the command line is wrong. Ctrl-C ends it; what was measured
up to then is shown and written.`

const examples = `  compare
  compare --collectives allreduce,broadcast --ranks 2 --memory alloc --rounds 3
  compare --full --write docs/performance
  compare --collectives message --write docs/performance --add
  compare --preload --ranks 2,4 --write docs/performance --add
  compare --from docs/performance --write docs/performance     draws the same anew
  compare --from docs/performance --summary README.md          puts it in short on another page`

func newCommand() *cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:           "compare",
		Short:         "Measure hcomm beside other libraries",
		Long:          about,
		Example:       examples,
		SilenceUsage:  true,
		SilenceErrors: true,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return errUsage{fmt.Errorf("%q: only flags may follow", args[0])}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if f.from != "" && !cmd.Flags().Changed("write") {
				f.write = ""
			}
			return f.run(cmd.Context(), cmd.OutOrStdout())
		},
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return errUsage{err} })
	set := cmd.Flags()
	set.SortFlags = false
	set.StringSliceVar(&f.collectives, "collectives", nil, "what to measure, or all: "+strings.Join(collectives, ", ")+"; with --preload, no messages, and iallreduce")
	set.IntSliceVar(&f.ranks, "ranks", nil, "among how many")
	set.StringSliceVar(&f.memory, "memory", nil, "in what memory, or all: "+strings.Join(memories, ", "))
	set.BoolVar(&f.full, "full", false, "measure everything, which takes hours")
	set.BoolVar(&f.preload, "preload", false, "measure MPI programs that hcomm serves beside the same without")
	set.StringSliceVar(&f.peers, "peers", measure.Peers(), "the MPIs to compare with")
	set.BoolVar(&f.newer, "trixie", os.Getenv("BENCH_TRIXIE") == "1", "also with those of Debian trixie; the default if BENCH_TRIXIE is 1")
	set.IntVar(&f.rounds, "rounds", 5, "how often each pair is measured")
	set.Float64Var(&f.seconds, "seconds", 0.05, "how long each size is measured in a run")
	set.StringVar(&f.least, "min", "8", "the smallest size, in bytes, such as 8 or 64K; the next is four times as large")
	set.StringVar(&f.most, "max", "", "the largest (32M for allreduce, 8M for others; blocks among many ranks are smaller)")
	set.DurationVar(&f.limit, "timeout", 2*time.Minute, "how long a run may take")
	set.StringVar(&f.write, "write", "build/bench/results", "the folder for results.csv, machine.json, README.md, preload.md and *.svg")
	set.BoolVar(&f.add, "add", false, "keep the tables in that folder that are not measured now")
	set.StringVar(&f.from, "from", "", "measure nothing, show what is in such a folder")
	set.StringVar(&f.summary, "summary", "", "a page that has markers for it, between which the results in short are put, too")
	set.BoolVar(&f.json, "json", false, "print JSON")
	return cmd
}
