package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"hcomm/status"
)

const statusHelp = `Says what the processes of this user on this host, or those that are named, do in hcomm: whom the others wait for; and for
each communicator this rank's place in it, the collective that it is in or was in last, for how long nothing has moved,
what waits in line, and why the communicator cannot be used any more. It works while the program hangs.

A process that is stopped cannot answer; what its peers know of it stands with them. So does a rank that is missing at
start. A process tells its own user and root alone, and nobody if it was started with HCOMM_STATUS=0. Root sees the
processes of other users by their number.

Status: 0, or 1 if a process that is named does not use hcomm or does not answer, 125 if called wrongly.`

// shownStatus is what status --json writes. Fields are added, but neither renamed nor removed.
type shownStatus struct {
	Late      []lateness       `json:"late"`
	Processes []status.Process `json:"processes"`
}

func newStatus(code *int) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "status [PID...] [flags]",
		Short:   "Show what running programs do, and who is late",
		Long:    statusHelp,
		Example: "  hcomm status\n  hcomm status 4711\n  hcomm status --json",
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return processNumbers(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			pids, err := numbersOf(args)
			if err != nil {
				return err
			}
			a, err := askProcesses(pids)
			if err != nil {
				return err
			}
			for _, why := range a.failed {
				fmt.Fprintf(cmd.ErrOrStderr(), "hcomm status: %s\n", why)
				*code = 1
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), shownStatus{a.late(), a.shown})
			}
			if len(a.shown) == 0 && len(pids) == 0 {
				fmt.Fprintln(cmd.OutOrStdout(), nothingFound)
			}
			a.write(cmd.OutOrStdout())
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "write JSON")
	return cmd
}

const nothingFound = `no process of this user uses hcomm on this host now. One does from its first hcommCommInit… until its last communicator
is destroyed, unless HCOMM_STATUS=0 is set for it; other users' processes are root's to ask, by number; those in a container
with a network or processes of its own are seen from in there`

// numbersOf reads the numbers of processes.
func numbersOf(args []string) (pids []int, err error) {
	for _, arg := range args {
		pid, err := strconv.Atoi(arg)
		if err != nil || pid < 1 {
			return nil, fmt.Errorf("%q is not the number of a process", arg)
		}
		if !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// processNumbers are what may stand after the command.
func processNumbers() (numbers []string) {
	all, _ := status.All()
	for _, p := range all {
		numbers = append(numbers, fmt.Sprintf("%d\t%s", p.PID, p.Program))
	}
	return numbers
}

// asked is what the processes have told.
type asked struct {
	shown  []status.Process // those that are wanted
	all    []status.Process // and others that may know something of them
	failed []string         // what is wrong with those that are named
}

// askProcesses asks the processes of these numbers, or all.
func askProcesses(pids []int) (a asked, err error) {
	if a.all, err = status.All(); err != nil {
		return a, err
	}
	if len(pids) == 0 {
		a.shown = append([]status.Process{}, a.all...)
		return a, nil
	}
	a.shown = []status.Process{}
	for _, pid := range pids {
		at := slices.IndexFunc(a.all, func(p status.Process) bool { return p.PID == pid })
		if at < 0 {
			one, err := status.One(pid)
			if err != nil {
				return a, err
			}
			if len(one) == 0 {
				a.failed = append(a.failed, noAnswer(pid))
				continue
			}
			at = len(a.all)
			a.all = append(a.all, one[0])
		}
		p := a.all[at]
		if p.State != status.Answered {
			a.failed = append(a.failed, fmt.Sprintf("process %d does not answer: %s", pid, stateTexts[p.State]))
		}
		a.shown = append(a.shown, p)
	}
	return a, nil
}

// late are the ranks that others wait for, if either is shown.
func (a *asked) late() []lateness {
	isShown := func(pid int) bool {
		return slices.ContainsFunc(a.shown, func(p status.Process) bool { return p.PID == pid })
	}
	return slices.DeleteFunc(lateIn(a.all), func(l lateness) bool {
		return !isShown(l.PID) && !slices.ContainsFunc(l.Waiting, isShown)
	})
}

// noAnswer says why nothing is known of a process.
func noAnswer(pid int) string {
	if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err != nil {
		return fmt.Sprintf("there is no process %d", pid)
	}
	return fmt.Sprintf("process %d has no communicator of hcomm now, or was started with HCOMM_STATUS=0", pid)
}

var stateTexts = map[status.State]string{
	status.Stopped: "it is stopped (by a signal or a debugger)",
	status.Silent:  "it has said nothing within a second",
	status.Refused: "it is another user's",
}

// write is for people: who is late, then each process.
func (a *asked) write(w io.Writer) {
	const most = 32
	late := a.late()
	for _, l := range late[:min(len(late), most)] {
		fmt.Fprintf(w, "late: %s\n", l.Text)
	}
	if n := len(late) - most; n > 0 {
		fmt.Fprintf(w, "late: and %d ranks more\n", n)
	}
	for i, p := range a.shown {
		if i > 0 || len(late) > 0 {
			fmt.Fprintln(w)
		}
		writeProcess(w, p, a.all)
	}
}
