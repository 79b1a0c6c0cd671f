package launch

import (
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A rank is the process that was started, and its process group: what that process starts in turn.
type rank struct {
	number int
	pid    int // also its process group
	ended  bool
	status unix.WaitStatus // when ended
	gone   bool            // nothing of the group is left
	leave  leaving
	due    time.Time // when leave goes on; zero: never
}

// leaving is how far a group is on its way out. It only grows.
type leaving int

const (
	staying leaving = iota
	granted         // it may end by itself until due: a rank when another has failed, what a rank left behind
	asked           // SIGTERM was sent
	killed          // SIGKILL was sent
)

const (
	afterRank = time.Second // what a rank left behind may go on for, say a tee that writes its last lines
	afterTerm = time.Second // from SIGTERM to SIGKILL
)

// grant lets the group run on for a while.
func (r *rank) grant(now time.Time, d time.Duration) {
	if r.gone || r.leave > granted || r.leave == granted && r.due.Before(now.Add(d)) {
		return
	}
	r.leave, r.due = granted, now.Add(d)
}

// end takes the group at least as far as to.
func (r *rank) end(now time.Time, to leaving) {
	if r.gone || r.leave >= to {
		return
	}
	r.leave, r.due = to, time.Time{}
	switch to {
	case asked:
		r.due = now.Add(afterTerm)
		r.signal(unix.SIGTERM)
		r.signal(unix.SIGCONT) // a stopped process hears nothing
	case killed:
		r.signal(unix.SIGKILL)
	}
}

// advance does what is due.
func (r *rank) advance(now time.Time) {
	if r.due.IsZero() || r.due.After(now) {
		return
	}
	r.end(now, r.leave+1)
}

// signal reaches the whole group. Its number is not given to another group while something of this one is left, and
// whatever is left of it was either not reaped by us or is not there.
func (r *rank) signal(s unix.Signal) {
	if !r.gone {
		_ = unix.Kill(-r.pid, s)
	}
}

// look finds out whether anything of the group is left.
func (r *rank) look() {
	if r.ended && unix.Kill(-r.pid, 0) == unix.ESRCH {
		r.gone, r.due = true, time.Time{}
	}
}

// failed says whether the rank ended otherwise than well.
func (r *rank) failed() bool { return r.ended && r.exitStatus() != 0 }

// exitStatus is what a shell would show for the rank's end.
func (r *rank) exitStatus() int {
	if r.status.Signaled() {
		return statusSignal + int(r.status.Signal())
	}
	return r.status.ExitStatus()
}

func (r *rank) String() string { return fmt.Sprintf("rank %d (pid %d)", r.number, r.pid) }

// story says how the rank ended.
func (r *rank) story() string {
	if !r.status.Signaled() {
		return fmt.Sprintf("%v exited with status %d", r, r.status.ExitStatus())
	}
	core := ""
	if r.status.CoreDump() {
		core = ", core dumped"
	}
	s := r.status.Signal()
	return fmt.Sprintf("%v was ended by %s (%v%s)", r, unix.SignalName(s), s, core)
}

// spawn starts the program as this rank. The calling thread must stay for as long as the rank does, see [Job.Run].
func (r *rank) spawn(path string, args, env []string, files [3]*os.File) error {
	var fds [3]uintptr
	for i, f := range files {
		fds[i] = f.Fd()
	}
	pid, err := syscall.ForkExec(path, args, &syscall.ProcAttr{
		Env:   rankEnvironment(env, r.number),
		Files: fds[:],
		// A group of its own: a terminal's Ctrl-C then reaches the launcher alone, which passes it on once.
		Sys: &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	})
	r.pid = pid
	return err
}
