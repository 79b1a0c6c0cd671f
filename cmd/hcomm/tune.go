package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/bench"
	"hcomm/cmd/hcomm/tuner"
	"hcomm/plan"
	"hcomm/tune"
)

const tuneHelp = `Finds out which algorithm, and which size of the slices that data moves in, is the fastest for each
collective and size among N ranks on this host, and writes a table of that, which HCOMM_TUNE_FILE names to programs.

All algorithms are measured in turns, as hcomm bench does it, with several sizes of slices; those that are hopeless are
dropped early. A candidate is chosen if it is more than 5 % faster than what the library's cost model takes; of those that
are about as fast, the one that the size before took, or the simplest. Sizes are those of a block, and grow by a factor
of 2. What is found for the largest is taken for all above it, too, if that has 4 MiB or more; where the table says
nothing, the model is asked. HCOMM_ALGO and HCOMM_DETERMINISTIC=1 come before a table.

A file that is there already keeps what it has of other collectives and other numbers of ranks. Tables differ for ranks
that have a processor each and for ranks that are more than the processors: tune as programs will run.

With --show, nothing is measured: the table in force is shown, and where each of its rows comes from.

Status: 0, 1 if a call failed, a result was wrong, or a file could not be written, 125 if called wrongly.`

const tuneExample = `  hcomm tune -n 4 -o tune.json
  hcomm tune -n 4 -o tune.json --collective allreduce --from 64K --to 32M --seconds 30
  HCOMM_TUNE_FILE=tune.json hcomm run -n 4 ./program
  HCOMM_TUNE_FILE=tune.json hcomm tune --show -n 4`

// tuneFlags are the flags of tune.
type tuneFlags struct {
	runFlags
	collectives     []string
	from, to        string
	seconds         float64
	file            string
	alloc, js, show bool
}

func newTune(status *int) *cobra.Command {
	var f tuneFlags
	cmd := &cobra.Command{
		Use:     "tune -n N [flags]",
		Short:   "Find the fastest algorithms on this host, and write a table of them",
		Long:    tuneHelp,
		Example: tuneExample,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if f.show {
				return f.showTable(cmd)
			}
			*status, err = f.run(cmd)
			return err
		},
	}
	f.addTo(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&f.collectives, "collective", nil, "only these (default: all)")
	flags.StringVar(&f.from, "from", "8K", "smallest size, a power of two")
	flags.StringVar(&f.to, "to", "8M", "largest size, a power of two")
	flags.Float64Var(&f.seconds, "seconds", 100, "time for all, about")
	flags.StringVarP(&f.file, "output", "o", "", "the file to write")
	flags.BoolVar(&f.alloc, "alloc", false, "use memory from hcommMemAlloc")
	flags.BoolVar(&f.js, "json", false, "write JSON")
	flags.BoolVar(&f.show, "show", false, "show the table in force; with -n, all that is chosen for so many ranks")
	return cmd
}

// newTuneRank makes the command that tune starts as its ranks.
func newTuneRank(status *int) *cobra.Command { return newRank[tuner.Plan]("tune", status) }

func (f *tuneFlags) run(cmd *cobra.Command) (status int, err error) {
	job, err := f.makeJob(cmd)
	if err != nil {
		return 0, err
	}
	if job.Ranks < 2 {
		return 0, errors.New("-n is 1, and one rank has nothing to choose from")
	}
	p, err := f.plan()
	if err != nil {
		return 0, err
	}
	if err := p.Check(job.Ranks); err != nil {
		return 0, err
	}
	if err := f.checkFile(); err != nil {
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
	job.Args = []string{self, "tune-rank", string(text)}
	job.Interactive = true // rank 0 alone writes, and its progress has no line ends
	if !f.js {
		fmt.Fprintf(cmd.ErrOrStderr(), "hcomm tune: this will take about %.0f seconds\n", f.seconds)
	}
	status = job.Run()
	if status == 0 && f.file != "" && !f.js {
		fmt.Fprintf(cmd.ErrOrStderr(), "hcomm tune: written to %s; set HCOMM_TUNE_FILE to its path\n", f.file)
	}
	return status, nil
}

// plan reads the flags that say what is measured.
func (f *tuneFlags) plan() (p *tuner.Plan, err error) {
	p = &tuner.Plan{Alloc: f.alloc, Seconds: f.seconds, File: f.file, JSON: f.js, Progress: isTerminal(os.Stderr)}
	if p.Collectives, err = f.which(); err != nil {
		return nil, err
	}
	if p.From, err = powerOfTwo(f.from); err != nil {
		return nil, fmt.Errorf("--from: %w", err)
	}
	if p.To, err = powerOfTwo(f.to); err != nil {
		return nil, fmt.Errorf("--to: %w", err)
	}
	return p, nil
}

// which are the collectives that are asked for.
func (f *tuneFlags) which() ([]plan.Collective, error) {
	if len(f.collectives) == 0 {
		return plan.Collectives(), nil
	}
	var all []plan.Collective
	for _, name := range f.collectives {
		c, err := plan.ParseCollective(strings.TrimSpace(name))
		if err != nil {
			return nil, fmt.Errorf("--collective: %w", err)
		}
		if slices.Contains(all, c) {
			return nil, fmt.Errorf("--collective: %s is there twice", lower(c))
		}
		all = append(all, c)
	}
	return all, nil
}

func powerOfTwo(text string) (uint64, error) {
	n, err := bench.ParseSize(text)
	if err == nil && (bits.OnesCount64(n) != 1 || n < 4) {
		err = fmt.Errorf("%q is no power of two of 4 bytes or more", text)
	}
	return n, err
}

// checkFile finds out before anything is measured what would be in the way of the file.
func (f *tuneFlags) checkFile() error {
	if f.file == "" {
		return nil
	}
	if _, err := os.Stat(f.file); errors.Is(err, fs.ErrNotExist) {
		probe, err := os.CreateTemp(filepath.Dir(f.file), filepath.Base(f.file)+".*")
		if err != nil {
			return fmt.Errorf("-o: %w", err)
		}
		probe.Close()
		return os.Remove(probe.Name())
	}
	_, err := tune.Open(f.file)
	if err != nil {
		err = fmt.Errorf("-o: %w: it would lose what it has", err)
	}
	return err
}
