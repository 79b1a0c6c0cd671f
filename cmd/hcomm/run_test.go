package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestStatus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := dir + "/" + name
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	plain := write("plain", "#!/bin/sh\n", 0o644)
	alien := write("alien", "no program", 0o755)
	lost := write("lost", "#!/no/such/interpreter\n", 0o755)
	for _, c := range []struct {
		name   string
		args   string
		status int
		stderr string // a pattern
	}{
		{"well", "run -n 3 true", 0, `^$`},
		{"exit status", "run -n 1 -- sh -c exit\t3", 3, `^hcomm run: rank 0 \(pid \d+\) exited with status 3\n$`},
		{"signal", "run -n 1 -- sh -c kill\t-9\t$$", 137, `^hcomm run: rank 0 \(pid \d+\) was ended by SIGKILL \(killed\)\n$`},
		{"arguments of the program", "run -n 1 sh -c test\t$#\t=\t2 -x --help -n", 0, `^$`},
		{"no program", "run -n 2 no-such-program", 127, `^hcomm run: there is no program no-such-program\n$`},
		{"no such file", "run -n 2 ./no/such", 127, `^hcomm run: there is no program ./no/such\n$`},
		{"not executable", "run -n 2 " + plain, 126, `is there but not executable`},
		{"a folder", "run -n 2 " + dir, 126, `is a folder`},
		{"no format", "run -n 2 " + alien, 126, `is no program for this machine`},
		{"no interpreter", "run -n 2 " + lost, 126, `interpreter`},
		{"nothing to run", "run -n 2", 125, `which program`},
		{"no ranks", "run true", 125, `how many ranks\? Say -n N`},
		{"zero ranks", "run -n 0 true", 125, `-n is 0; it must be 1 to 4096`},
		{"too many", "run -n 4097 true", 125, `-n is 4097; it must be 1 to 4096`},
		{"no number", "run -n two true", 125, `-n \(--ranks\) is "two"; it must be a number, 1 to 4096`},
		{"MPI's flag", "run -np 4 true", 125, `^hcomm run: -np is not known here; say -n 4`},
		{"no number of seconds", "run -n 2 --timeout soon true", 125, `--timeout is "soon"; it must be a number`},
		{"unknown flag", "run --rank 2 true", 125, `unknown flag: --rank \(see: hcomm run --help\)`},
		{"bad binding", "run -n 1 --bind socket true", 125, `--bind is "socket"; it must be core or none`},
		{"bad timeout", "run -n 1 --timeout -1 true", 125, `--timeout is -1; it must be`},
		{"bad grace", "run -n 1 --grace NaN true", 125, `--grace is NaN; it must be`},
		{"not enough CPUs", "run -n 4096 --bind core true", 125, `--bind core needs a CPU for each of the 4096 ranks, and this process may use \d+`},
		{"unknown command", "launch -n 4 true", 125, `^hcomm: unknown command "launch" for "hcomm"; there are: bench, env, plan, run, sim, status, topo, tune, version\n$`},
		{"help for no command", "help launch", 125, `^hcomm help: there is no command "launch"; there are: bench, env, plan, run, sim, status, topo, tune, version\n$`},
		{"help for no subcommand", "help plan draw", 125, `^hcomm help: there is no command "plan draw"; there are: `},
		{"help", "help plan show", 0, `^$`},
		{"arguments of none", "version long", 125, `^hcomm version: "long": only flags may follow\n$`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(strings.ReplaceAll(c.args, "\t", "\x00"))
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "\x00", " ")
			}
			_, stderr, status := hcomm(t, args...)
			if status != c.status || !regexp.MustCompile(c.stderr).MatchString(stderr) {
				t.Errorf("status %d, want %d; stderr %q, want %s", status, c.status, stderr, c.stderr)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	text := `echo "$HCOMM_RANK $HCOMM_LOCAL_RANK $HCOMM_SIZE $HCOMM_ROOT $HCOMM_SECRET"`
	stdout, _, status := script(t, "2", "", text)
	lines := sorted(stdout)
	pattern := regexp.MustCompile(`^(\d) (\d) 2 (127\.0\.0\.1:\d+ [0-9a-f]{64})$`)
	if status != 0 || len(lines) != 2 {
		t.Fatalf("status %d, %q", status, lines)
	}
	a, b := pattern.FindStringSubmatch(lines[0]), pattern.FindStringSubmatch(lines[1])
	if a == nil || b == nil || a[1] != "0" || a[2] != "0" || b[1] != "1" || b[2] != "1" || a[3] != b[3] {
		t.Errorf("got %q", lines)
	}
	again, _, _ := script(t, "2", "", text)
	if strings.Fields(again)[4] == strings.Fields(stdout)[4] {
		t.Error("two jobs have the same secret")
	}
	// What an outer launcher has set must not be there as well; a secret that the user has set must.
	c := newCommand(t, "run", "-n", "1", "env")
	c.Env = append(c.Env, "HCOMM_RANK=7", "HCOMM_LOCAL_RANK=7", "HCOMM_SIZE=9", "HCOMM_ROOT=x", "HCOMM_SECRET=sesame")
	got, _ := c.begin().finish()
	var own []string
	for _, l := range sorted(got) {
		if strings.HasPrefix(l, "HCOMM_") && !strings.HasPrefix(l, "HCOMM_TEST_") {
			own = append(own, l)
		}
	}
	want := `^HCOMM_LOCAL_RANK=0 HCOMM_RANK=0 HCOMM_ROOT=127\.0\.0\.1:\d+ HCOMM_SECRET=sesame HCOMM_SIZE=1$`
	if !regexp.MustCompile(want).MatchString(strings.Join(own, " ")) {
		t.Errorf("got %q", own)
	}
}

