package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"hcomm/cmd/hcomm/draw"
	"hcomm/plan"
)

const showHelp = `Prints the programs of all ranks.

--text  a line for each step: its number, what it does, on which part of a block, from where to where, and after which
        steps. "lag 1" is about the slice before; "read" waits until the peers have read what was sent in place.
--svg   a picture: a column for each rank, time downwards, a box for each step, an arrow for each message.
--json  the same as the text for other programs to read; fields may be added, but none will go:
          the object   collective, algorithm, ranks, in_place, programs; order (any, rank, left-fold or one-fold) if it
                       reduces; root if it has one; average if it was asked for
          programs     of each rank: rank, parts, scratch (blocks), apart, steps
          steps        part, operands, store (null, or place and block), to (ranks), channel, eager, after
          operands     place (input, output, scratch or message); block, or of a message from and channel; map (scale
                       or divide) if there is one
          after        step, lag, read`

const showExample = `  hcomm plan show --collective allreduce --algo ring --ranks 4
  hcomm plan show --collective reduce --algo chain --ranks 4 --root 2 --rank 2
  hcomm plan show --collective allreduce --algo ring --ranks 4 --svg > ring.svg
  hcomm plan show --collective allgather --algo ring --ranks 3 --in-place --json`

// Limits of what is shown. A larger picture can be made, but not read.
const (
	mostRanks      = 300
	mostDrawnRanks = 64
)

// showFlags are the flags of plan show.
type showFlags struct {
	collective, algo, average string
	ranks, root, rank         int
	inPlace, text, svg, json  bool
}

func newPlanShow() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:     "show --collective C --algo A --ranks N [flags]",
		Short:   "Print the programs that an algorithm makes for the ranks",
		Long:    showHelp,
		Example: showExample,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := f.parse(cmd)
			if err != nil {
				return err
			}
			return s.write(cmd.OutOrStdout(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.collective, "collective", "", "such as allreduce; hcomm plan list has all")
	flags.StringVar(&f.algo, "algo", "", "the algorithm, such as ring; hcomm plan list has all")
	flags.IntVar(&f.ranks, "ranks", 0, fmt.Sprintf("how many ranks, 1 to %d (--svg: %d)", mostRanks, mostDrawnRanks))
	flags.IntVar(&f.root, "root", 0, "the root, of a collective that has one")
	flags.BoolVar(&f.inPlace, "in-place", false, "input and output are the same memory")
	flags.IntVar(&f.rank, "rank", 0, "only this rank")
	flags.StringVar(&f.average, "average", "", `"scale" (as for floats): each operand first; "divide" (integers): the sum`)
	flags.BoolVar(&f.text, "text", false, "write text; this is the default")
	flags.BoolVar(&f.svg, "svg", false, "write a picture")
	flags.BoolVar(&f.json, "json", false, "write JSON")
	return cmd
}

// parse checks the flags.
func (f *showFlags) parse(cmd *cobra.Command) (*shown, error) {
	changed := cmd.Flags().Changed
	for _, needed := range []string{"collective", "algo", "ranks"} {
		if !changed(needed) {
			return nil, fmt.Errorf("--%s is missing (see: %s --help)", needed, cmd.CommandPath())
		}
	}
	c, err := plan.ParseCollective(f.collective)
	if err != nil {
		return nil, fmt.Errorf("--collective: %w", err)
	}
	b, err := findBuilder(c, f.algo)
	if err != nil {
		return nil, fmt.Errorf("--algo: %w", err)
	}
	if err := f.checkMeaning(c, changed); err != nil {
		return nil, err
	}
	if err := f.checkRanks(); err != nil {
		return nil, err
	}
	s := &shown{builder: b, only: -1, inPlace: f.inPlace, root: f.root, average: f.average}
	if changed("rank") {
		s.only = f.rank
	}
	s.build(f.ranks)
	return s, nil
}

func (f *showFlags) checkRanks() error {
	switch {
	case f.ranks < 1 || f.ranks > mostRanks:
		return fmt.Errorf("--ranks is %d; it must be 1 to %d", f.ranks, mostRanks)
	case f.svg && f.ranks > mostDrawnRanks:
		return fmt.Errorf("--ranks is %d; nobody could read a picture of more than %d", f.ranks, mostDrawnRanks)
	case f.root < 0 || f.root >= f.ranks:
		return fmt.Errorf("--root is %d; with --ranks %d it must be 0 to %d", f.root, f.ranks, f.ranks-1)
	case f.rank < 0 || f.rank >= f.ranks:
		return fmt.Errorf("--rank is %d; with --ranks %d it must be 0 to %d", f.rank, f.ranks, f.ranks-1)
	}
	return nil
}

// checkMeaning refuses flags that say nothing about the collective, or contradict each other.
func (f *showFlags) checkMeaning(c plan.Collective, changed func(string) bool) error {
	switch {
	case f.text && f.svg || f.text && f.json || f.svg && f.json:
		return errors.New("--text, --svg and --json exclude each other")
	case changed("root") && !c.Rooted():
		return fmt.Errorf("--root has no meaning for %s", lower(c))
	case changed("rank") && f.svg:
		return errors.New("--rank has no meaning for --svg, which draws all ranks")
	case changed("average") && !c.Reduces():
		return fmt.Errorf("--average has no meaning for %s", lower(c))
	case changed("average") && f.average != "scale" && f.average != "divide":
		return fmt.Errorf("--average is %q; it must be scale or divide", f.average)
	}
	return nil
}

// findBuilder is plan.Find without regard to case.
func findBuilder(c plan.Collective, name string) (plan.Builder, error) {
	for _, b := range plan.Builders(c) {
		if strings.EqualFold(b.Name, name) {
			return b, nil
		}
	}
	return plan.Find(c, name)
}

// shown is what is printed.
type shown struct {
	builder  plan.Builder
	programs []plan.Program
	root     int
	only     int // this rank, or -1: all
	inPlace  bool
	average  string
}

func (s *shown) build(ranks int) {
	for r := range ranks {
		p := s.builder.Build(plan.Role{Rank: r, Ranks: ranks, Root: s.root, InPlace: s.inPlace})
		switch s.average {
		case "scale":
			p = p.ScaleFirst()
		case "divide":
			p = p.DivideLast()
		}
		s.programs = append(s.programs, p)
	}
}

func (s *shown) write(w io.Writer, f showFlags) error {
	switch {
	case f.json:
		return writeJSON(w, s.document())
	case f.svg:
		picture := draw.Picture{
			Title: s.title(), About: s.builder.About, Collective: s.builder.Collective, Root: s.root, Programs: s.programs,
		}
		text, err := picture.SVG()
		if err == nil {
			_, err = w.Write(text)
		}
		return err
	}
	var text strings.Builder
	fmt.Fprintln(&text, s.title())
	for r, p := range s.programs {
		if s.only < 0 || s.only == r {
			fmt.Fprintf(&text, "\nrank %d: %s", r, plan.Explain(p))
		}
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// title is what was asked for.
func (s *shown) title() string {
	text := fmt.Sprintf("%s:%s, %d ranks", lower(s.builder.Collective), s.builder.Name, len(s.programs))
	if len(s.programs) == 1 {
		text = strings.TrimSuffix(text, "s")
	}
	if s.builder.Collective.Rooted() {
		text += fmt.Sprintf(", root %d", s.root)
	}
	if s.inPlace {
		text += ", in place"
	}
	switch s.average {
	case "scale":
		text += ", average of floats"
	case "divide":
		text += ", average of integers"
	}
	return text
}
