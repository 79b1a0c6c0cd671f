package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"hcomm/status"
)

// lateness is a rank that others wait for, or one that has not come to the start.
type lateness struct {
	Rank    int     `json:"rank"`
	Host    string  `json:"host"`
	PID     int     `json:"pid"`     // 0: it is not known, for the rank has not come
	Waiting []int   `json:"waiting"` // processes
	Longest float64 `json:"longest"` // seconds that one of them has waited
	Text    string  `json:"text"`
}

// lateKey is what several processes that wait for the same have in common.
type lateKey struct {
	rank, pid int
	text      string
}

// lateIn gathers who is late, the longest awaited first.
func lateIn(all []status.Process) []lateness {
	found := map[lateKey]*lateness{}
	add := func(k lateKey, host string, waiting int, seconds float64) {
		if found[k] == nil {
			found[k] = &lateness{Rank: k.rank, Host: host, PID: k.pid}
		}
		l := found[k]
		if !slices.Contains(l.Waiting, waiting) {
			l.Waiting = append(l.Waiting, waiting)
		}
		l.Longest = max(l.Longest, seconds)
	}
	for _, p := range all {
		for _, c := range p.Communicators {
			for _, l := range c.Late {
				add(lateKey{l.Rank, l.PID, lateText(c, l)}, l.Host, p.PID, c.Still)
			}
		}
		for _, j := range p.Joining {
			for _, q := range missingIn(j, all) {
				add(lateKey{q, 0, missingText(j, q)}, "", p.PID, j.Waited)
			}
		}
	}
	list := []lateness{}
	for k, l := range found {
		if l.Longest < lateAfter {
			continue
		}
		l.Text = fmt.Sprintf("%s; %s", k.text, waitingText(l))
		list = append(list, *l)
	}
	slices.SortFunc(list, func(a, b lateness) int {
		return cmp.Or(cmp.Compare(b.Longest, a.Longest), cmp.Compare(a.Rank, b.Rank), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Text, b.Text))
	})
	return list
}

// lateAfter is how many seconds others must have waited: for less, some rank waits for another all the time.
const lateAfter = 0.1

// missingIn are the ranks that have not come to a job: rank 0 knows best.
func missingIn(job status.Joining, all []status.Process) []int {
	for _, p := range all {
		for _, j := range p.Joining {
			if j.Rank == 0 && j.At == job.At && j.Size == job.Size {
				return j.Missing
			}
		}
	}
	return job.Missing
}

func lateText(c status.Communicator, l status.Late) string {
	how := "is waited for in " + c.Waits
	switch isCollective := c.Operation != nil && c.Waits == c.Operation.Text; {
	case isCollective && !l.Called:
		how = "has not called " + c.Waits
	case l.Stopped:
		how = "does not go on, and others wait in " + c.Waits
	}
	return fmt.Sprintf("rank %d (host %s, pid %d) of %s %s: %s", l.Rank, l.Host, l.PID, nameOf(c), how, l.Does)
}

func missingText(j status.Joining, rank int) string {
	return fmt.Sprintf("rank %d of %d has not come to the start at %s", rank, j.Size, j.At)
}

func waitingText(l *lateness) string {
	who := fmt.Sprintf("process %d waits", l.Waiting[0])
	if n := len(l.Waiting); n > 1 {
		who = fmt.Sprintf("%d processes wait", n)
	}
	return fmt.Sprintf("%s, for %s", who, secondsText(l.Longest))
}

