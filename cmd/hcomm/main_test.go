package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The tests run the command as a user does: this test binary, started again, is the command. What it starts in turn has the
// variable too, so that no child ever takes itself for the tests.
func TestMain(m *testing.M) {
	if role := roles[os.Getenv("HCOMM_TEST_ROLE")]; role != nil {
		role(os.Args[1:])
		return
	}
	if os.Getenv("HCOMM_TEST_COMMAND") != "" {
		os.Exit(execute(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// command is one call of the command.
type command struct {
	*exec.Cmd
	t      *testing.T
	lines  *bufio.Reader // its stdout
	stderr bytes.Buffer
}

func newCommand(t *testing.T, args ...string) *command {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := &command{Cmd: exec.Command(self, args...), t: t}
	c.Env = append(os.Environ(), "HCOMM_TEST_COMMAND=1", "SELF="+self, "T="+t.TempDir())
	c.Cmd.Stderr = &c.stderr
	return c
}

// begin starts the command; it is killed if it has not ended after a while.
func (c *command) begin() *command {
	c.t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.lines = bufio.NewReader(out)
	if err := c.Start(); err != nil {
		c.t.Fatal(err)
	}
	guard := time.AfterFunc(30*time.Second, func() { c.Process.Kill() })
	c.t.Cleanup(func() { guard.Stop() })
	return c
}

// line reads the next line that the command prints.
func (c *command) line() string {
	c.t.Helper()
	l, err := c.lines.ReadString('\n')
	if err != nil {
		c.t.Fatalf("stdout ended: %q, %v\nstderr: %s", l, err, &c.stderr)
	}
	return strings.TrimSuffix(l, "\n")
}

// finish reads the rest and gives the status.
func (c *command) finish() (rest string, status int) {
	c.t.Helper()
	b, err := io.ReadAll(c.lines)
	if err != nil {
		c.t.Fatal(err)
	}
	_ = c.Wait()
	return string(b), exitStatus(c.Cmd)
}

func exitStatus(c *exec.Cmd) int {
	s := c.ProcessState.Sys().(syscall.WaitStatus)
	if s.Signaled() {
		return -int(s.Signal())
	}
	return s.ExitStatus()
}

// hcomm runs the command to its end.
func hcomm(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	c := newCommand(t, args...).begin()
	stdout, status = c.finish()
	return stdout, c.stderr.String(), status
}

// script runs a shell script as n ranks; it may call the functions of [prelude].
func script(t *testing.T, n, flags, text string) (stdout, stderr string, status int) {
	t.Helper()
	return hcomm(t, scriptArgs(n, flags, text)...)
}

func scriptArgs(n, flags, text string) []string {
	args := append([]string{"run", "-n", n, "--bind", "none"}, strings.Fields(flags)...) // or all tests share the first CPU
	return append(args, "--", "sh", "-c", prelude+text)
}

// prelude: "rank N" says whether this is rank N; "tell NAME TEXT" and "hear NAME" pass a text from one rank to another,
// whichever comes first; "rest" stays until a signal ends it, "as" takes one of the [roles].
const prelude = `
rank() { [ "$HCOMM_RANK" = "$1" ]; }
tell() { mkfifo "$T/$1" 2>/dev/null; echo "$2" > "$T/$1"; }
hear() { mkfifo "$T/$1" 2>/dev/null; read -r heard < "$T/$1"; }
rest() { while :; do sleep 1000; done; }
as() { HCOMM_TEST_ROLE=$1; shift; export HCOMM_TEST_ROLE; exec "$SELF" "$@"; }
`

// pidfd refers to a process for as long as the test wants.
func pidfd(t *testing.T, pid int) int {
	t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatalf("process %d: %v", pid, err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	return fd
}

// ends waits for the end of the process.
func ends(t *testing.T, pidfd int) {
	t.Helper()
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, 10_000)
		if err == unix.EINTR {
			continue
		}
		if n != 1 {
			t.Fatalf("the process did not end: %v", err)
		}
		return
	}
}

func TestVersion(t *testing.T) {
	t.Parallel()
	word, _, status := hcomm(t, "version")
	flag, _, flagStatus := hcomm(t, "--version")
	if status != 0 || flagStatus != 0 || flag != word || !strings.HasPrefix(word, "hcomm ") || strings.Count(word, "\n") != 1 {
		t.Errorf("version: %q, %d; --version: %q, %d", word, status, flag, flagStatus)
	}
}
