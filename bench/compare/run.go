package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"hcomm/bench/compare/measure"
	"hcomm/bench/compare/results"
	"hcomm/bench/compare/show"
)

func (f *flags) run(ctx context.Context, w io.Writer) error {
	o, err := f.options()
	if err != nil {
		return errUsage{err}
	}
	if f.from != "" {
		report, err := show.Load(f.from)
		if err != nil {
			return err
		}
		return f.show(w, &report, nil)
	}
	needs := []string{"bench/yardstick.c", "build/bin/hcomm"}
	if f.preload {
		needs = append(needs, measure.Preload)
	}
	for _, needed := range needs {
		if _, err := os.Stat(needed); err != nil {
			return errUsage{fmt.Errorf("there is no %s: start it in the top folder of the sources, after make", needed)}
		}
	}
	return f.measure(ctx, w, o)
}

func (f *flags) measure(ctx context.Context, w io.Writer, o measure.Options) error {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return fmt.Errorf("sched_getaffinity: %w", err)
	}
	o.Processors = allowed.Count()
	if err := measure.Adopt(); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	find := measure.Find
	if f.preload {
		find = measure.FindPreload
	}
	pairs, err := find(ctx, f.peers, f.newer, complain)
	if err != nil {
		return err
	}
	m := measure.Measurement{Options: o, Pairs: pairs}
	line := progress{terminal: term.IsTerminal(int(os.Stderr.Fd()))}
	m.Progress = line.step
	fmt.Fprintf(os.Stderr, "compare: %d tables, %d rounds: this takes about %s\n", len(o.Keys), o.Rounds, rough(m.Estimate()))
	m.Run(ctx)
	line.clear()
	for _, failure := range m.Failures {
		complain(failure.String())
	}
	report := show.Report{Machine: machine(measure.Versions(pairs), &o), Rows: m.Rows}
	if len(m.Rows) > 0 { // what was there before is better than nothing
		if f.add {
			if err := report.Add(f.write); err != nil {
				return err
			}
		}
		err = f.show(w, &report, m.Failures)
	}
	switch {
	case ctx.Err() != nil:
		err = errors.Join(err, errors.New("interrupted"))
	case len(m.Failures) > 0:
		err = errors.Join(err, fmt.Errorf("runs failed: %d", len(m.Failures)))
	}
	return err
}

func complain(text string) { fmt.Fprintln(os.Stderr, "compare:", text) }

// show prints a report, and writes it to its folder.
func (f *flags) show(w io.Writer, report *show.Report, failures []measure.Failure) error {
	sections := results.Sections(report.Rows)
	if f.write != "" {
		if err := report.Save(f.write); err != nil {
			return err
		}
	}
	if f.summary != "" {
		if err := report.WriteSummary(f.summary); err != nil {
			return err
		}
	}
	if f.json {
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		return out.Encode(struct {
			Machine  show.Machine      `json:"machine"`
			Sections []results.Section `json:"sections"`
			Failures []measure.Failure `json:"failures"`
		}{report.Machine, sections, append([]measure.Failure{}, failures...)})
	}
	report.Machine.Text(w)
	for _, s := range sections {
		fmt.Fprintln(w)
		if err := show.Text(w, s); err != nil {
			return err
		}
	}
	if f.write != "" {
		fmt.Fprintf(w, "\nwritten to %s\n", f.write)
	}
	return nil
}

// A progress is the line that tells a terminal what is going on.
type progress struct{ terminal bool }

func (p *progress) step(s measure.Step) {
	if p.terminal {
		fmt.Fprintf(os.Stderr, "\r\033[K%s, %d ranks, %s: round %d of %d: %s; %s left", s.Collective, s.Ranks, s.Memory, s.Round, s.Rounds,
			s.Library, rough(s.Left))
	}
}

func (p *progress) clear() {
	if p.terminal {
		fmt.Fprint(os.Stderr, "\r\033[K")
	}
}

// rough writes a time as people say it.
func rough(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", int(d.Round(time.Second).Seconds()))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d minutes", int(d.Round(time.Minute).Minutes()))
	}
	return fmt.Sprintf("%.1f hours", d.Hours())
}
