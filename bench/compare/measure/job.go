package measure

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/bench/compare/results"
)

// A job is one run of a library's program: a collective, all sizes.
type job struct {
	results.Key
	library     *Library
	least, most int
	seconds     float64 // for each size
	limit       time.Duration
	bound       bool // each rank to a processor

	complaint string // what it has said on standard error
}

// grace is how long a program that is told to end has time to.
const grace = 3 * time.Second

// run returns the rows, also those from before a failure.
func (j *job) run(ctx context.Context) (rows []results.Row, err error) {
	flags, err := j.flags()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, j.limit, fmt.Errorf("it did not end within %v", j.limit))
	defer cancel()
	args := slices.Concat(j.library.within, j.library.start(j.Ranks, j.bound),
		[]string{j.library.program, j.Collective, strconv.Itoa(j.least), strconv.Itoa(j.most), j.Memory})
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Env = append(os.Environ(), "YARD_SECONDS="+strconv.FormatFloat(j.seconds, 'f', -1, 64), "YARD_RANKS="+strconv.Itoa(j.Ranks),
		"YARD_FLAGS="+flags)
	cmd.Env = append(cmd.Env, j.library.env...)
	// A group of its own: Ctrl-C must not reach the ranks past their launcher.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = grace
	var said, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &complaint
	err = cmd.Run()
	j.complaint = complaint.String()
	if err != nil {
		clear(cmd.Process)
	}
	rows, wrong := j.parse(said.String())
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err == nil && wrong == nil && rows == nil {
		err = errors.New("it said nothing")
	}
	if err = errors.Join(err, wrong); err != nil {
		err = fmt.Errorf("%w%s", err, indented(j.complaint))
	}
	return rows, err
}

// flags makes the file through which two ranks find out how far they are from each other. If they share a processor they
// are told of none, for they could not both look at a flag.
func (j *job) flags() (path string, err error) {
	if !j.bound || j.Ranks < 2 {
		return "", nil
	}
	path = filepath.Join(folder, "flags")
	if err := os.WriteFile(path, make([]byte, 4096), 0o644); err != nil {
		return "", err
	}
	if strings.HasPrefix(j.library.program, "/bench/") {
		return "/bench/flags", nil
	}
	return path, nil
}

// clear ends what a launcher that had to be killed has left: its group, and what has become a child of this process.
func clear(launcher *os.Process) {
	if launcher == nil {
		return
	}
	syscall.Kill(-launcher.Pid, syscall.SIGKILL)
	for _, pid := range children() {
		syscall.Kill(pid, syscall.SIGKILL)
		syscall.Wait4(pid, nil, 0, nil)
	}
}

// Adopt lets what a launcher leaves become children of this process.
func Adopt() error { return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) }

func children() (pids []int) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, _ := os.ReadFile(path)
		// pid (name) state ppid; a name may have spaces and parentheses.
		after := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(after) < 2 || after[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// parse takes the rows out of what the program has said; other lines are a launcher's.
func (j *job) parse(said string) (rows []results.Row, err error) {
	lines := bufio.NewScanner(strings.NewReader(said))
	for lines.Scan() {
		fields := strings.Split(lines.Text(), ",")
		if fields[0] != j.Collective {
			continue
		}
		row, wrong := results.Parse(fields)
		if wrong == nil && row.Ranks != j.Ranks {
			wrong = fmt.Errorf("%d ranks instead of %d", row.Ranks, j.Ranks)
		}
		if wrong != nil {
			err = errors.Join(err, fmt.Errorf("%q: %w", lines.Text(), wrong))
			continue
		}
		row.Library, row.Memory = j.library.Name, j.Memory
		if row.Variant == "" {
			row.Variant = j.library.Variant
		}
		rows = append(rows, row)
	}
	return rows, err
}

// indented are the last lines of a text, below another one.
func indented(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if lines[0] == "" {
		return ""
	}
	lines = lines[max(0, len(lines)-12):]
	return "\n    " + strings.Join(lines, "\n    ")
}
