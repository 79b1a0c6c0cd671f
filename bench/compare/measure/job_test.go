package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hcomm/bench/compare/results"
)

func TestMain(m *testing.M) {
	if err := Adopt(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// shell makes a library whose program is a line of shell.
func shell(line string) Library {
	return Library{Name: "fake", program: "program", start: func(int, bool) []string { return []string{"sh", "-c", line} }}
}

func fake(t *testing.T, line string) job {
	t.Chdir(t.TempDir())
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	l := shell(line)
	return job{Key: results.Key{Collective: "reduce", Ranks: 2, Memory: "malloc"}, library: &l, least: 8, most: 32, seconds: 0.01,
		limit: 20 * time.Second, bound: true}
}

func TestRunTakesTheRows(t *testing.T) {
	j := fake(t, `echo hello; echo "reduce,$YARD_RANKS,8,1,1,2,,40,50"; test -s "$YARD_FLAGS" && echo "reduce,2,32,2,2,2,,40,50"; echo "$@" >&2`)
	rows, err := j.run(t.Context())
	if err != nil || len(rows) != 2 {
		t.Fatalf("%v, %v", rows, err)
	}
	if r := rows[0]; r.Library != "fake" || r.Memory != "malloc" || r.Median != 1 || r.FlagAfter != 50 {
		t.Errorf("%+v", r)
	}
}

// What a program says before it fails is not lost, and what it complains of is told.
func TestRunTellsOfFailures(t *testing.T) {
	row := "echo reduce,2,8,1,1,2,,0,0; "
	for line, want := range map[string]string{
		row + "echo no luck >&2; exit 3":    "exit status 3\n    no luck",
		row + "echo reduce,2,32,1,1,z,,0,0": `field 6 is "z"`,
		row + "echo reduce,4,32,1,1,1,,0,0": "4 ranks instead of 2",
		row + "kill -9 $$":                  "signal: killed",
	} {
		j := fake(t, line)
		rows, err := j.run(t.Context())
		if err == nil || !strings.Contains(err.Error(), want) || len(rows) != 1 {
			t.Errorf("%q: %v, %v; want %s", line, rows, err, want)
		}
	}
	j := fake(t, "true")
	if _, err := j.run(t.Context()); err == nil || !strings.Contains(err.Error(), "it said nothing") {
		t.Errorf("silence: %v", err)
	}
}

// A run that hangs is ended, with what it has started, even what has left its group.
func TestRunEndsWhatHangs(t *testing.T) {
	j := fake(t, `echo "reduce,2,8,1,1,2,,0,0"; setsid sleep 61 & echo $! >&2; trap "" TERM; sleep 62; sleep 62`)
	j.limit = 500 * time.Millisecond
	rows, err := j.run(t.Context())
	if err == nil || !strings.Contains(err.Error(), "did not end within 500ms") || len(rows) != 1 {
		t.Fatalf("%v, %v", rows, err)
	}
	lines := strings.Split(err.Error(), "\n")
	pid, wrong := strconv.Atoi(strings.TrimSpace(lines[len(lines)-1]))
	if wrong != nil {
		t.Fatalf("no pid in %q", err)
	}
	if err := syscall.Kill(pid, 0); err != syscall.ESRCH {
		t.Errorf("process %d is still there: %v", pid, err)
	}
}

// One that fails is not run again in its section, hcomm's runs without it are not made either, and others go on.
func TestFailuresDoNotLoseTheRest(t *testing.T) {
	fake(t, "")
	row := "echo reduce,2,8,1,1,2,,0,0; echo broadcast,2,8,1,1,2,,0,0"
	libraries := []Library{shell(row), shell(row + `; case "$0$*" in *reduce*) exit 1;; esac`), shell(row)}
	libraries[0].Name, libraries[1].Name, libraries[2].Name = results.Hcomm, "bad", "good"
	steps := 0
	m := Measurement{Pairs: []Pair{{libraries[0], libraries[1]}, {libraries[0], libraries[2]}}, Progress: func(Step) { steps++ }, Options: Options{
		Keys:   []results.Key{{Collective: "reduce", Ranks: 2, Memory: "malloc"}, {Collective: "broadcast", Ranks: 2, Memory: "malloc"}},
		Rounds: 3, Seconds: 0.01, Least: 8, Limit: 20 * time.Second, Processors: 2}}
	m.Run(t.Context())
	if len(m.Failures) != 1 || m.Failures[0].Library != "bad" || m.Failures[0].Collective != "reduce" || m.Failures[0].Round != 1 {
		t.Errorf("failures: %v", m.Failures)
	}
	if want := 2 + 3*2 + 3*4; steps != want || len(m.Rows) != want {
		t.Errorf("%d steps and %d rows, not %d", steps, len(m.Rows), want)
	}
}

func TestInterruptionKeepsWhatThereIs(t *testing.T) {
	fake(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	libraries := []Library{shell("echo reduce,2,8,1,1,2,,0,0"), shell("sleep 63")}
	libraries[0].Name = results.Hcomm
	m := Measurement{Pairs: []Pair{{libraries[0], libraries[1]}}, Options: Options{Keys: []results.Key{{Collective: "reduce", Ranks: 2, Memory: "malloc"}},
		Rounds: 3, Seconds: 0.01, Least: 8, Limit: 20 * time.Second, Processors: 2}}
	m.Progress = func(s Step) {
		if s.Library == "fake" {
			cancel()
		}
	}
	begun := time.Now()
	m.Run(ctx)
	if len(m.Rows) != 1 || len(m.Failures) != 0 || time.Since(begun) > 10*time.Second {
		t.Errorf("%v, %v, %v", m.Rows, m.Failures, time.Since(begun))
	}
}

func TestMost(t *testing.T) {
	for _, c := range []struct {
		most, ranks int
		collective  string
		want        int
	}{
		{0, 2, "allreduce", 32 << 20}, {0, 2, "reduce", 8 << 20}, {0, 2, "alltoall", 8 << 20}, {0, 8, "alltoall", 2 << 20},
		{1 << 20, 2, "allreduce", 1 << 20}, {0, 2, "barrier", 8}, {16, 64, "allgather", 16},
	} {
		o := Options{Least: 8, Most: c.most}
		if got := o.most(results.Key{Collective: c.collective, Ranks: c.ranks}); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// What a round has taken is what the next is expected to.
func TestEstimateLearns(t *testing.T) {
	pair := Pair{Library{Name: results.Hcomm}, Library{Name: "mpich"}}
	key := results.Key{Collective: "reduce", Ranks: 2, Memory: "malloc"}
	m := Measurement{Pairs: []Pair{pair}, Options: Options{Keys: []results.Key{key}, Rounds: 5, Seconds: 0.05, Least: 8, Processors: 2}}
	if all := m.Estimate(); all < 5*time.Second || all > time.Minute {
		t.Errorf("estimate: %v", all)
	}
	m.took = map[run]time.Duration{{key, "mpich"}: time.Hour, {key, results.Hcomm}: time.Minute}
	if all := m.Estimate(); all != 5*61*time.Minute {
		t.Errorf("estimate: %v", all)
	}
}

func TestMissingLibrariesAreSaid(t *testing.T) {
	t.Setenv("PATH", filepath.Join(t.TempDir(), "nothing"))
	for _, m := range mpis {
		variants, missing := m.here()
		if variants != nil || !strings.Contains(missing, m.name+" is left out") || !strings.Contains(missing, "lib"+m.name+"-dev") {
			t.Errorf("%v, %q", variants, missing)
		}
	}
}
