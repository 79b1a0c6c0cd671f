package main

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// ready reads one line from each of n ranks.
func (c *command) ready(n int) []string {
	c.t.Helper()
	lines := make([]string, n)
	for i := range lines {
		lines[i] = c.line()
	}
	return lines
}

func TestSignalIsPassedOnOnce(t *testing.T) {
	t.Parallel()
	for _, s := range []struct {
		name string
		sig  syscall.Signal
	}{{"INT", unix.SIGINT}, {"TERM", unix.SIGTERM}, {"HUP", unix.SIGHUP}, {"QUIT", unix.SIGQUIT}, {"USR1", unix.SIGUSR1}, {"USR2", unix.SIGUSR2}} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			c := newCommand(t, scriptArgs("2", "", "as count "+s.name)...).begin()
			c.ready(2)
			c.Process.Signal(s.sig)
			if rest, status := c.finish(); rest != "heard 1\nheard 1\n" || status != 0 || c.stderr.Len() > 0 {
				t.Errorf("stdout %q, status %d, stderr %q", rest, status, &c.stderr)
			}
		})
	}
}

func TestSignalEnds(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("2", "", `as heed -`)...).begin()
	c.ready(2)
	c.Process.Signal(unix.SIGINT)
	if _, status := c.finish(); status != 130 || c.stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
}

func TestSecondSignalKills(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("2", "", `as heed - INT:no TERM:no`)...).begin()
	c.ready(2)
	c.Process.Signal(unix.SIGINT)
	if got := c.ready(2); got[0] != "no" || got[1] != "no" {
		t.Errorf("got %q", got)
	}
	c.Process.Signal(unix.SIGTERM)
	rest, status := c.finish()
	if rest != "" || status != 143 || c.stderr.String() != "hcomm run: a second signal; killing ranks 0 and 1\n" {
		t.Errorf("stdout %q, status %d, stderr %q", rest, status, &c.stderr)
	}
}

// nohup starts its program with SIGHUP ignored, and so it must stay.
func TestIgnoredSignalStaysIgnored(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("1", "", `kill -HUP $PPID; trap 'exit 3' HUP; kill -HUP $$; kill -USR1 $PPID; rest`)...)
	c.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$0" "$@"`, c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	if _, status := c.begin().finish(); status != 128+int(unix.SIGUSR1) {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
}

func TestStopAndContinue(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("1", "", `echo $$; as heed - CONT:go:0`)...).begin()
	rank := c.line()
	c.ready(1)
	c.Process.Signal(unix.SIGTSTP)
	var info unix.Siginfo
	if err := unix.Waitid(unix.P_PID, c.Process.Pid, &info, unix.WSTOPPED|unix.WNOWAIT, nil); err != nil {
		t.Fatal(err)
	}
	for state := ""; state != "T"; { // a stopped process that is not our child can only be looked at
		stat, err := os.ReadFile("/proc/" + rank + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		state = strings.Fields(string(stat))[2]
	}
	c.Process.Signal(unix.SIGCONT)
	if rest, status := c.finish(); status != 0 || rest != "go\n" {
		t.Errorf("status %d, stdout %q", status, rest)
	}
}

func TestKilledLauncherTakesRanksAlong(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("3", "", `echo $$; exec sleep 1000`)...).begin()
	var fds []int
	for _, l := range c.ready(3) {
		pid, err := strconv.Atoi(l)
		if err != nil {
			t.Fatal(err)
		}
		fds = append(fds, pidfd(t, pid))
	}
	c.Process.Kill()
	for _, fd := range fds {
		ends(t, fd)
	}
	c.finish()
}

func TestReaderGoesAway(t *testing.T) {
	t.Parallel()
	c := newCommand(t, scriptArgs("2", "", `while :; do echo "$(echo line)"; done`)...)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 5)
	if _, err := out.Read(b); err != nil || string(b) != "line\n" {
		t.Errorf("%q, %v", b, err)
	}
	out.Close()
	c.Wait()
	if status := exitStatus(c.Cmd); status != 141 || strings.Contains(c.stderr.String(), "hcomm") {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	c := newCommand(t, "run", "-n", "1", "--bind", "none", "--", "sh", "-c", `echo hello; `+prelude+`rest`)
	full, err := openWrite("/dev/full")
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	c.Stdout = full
	c.Run()
	if status := exitStatus(c.Cmd); status != 125 || !strings.Contains(c.stderr.String(), "cannot pass on what the ranks print: write /dev/stdout: no space left on device") {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
}
