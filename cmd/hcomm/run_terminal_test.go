package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func openWrite(path string) (*os.File, error) { return os.OpenFile(path, os.O_WRONLY, 0) }

// pseudoTerminal opens a pair: what is written to one end was typed at the other.
func pseudoTerminal(t *testing.T) (keyboard, terminal *os.File) {
	t.Helper()
	keyboard, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo terminals here: %v", err)
	}
	t.Cleanup(func() { keyboard.Close() })
	if err := unix.IoctlSetPointerInt(int(keyboard.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(int(keyboard.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { terminal.Close() })
	return keyboard, terminal
}

// At a terminal, rank 0 gets what is typed, and Ctrl-C reaches each rank once.
func TestTerminal(t *testing.T) {
	t.Parallel()
	keyboard, terminal := pseudoTerminal(t)
	c := newCommand(t, scriptArgs("2", "", "as typist")...)
	c.Stdin, c.Stdout = terminal, terminal
	c.SysProcAttr = &unix.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	screen := bufio.NewReader(keyboard)
	expect := func(want string) {
		t.Helper()
		line, err := screen.ReadString('\n')
		if got := strings.TrimSpace(line); got != want {
			t.Fatalf("the screen shows %q, want %q (%v)", got, want, err)
		}
	}
	expect("ready")
	expect("ready")
	fmt.Fprintln(keyboard, "abc")
	expect("abc") // the terminal's echo
	expect("typed abc")
	keyboard.Write([]byte{3})
	expect("^Cheard 1")
	expect("heard 1")
	c.Wait()
	if status := exitStatus(c.Cmd); status != 0 || c.stderr.Len() > 0 {
		t.Errorf("status %d, stderr %q", status, &c.stderr)
	}
}
