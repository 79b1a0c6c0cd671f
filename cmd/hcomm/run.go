package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/launch"
)

const runHelp = `Starts N ranks of a program on this host and waits for their end.

Each rank finds in its environment HCOMM_RANK, HCOMM_LOCAL_RANK, HCOMM_SIZE, HCOMM_ROOT (where they meet) and
HCOMM_SECRET (fresh for each job, unless it is set already); hcommCommInitEnv and HCOMM_Init read them.

Rank i is bound to the i-th CPU that this command may use while there is one for each rank. Two jobs at a time on one
host want "taskset" before each, or --bind none.

Standard input goes to rank 0, the others get none. What the ranks print is passed on in whole lines. SIGINT, SIGTERM,
SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGTSTP and SIGCONT are passed on to all ranks and what they have started; a second
SIGINT or SIGTERM kills them.

When a rank fails, the others get the grace time, then SIGTERM, and one second later SIGKILL. What a rank leaves behind
in its process group when it ends is ended in the same way, after one second. If hcomm run itself is killed by SIGKILL, so
are its ranks, but not what they have started.

Status: 0 if all ranks ended well, else that of the first that failed (128 + its number for a signal), or
  124  the time was over (--timeout)
  125  hcomm run itself could not go on, or was called wrongly
  126  the program cannot be executed
  127  there is no such program`

const runExample = `  hcomm run -n 4 ./program its arguments
  hcomm run -n 2 --tag-output -- sh -c 'echo I am rank $HCOMM_RANK of $HCOMM_SIZE'
  hcomm run -n 8 --timeout 60 --grace 1 ./program`

// runFlags are the flags of the commands that start ranks.
type runFlags struct {
	ranks          int
	bind           string
	timeout, grace float64
	job            launch.Job
}

func newRun(status *int) *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:     "run -n N [flags] [--] program [arguments]",
		Short:   "Start N ranks of a program on this host",
		Long:    runHelp,
		Example: runExample,
		RunE: func(cmd *cobra.Command, args []string) error {
			job, err := f.makeJob(cmd)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return errors.New("which program? (see: hcomm run --help)")
			}
			job.Args = args
			*status = job.Run()
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // what follows the program is the program's
	f.addTo(cmd)
	flags.BoolVar(&f.job.TagOutput, "tag-output", false, "begin each line with its rank: [3] ...")
	flags.Float64Var(&f.timeout, "timeout", 0, "end all ranks after so many seconds (0: never)")
	flags.Float64Var(&f.grace, "grace", 5, "seconds that the others get when a rank has failed")
	flags.BoolVar(&f.job.NoKill, "no-kill", false, "when a rank has failed, let the others run on")
	return cmd
}

func (f *runFlags) addTo(cmd *cobra.Command) {
	cmd.Flags().IntVarP(&f.ranks, "ranks", "n", 0, "number of ranks, 1 to 4096")
	cmd.Flags().StringVar(&f.bind, "bind", "", `"core": a CPU for each rank; "none" (default: core while there are enough)`)
}

// makeJob checks the flags.
func (f *runFlags) makeJob(cmd *cobra.Command) (*launch.Job, error) {
	if !cmd.Flags().Changed("ranks") {
		return nil, fmt.Errorf("how many ranks? Say -n N (see: %s --help)", cmd.CommandPath())
	}
	if f.ranks < 1 || f.ranks > launch.MaxRanks {
		return nil, fmt.Errorf("-n is %d; it must be 1 to %d", f.ranks, launch.MaxRanks)
	}
	bind := launch.Binding(f.bind)
	if bind != launch.BindCore && bind != launch.BindNone && cmd.Flags().Changed("bind") {
		return nil, fmt.Errorf("--bind is %q; it must be core or none", f.bind)
	}
	timeout, err := seconds("--timeout", f.timeout)
	if err != nil {
		return nil, err
	}
	grace, err := seconds("--grace", f.grace)
	if err != nil {
		return nil, err
	}
	job := f.job
	job.Name, job.Ranks, job.Bind, job.Timeout, job.Grace = cmd.CommandPath(), f.ranks, bind, timeout, grace
	job.Stdin, job.Stdout, job.Stderr = os.Stdin, os.Stdout, os.Stderr
	return &job, nil
}

func seconds(flag string, s float64) (time.Duration, error) {
	const most = 1e9 // some 30 years; a Duration holds 290
	if math.IsNaN(s) || s < 0 || s > most {
		return 0, fmt.Errorf("%s is %v; it must be a number of seconds, 0 to %.0f", flag, s, most)
	}
	return time.Duration(s * float64(time.Second)), nil
}