func sorted(text string) []string {
	return slices.Sorted(slices.Values(strings.Split(strings.TrimSuffix(text, "\n"), "\n")))
}

func TestGraceOver(t *testing.T) {
	t.Parallel()
	// Ranks 0 and 2 get SIGTERM; rank 0 minds it, rank 2 does not and is killed. Rank 1 fails when both are ready.
	stdout, stderr, status := script(t, "3", "--grace 0.05", `
		mkfifo "$T/zero" "$T/two" 2>/dev/null
		rank 0 && as heed "$T/zero" TERM:asked:0
		rank 2 && { echo $$; as heed "$T/two" TERM:; }
		hear zero; hear two; exit 7`)
	want := `^hcomm run: rank 1 \(pid \d+\) exited with status 7\nhcomm run: ranks 0 and 2 went on for the 50ms of grace; ending them\n$`
	if status != 7 || !regexp.MustCompile(want).MatchString(stderr) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	lines := sorted(stdout)
	if len(lines) != 2 || lines[1] != "asked" {
		t.Fatalf("stdout %q", stdout)
	}
	if pid, err := strconv.Atoi(lines[0]); err != nil || unix.Kill(pid, 0) != unix.ESRCH {
		t.Errorf("rank 2 is still there: %q", lines[0])
	}
}

