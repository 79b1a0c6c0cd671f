package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hcomm/plan"
	"hcomm/settings"
	"hcomm/tune"
)

const envHelp = `Lists the settings, or those that are named: the value that a program started from here would have, where it
comes from, the default, what the setting is for, and of those that are named also what the value may be.

A setting is a variable of the environment, or a line NAME=value in a file, where lines that begin with # are comments. The
first of these that has it counts:
  environment           a variable that is empty is not set
  $HCOMM_CONFIG         the file that this variable names
  ~/.config/hcomm.conf  the user's; where XDG_CONFIG_HOME is set, hcomm.conf there
  /etc/hcomm.conf       the host's

Variables and lines that look like settings but are none are warnings. hcomm run sets some variables for its ranks.

Status: 0, or 1 if a value or a file is wrong, 125 if called wrongly.`

// shownSetting is what env --json writes. Fields are added, but neither renamed nor removed.
type shownSetting struct {
	Name    string `json:"name"`
	Value   string `json:"value"`  // "": not set; "set": a secret
	Origin  string `json:"origin"` // default, environment, or file:line
	Default string `json:"default"`
	Range   string `json:"range"`
	Agreed  bool   `json:"agreed"` // rank 0's is everyone's
	Help    string `json:"help"`
}

func newEnv(status *int) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "env [NAME...] [flags]",
		Short:   "List the settings, their values, and where these come from",
		Long:    envHelp,
		Example: "  hcomm env\n  hcomm env HCOMM_TIMEOUT HCOMM_WARN_AFTER\n  hcomm env --json",
		RunE: func(cmd *cobra.Command, names []string) error {
			table, err := settingsNamed(names)
			if err != nil {
				return err
			}
			sources := settings.Open(os.Getenv)
			if asJSON {
				err = writeJSON(cmd.OutOrStdout(), settingRows(sources, table))
			} else {
				err = writeSettings(cmd.OutOrStdout(), settingRows(sources, table), len(names) > 0)
			}
			if judge(cmd.ErrOrStderr(), sources, table) > 0 {
				*status = 1
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

// settingsNamed are those of these names, or all if there are none.
func settingsNamed(names []string) ([]settings.Setting, error) {
	if len(names) == 0 {
		return settings.Table, nil
	}
	var table []settings.Setting
	for _, name := range names {
		s, ok := settings.Find(name)
		if near, found := settings.Nearest(name); !ok && found {
			return nil, fmt.Errorf("%q is no setting: did you mean %s?", name, near.Name)
		} else if !ok {
			return nil, fmt.Errorf("%q is no setting; hcomm env lists all", name)
		}
		table = append(table, s)
	}
	return table, nil
}

func settingRows(sources *settings.Sources, table []settings.Setting) []shownSetting {
	rows := make([]shownSetting, len(table))
	for i, s := range table {
		value, origin := sources.Lookup(s.Name)
		switch {
		case value == "":
			value, origin = s.Default, "default"
		case s.Secret:
			value = "set"
		}
		rows[i] = shownSetting{s.Name, value, origin, s.Default, s.Range, s.Agreed, s.Help}
	}
	return rows
}

// writeSettings writes the table; with ranges it also has what each value may be, for which the whole list has no room.
func writeSettings(w io.Writer, rows []shownSetting, ranges bool) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	write := func(name, value, origin, preset, mayBe, help string) {
		cells := []string{name, orDash(value), origin, orDash(preset)}
		if ranges {
			cells = append(cells, mayBe)
		}
		fmt.Fprintln(table, strings.Join(append(cells, help), "\t"))
	}
	write("name", "value", "origin", "default", "may be", "what it is")
	for _, r := range rows {
		mayBe := r.Range
		if r.Agreed {
			mayBe += "; the same on all ranks"
		}
		write(r.Name, r.Value, r.Origin, r.Default, mayBe, r.Help)
	}
	return table.Flush()
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// judge writes what is wrong, and counts the errors.
func judge(w io.Writer, sources *settings.Sources, table []settings.Setting) int {
	for _, list := range [][]string{sources.Warnings, settings.Unknown(os.Environ())} {
		for _, warning := range list {
			fmt.Fprintf(w, "hcomm env: warning: %s\n", warning)
		}
	}
	wrong := sources.Check(table)
	for _, s := range table {
		value := sources.Get(s.Name)
		switch {
		case value == "":
		case s.Name == "HCOMM_ALGO":
			if err := checkAlgorithms(value); err != nil {
				wrong = append(wrong, fmt.Errorf("HCOMM_ALGO=%s: %w", value, err))
			}
		case s.Name == "HCOMM_TUNE_FILE":
			if _, err := tune.Open(value); err != nil {
				wrong = append(wrong, fmt.Errorf("HCOMM_TUNE_FILE: %w", err))
			}
		}
	}
	for _, err := range wrong {
		fmt.Fprintf(w, "hcomm env: %v\n", err)
	}
	return len(wrong)
}

// checkAlgorithms looks for the names in collective:algorithm,…
func checkAlgorithms(value string) error {
	for choice := range strings.SplitSeq(value, ",") {
		name, algorithm, ok := strings.Cut(strings.TrimSpace(choice), ":")
		if !ok {
			return fmt.Errorf("%q must be collective:algorithm", choice)
		}
		c, err := plan.ParseCollective(name)
		if err != nil {
			return err
		}
		if _, err := plan.Find(c, algorithm); err != nil {
			return err
		}
	}
	return nil
}
