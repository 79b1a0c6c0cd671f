package main

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"hcomm/status"
)

// hanging are three ranks of which the last is stopped and has not called what the others are in; and rank 0 of a job whose
// ranks 1 and 3 to 5 have not come, with one that knows rank 0.
func hanging() []status.Process {
	members := []status.Member{{Rank: 0, Host: "h", PID: 10, Number: 2, Inside: true}, {Rank: 1, Host: "h", PID: 11, Number: 2, Inside: true}, {Rank: 2, Host: "g", PID: 12, Number: 1}}
	rank := func(pid, rank int, still float64) status.Process {
		const does = "it was last in Barrier #1, and its process is stopped"
		return status.Process{PID: pid, State: status.Answered, Program: "a.out", Communicators: []status.Communicator{{
			Name: "grad", Rank: rank, Size: 3, Members: members, InCall: true, Waits: "Barrier #2", Still: still, InLine: 2, InStreams: 1,
			Operation: &status.Operation{Name: "Barrier", Number: 2, Text: "Barrier #2", Algorithm: "dissemination", Inside: true},
			Late:      []status.Late{{Rank: 2, Host: "g", PID: 12, Stopped: true, Does: does}}, LateText: "rank 2 (host g, pid 12) has not called it: " + does,
		}}}
	}
	return []status.Process{
		rank(10, 0, 1.5), rank(11, 1, 120), {PID: 12, State: status.Stopped, Program: "a.out"},
		{PID: 20, State: status.Answered, Program: "b", Joining: []status.Joining{{Rank: 0, Size: 6, At: "x:1", Waited: 3, Limit: 120, Missing: []int{1, 3, 4, 5}}}},
		{PID: 22, State: status.Answered, Program: "b", Joining: []status.Joining{{Rank: 2, Size: 6, At: "x:1", Waited: 4, Limit: 120, Missing: []int{}}}},
		{PID: 30, State: status.Answered, Program: "c", Joining: []status.Joining{{Rank: 1, Size: 2, At: "y:1", Waited: 2, Limit: 9, Missing: []int{0}}}},
	}
}

const hangingText = `late: rank 2 (host g, pid 12) of the communicator "grad" of 3 has not called Barrier #2: it was last in Barrier #1, and its process is stopped; 2 processes wait, for 120 s
late: rank 1 of 6 has not come to the start at x:1; 2 processes wait, for 4.0 s
late: rank 3 of 6 has not come to the start at x:1; 2 processes wait, for 4.0 s
late: rank 4 of 6 has not come to the start at x:1; 2 processes wait, for 4.0 s
late: rank 5 of 6 has not come to the start at x:1; 2 processes wait, for 4.0 s
late: rank 0 of 2 has not come to the start at y:1; process 30 waits, for 2.0 s

process 10 (a.out)
  rank 0 of the communicator "grad" of 3: in Barrier #2 (dissemination), where nothing has moved for 1.5 s
    rank 2 (host g, pid 12) has not called it: it was last in Barrier #1, and its process is stopped
    under way or in line: 2, of these in streams 1
    members: 0 (pid 10 on h, #2), 1 (pid 11, #2), 2 (pid 12 on g, #1)

process 11 (a.out)
  rank 1 of the communicator "grad" of 3: in Barrier #2 (dissemination), where nothing has moved for 120 s
    rank 2 (host g, pid 12) has not called it: it was last in Barrier #1, and its process is stopped
    under way or in line: 2, of these in streams 1
    members: 0 (pid 10 on h, #2), 1 (pid 11, #2), 2 (pid 12 on g, #1)

process 12 (a.out): it is stopped (by a signal or a debugger)
  rank 2 of the communicator "grad" of 3, as its peers see it: it was last in collective #1

process 20 (b)
  rank 0 of 6, at the start at x:1 for 3.0 s (an error after 120 s): missing: rank 1, 3-5

process 22 (b)
  rank 2 of 6, at the start at x:1 for 4.0 s (an error after 120 s): rank 0 is there, and waits for others

process 30 (c)
  rank 1 of 2, at the start at y:1 for 2.0 s (an error after 9.0 s): missing: rank 0
`

func TestStatusText(t *testing.T) {
	var out bytes.Buffer
	all := hanging()
	a := asked{shown: all, all: all}
	if a.write(&out); out.String() != hangingText {
		t.Errorf("it says:\n%s\nand not:\n%s", out.String(), hangingText)
	}
	for pid, want := range map[int][]int{10: {12}, 12: {12}, 22: {0, 0, 0, 0}, 30: {0}} {
		at := slices.IndexFunc(all, func(p status.Process) bool { return p.PID == pid })
		one := asked{shown: all[at : at+1], all: all}
		var late []int
		for _, l := range one.late() {
			late = append(late, l.PID)
		}
		if !slices.Equal(late, want) {
			t.Errorf("shown process %d alone, the late ones are %v, not %v", pid, late, want)
		}
	}
}

func TestStatusOfAPoisonedCommunicator(t *testing.T) {
	var out bytes.Buffer
	writeProcess(&out, status.Process{PID: 1, State: status.Answered, Communicators: []status.Communicator{{
		Size: 2, Members: []status.Member{{PID: 1}, {Rank: 1, PID: 2, Gone: "died"}}, Failure: &status.Failure{Code: 6, Text: "rank 1 died"},
	}}, LeftOut: 3}, nil)
	for _, want := range []string{
		"rank 0 of a communicator of 2: no collective yet\n", "it can no longer be used: rank 1 died\n", "1 (pid 2, died)\n", "and 3 communicators more\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in:\n%s", want, out.String())
		}
	}
}

// What programs read: these names stay.
func TestStatusJSON(t *testing.T) {
	teller, err := status.Tell(func() status.Process {
		p := hanging()[0]
		p.PID = os.Getpid()
		return p
	})
	if err != nil {
		t.Fatal(err)
	}
	defer teller.Close()
	a, err := askProcesses([]int{os.Getpid()})
	if err != nil || len(a.failed) > 0 {
		t.Fatal(err, a.failed)
	}
	var out bytes.Buffer
	if err := writeJSON(&out, shownStatus{a.late(), a.shown}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Late []struct {
			Rank, PID int
			Waiting   []int
			Text      string
		}
		Processes []map[string]any
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Late) != 1 || got.Late[0].PID != 12 || !slices.Equal(got.Late[0].Waiting, []int{os.Getpid()}) || len(got.Processes) != 1 {
		t.Fatalf("%+v", got)
	}
	has := func(what string, object any, names ...string) {
		for _, name := range names {
			if _, ok := object.(map[string]any)[name]; !ok {
				t.Errorf("%s has no %q", what, name)
			}
		}
	}
	p := got.Processes[0]
	has("a process", p, "pid", "state", "program", "host", "communicators", "joining", "left_out")
	c := p["communicators"].([]any)[0].(map[string]any)
	has("a communicator", c, "name", "rank", "size", "members", "operation", "in_call", "waits", "still", "in_line", "in_streams", "failure", "late", "late_text")
	has("a member", c["members"].([]any)[0], "rank", "host", "pid", "number", "inside", "gone")
	has("an operation", c["operation"], "name", "number", "text", "elements", "type", "bytes", "algorithm", "inside")
	has("a late one", c["late"].([]any)[0], "rank", "host", "pid", "called", "stopped", "does")
}