func secondsText(s float64) string {
	if s >= 100 {
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.1f s", s)
}

func nameOf(c status.Communicator) string {
	if c.Name == "" {
		return fmt.Sprintf("a communicator of %d", c.Size)
	}
	return fmt.Sprintf("the communicator %q of %d", c.Name, c.Size)
}

// writeProcess writes what one process tells, or what the others know of it.
func writeProcess(w io.Writer, p status.Process, all []status.Process) {
	fmt.Fprintf(w, "process %d (%s)", p.PID, p.Program)
	if p.State != status.Answered {
		fmt.Fprintf(w, ": %s\n", stateTexts[p.State])
		for _, line := range fromPeers(p.PID, all) {
			fmt.Fprintf(w, "  %s\n", line)
		}
		return
	}
	fmt.Fprintln(w)
	for _, j := range p.Joining {
		fmt.Fprintf(w, "  %s\n", joiningText(j))
	}
	for _, c := range p.Communicators {
		writeCommunicator(w, c)
	}
	if p.LeftOut > 0 {
		fmt.Fprintf(w, "  and %d communicators more\n", p.LeftOut)
	}
}

func joiningText(j status.Joining) string {
	text := fmt.Sprintf("rank %d of %d, at the start at %s for %s (an error after %s): ", j.Rank, j.Size, j.At, secondsText(j.Waited), secondsText(j.Limit))
	switch {
	case j.Met:
		return text + "all ranks have come, and make the communicator"
	case j.Rank > 0 && len(j.Missing) == 0:
		return text + "rank 0 is there, and waits for others"
	}
	return text + fmt.Sprintf("missing: rank %s", rankList(j.Missing))
}

// rankList writes numbers that rise as ranges.
func rankList(ranks []int) string {
	var parts []string
	for i := 0; i < len(ranks); i++ {
		first := i
		for i+1 < len(ranks) && ranks[i+1] == ranks[i]+1 {
			i++
		}
		if i == first {
			parts = append(parts, fmt.Sprint(ranks[i]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", ranks[first], ranks[i]))
		}
	}
	const most = 16
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more ranges", len(parts)-most))
	}
	return strings.Join(parts, ", ")
}

func writeCommunicator(w io.Writer, c status.Communicator) {
	fmt.Fprintf(w, "  rank %d of %s: %s\n", c.Rank, nameOf(c), doingText(c))
	if c.Failure != nil {
		fmt.Fprintf(w, "    it can no longer be used: %s\n", c.Failure.Text)
	}
	if c.Waits != "" && c.LateText != "" {
		fmt.Fprintf(w, "    %s\n", c.LateText)
	}
	if c.InLine > 0 {
		fmt.Fprintf(w, "    under way or in line: %d, of these in streams %d\n", c.InLine, c.InStreams)
	}
	fmt.Fprintf(w, "    members: %s\n", membersText(c.Members))
}

func doingText(c status.Communicator) string {
	operation := "no collective yet"
	if o := c.Operation; o != nil {
		operation = "last in " + o.Text + detailText(o)
		if o.Inside {
			operation = "in " + o.Text + detailText(o)
		}
	}
	switch {
	case c.Waits == "":
		return operation
	case c.Operation != nil && c.Waits == c.Operation.Text:
		return fmt.Sprintf("%s, where nothing has moved for %s", operation, secondsText(c.Still))
	}
	return fmt.Sprintf("waits for %s, and nothing has moved for %s; %s", c.Waits, secondsText(c.Still), operation)
}

func detailText(o *status.Operation) string {
	if o.Type == "" {
		return fmt.Sprintf(" (%s)", o.Algorithm)
	}
	return fmt.Sprintf(" (%d bytes, %s)", o.Bytes, o.Algorithm)
}

// membersText names ranks with their processes.
func membersText(all []status.Member) string {
	const most = 16
	var parts []string
	host := ""
	for _, m := range all[:min(len(all), most)] {
		text := fmt.Sprintf("%d (pid %d", m.Rank, m.PID)
		if m.Host != host {
			text += " on " + m.Host
			host = m.Host
		}
		if m.Number > 0 {
			text += fmt.Sprintf(", #%d", m.Number)
		}
		if m.Gone != "" {
			text += ", " + m.Gone
		}
		text += ")"
		parts = append(parts, text)
	}
	if n := len(all) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("and %d more", n))
	}
	return strings.Join(parts, ", ")
}

// fromPeers is what the others know of a process that does not answer.
func fromPeers(pid int, all []status.Process) (lines []string) {
	for _, p := range all {
		for _, c := range p.Communicators {
			for _, m := range c.Members {
				if m.PID != pid {
					continue
				}
				does := "it has called no collective yet"
				switch {
				case m.Inside:
					does = fmt.Sprintf("it is in collective #%d", m.Number)
				case m.Number > 0:
					does = fmt.Sprintf("it was last in collective #%d", m.Number)
				}
				if line := fmt.Sprintf("rank %d of %s, as its peers see it: %s", m.Rank, nameOf(c), does); !slices.Contains(lines, line) {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines
}
