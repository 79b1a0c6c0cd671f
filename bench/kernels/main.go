//go:build cgo

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"hcomm/simd"
)

const help = `Measures hcomm's kernels against what gcc makes of the same loop, in turns, on one processor.

Speeds are in 10^9 bytes of the destination a second: medians of all rounds. Ratios are speeds by speeds: for each round,
hcomm's by the other's right before or after it; of these the median (lowest-highest). 1 is as fast, 2 twice as fast.

  gcc         the loop in C, compiled by gcc -O3 -march=native, with the same results to the bit
  plain       a > b ? a : b, with other results for NaNs and zeros
  intrinsics  AVX-512 intrinsics, compiled by gcc; without the rules for NaNs made by sums, nor bfloat16's subnormal numbers
  twin        hcomm's kernel in Go
  apart       hcomm's kernel with one destination, which is then copied to the other; gcc's loop is followed by memcpy, too
  stream      hcomm's kernel with stores past the caches, for buffers of 32 MiB and more; hcomm is the one without

What can be measured (--what):
`

const examples = `  kernels --types float16,bfloat16 --rounds 21
  kernels --what all --markdown
  kernels --ops all --mib 1 --csv > kernels.csv`

// least is how long a measurement takes, at least.
const least = 5 * time.Millisecond

// flags are those of the command line.
type flags struct {
	what, types, ops    []string
	mib                 []int
	rounds              int
	csv, json, markdown bool
}

func main() {
	if err := newCommand().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "kernels:", err)
		os.Exit(1)
	}
}

func newCommand() *cobra.Command {
	var f flags
	about := help
	for _, k := range kinds {
		about += fmt.Sprintf("  %-10s  %s\n", k.name, k.about)
	}
	cmd := &cobra.Command{
		Use:           "kernels",
		Short:         "Measure hcomm's kernels against gcc",
		Long:          strings.TrimRight(about, "\n"),
		Example:       examples,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return f.run(cmd.OutOrStdout()) },
	}
	cmd.CompletionOptions.DisableDefaultCmd = true
	set := cmd.Flags()
	set.SortFlags = false
	set.StringSliceVar(&f.what, "what", []string{"reduce"}, "what to measure, or all")
	set.StringSliceVar(&f.types, "types", []string{"all"}, "types of elements, or all: "+names(allTypes))
	set.StringSliceVar(&f.ops, "ops", []string{"sum", "max"}, "operators, or all: "+names(simd.Ops()))
	set.IntSliceVar(&f.mib, "mib", []int{1, 64}, "sizes of a buffer, in MiB")
	set.IntVar(&f.rounds, "rounds", 11, "how often each pair is measured")
	set.BoolVar(&f.csv, "csv", false, "write CSV, a line for each pair")
	set.BoolVar(&f.json, "json", false, "write JSON, an object for each pair")
	set.BoolVar(&f.markdown, "markdown", false, "write tables in Markdown")
	cmd.MarkFlagsMutuallyExclusive("csv", "json", "markdown")
	return cmd
}

// allTypes are all types, those of a kind together.
var allTypes = []simd.Type{
	simd.Int8, simd.Int16, simd.Int32, simd.Int64, simd.Uint8, simd.Uint16, simd.Uint32, simd.Uint64,
	simd.Float16, simd.BFloat16, simd.Float32, simd.Float64, simd.Float8E4M3, simd.Float8E5M2,
}

func (f *flags) run(w io.Writer) error {
	s, err := f.series()
	if err != nil {
		return err
	}
	if err := foreign(); err != nil {
		return err
	}
	if err := pin(); err != nil {
		return err
	}
	debug.SetGCPercent(-1) // there is next to no garbage, and the collector takes time
	results, err := s.run()
	if err != nil {
		return err
	}
	switch {
	case f.csv:
		return writeCSV(w, results)
	case f.json:
		return writeJSON(w, results)
	case f.markdown:
		fmt.Fprintln(w, heading(f.rounds))
		return writeMarkdown(w, results)
	}
	fmt.Fprintln(w, heading(f.rounds))
	return writeText(w, results)
}

func heading(rounds int) string {
	return fmt.Sprintf("%s; hcomm at level %s; %s; GB/s and ratios of speeds, medians of %d rounds (lowest-highest)",
		cpuid.CPU.BrandName, simd.BestLevel(), compiler(), rounds)
}

// series checks the flags.
func (f *flags) series() (s series, err error) {
	if f.rounds < 1 {
		return s, fmt.Errorf("--rounds is %d; it must be at least 1", f.rounds)
	}
	s.rounds, s.least = f.rounds, least
	if isTerminal(os.Stderr) {
		s.progress = os.Stderr
	}
	for _, mib := range f.mib {
		if mib < 1 || mib > 1<<14 {
			return s, fmt.Errorf("--mib has %d; it must be 1 to %d", mib, 1<<14)
		}
		s.sizes = append(s.sizes, mib<<20)
	}
	if len(s.sizes) == 0 {
		return s, errors.New("--mib is empty")
	}
	var kindNames []name
	for _, k := range kinds {
		kindNames = append(kindNames, name(k.name))
	}
	what, err := chosen("--what", f.what, kindNames)
	if err != nil {
		return s, err
	}
	for _, n := range what {
		s.what = append(s.what, string(n))
	}
	if s.types, err = chosen("--types", f.types, allTypes); err != nil {
		return s, err
	}
	s.ops, err = chosen("--ops", f.ops, simd.Ops())
	return s, err
}

type name string

func (n name) String() string { return string(n) }

// chosen finds those of these names.
func chosen[T interface {
	comparable
	fmt.Stringer
}](flag string, texts []string, all []T) (list []T, err error) {
	for _, text := range texts {
		if text == "all" {
			return all, nil
		}
		i := slices.IndexFunc(all, func(one T) bool { return one.String() == text })
		if i < 0 {
			return nil, fmt.Errorf("%s has %q; there are: all, %s", flag, text, names(all))
		}
		if !slices.Contains(list, all[i]) {
			list = append(list, all[i])
		}
	}
	if list == nil {
		return nil, fmt.Errorf("%s is empty; there are: all, %s", flag, names(all))
	}
	return list, nil
}

func names[T fmt.Stringer](all []T) string {
	list := make([]string, len(all))
	for i, one := range all {
		list[i] = one.String()
	}
	return strings.Join(list, ", ")
}

// pin binds the goroutine to the last of the processors that the process may use.
func pin() error {
	runtime.LockOSThread()
	var allowed, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	last := len(allowed)*64 - 1
	for !allowed.IsSet(last) {
		last--
	}
	one.Set(last)
	if err := unix.SchedSetaffinity(0, &one); err != nil {
		return fmt.Errorf("sched_setaffinity: %w", err)
	}
	return nil
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