func TestGraceUsed(t *testing.T) {
	t.Parallel()
	// Rank 0 sees rank 1 end and ends by itself, long before the grace time is over.
	stdout, stderr, status := script(t, "2", "--grace 1000", `
		rank 1 && { tell pid $$; kill -SEGV $$; }
		hear pid; while kill -0 $heard 2>/dev/null; do :; done; echo bye; exit 9`)
	if status != 128+11 || stdout != "bye\n" || !regexp.MustCompile(`^hcomm run: rank 1 \(pid \d+\) was ended by SIGSEGV \(.*\)\n$`).MatchString(stderr) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestNoKill(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := script(t, "2", "--grace 0 --no-kill", `
		rank 1 && { tell pid $$; exit 3; }
		hear pid; while kill -0 $heard 2>/dev/null; do :; done; sleep 0.05; echo still here; exit 4`)
	want := `^hcomm run: rank 1 \(pid \d+\) exited with status 3\nhcomm run: rank 0 \(pid \d+\) exited with status 4\n$`
	if status != 3 || stdout != "still here\n" || !regexp.MustCompile(want).MatchString(stderr) {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := script(t, "2", "--timeout 3", `as heed - TERM:asked:0`)
	if status != 124 || strings.Join(sorted(stdout), " ") != "asked asked ready ready" || stderr != "hcomm run: the time of 3s is over; ending ranks 0 and 1\n" {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// A stopped rank is woken to hear that it shall end.
func TestStoppedRankIsAsked(t *testing.T) {
	t.Parallel()
	stdout, _, status := script(t, "1", "--timeout 3", `trap 'echo asked; exit 0' TERM; kill -STOP $$; rest`)
	if status != 124 || stdout != "asked\n" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

// A rank may leave something in its process group, and it may leave something that has made itself independent. The
// first is ended, the second is not waited for though it holds the output open.
func TestLeftBehind(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("1", "", `
		sleep 1000 & echo $!
		(trap '' TERM; while :; do sleep 1000; done) & echo $!
		setsid sleep 1000 & echo $!
		hear go`)...).begin()
	var fds []int
	for range 3 {
		pid, err := strconv.Atoi(c.line())
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, pidfd(t, pid))
	}
	defer unix.PidfdSendSignal(fds[2], unix.SIGKILL, nil, 0)
	os.WriteFile(envOf(c, "T")+"/go", []byte("\n"), 0) // opens the FIFO, or makes a file with the same effect
	begin := time.Now()
	if _, status := c.finish(); status != 0 {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
	if took := time.Since(begin); took > 15*time.Second {
		t.Errorf("took %v", took)
	}
	ends(t, fds[0])
	ends(t, fds[1])
	if unix.PidfdSendSignal(fds[2], 0, nil, 0) != nil {
		t.Error("the independent process was ended, too")
	}
}

func envOf(c *command, name string) string {
	for _, v := range slices.Backward(c.Env) {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

// What runs on for a moment to write its last lines, such as a tee, is let.
func TestLeftBehindFinishes(t *testing.T) {
	t.Parallel()
	stdout, _, status := script(t, "1", "", `(while kill -0 $$ 2>/dev/null; do :; done; echo last words) & exit 0`)
	if status != 0 || stdout != "last words\n" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	c := newCommand(t, "run", "-n", "3", "--bind", "none", "--tag-output", "cat")
	c.Stdin = strings.NewReader("one\ntwo\n")
	if stdout, status := c.begin().finish(); status != 0 || stdout != "[0] one\n[0] two\n" {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

func TestBinding(t *testing.T) {
	t.Parallel()
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		t.Fatal(err)
	}
	first := 0
	for !mask.IsSet(first) {
		first++
	}
	show := `sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status`
	run := func(n int, flags ...string) string {
		args := append([]string{"run", "-n", strconv.Itoa(n)}, flags...)
		stdout, stderr, status := hcomm(t, append(args, "sh", "-c", show)...)
		if status != 0 || stderr != "" {
			t.Errorf("-n %d %v: status %d, stderr %q", n, flags, status, stderr)
		}
		return stdout
	}
	for _, flags := range [][]string{nil, {"--bind", "core"}} {
		if got := run(1, flags...); got != fmt.Sprintln(first) {
			t.Errorf("%v: one rank runs on %q, want %d", flags, got, first)
		}
	}
	whole := run(1, "--bind", "none")
	if n := mask.Count() + 1; run(n) != strings.Repeat(whole, n) {
		t.Errorf("with more ranks than CPUs, some rank is bound")
	}
	if mask.Count() > 1 {
		if l := sorted(run(2)); len(l) != 2 || l[0] == l[1] {
			t.Errorf("two ranks run on %q", l)
		}
	}
}
