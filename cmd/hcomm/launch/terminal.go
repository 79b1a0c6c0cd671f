package launch

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// terminal hands on what is typed to a pipe.
type terminal struct {
	from   *os.File
	into   *os.File
	cancel *os.File // closed to end it
	wake   *os.File // the other end of cancel
	over   sync.WaitGroup
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// readTerminal gives the end of a pipe to which it hands on what is typed.
func readTerminal(from *os.File) (*terminal, *os.File, error) {
	end, into, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	wake, cancel, err := os.Pipe()
	if err != nil {
		end.Close()
		into.Close()
		return nil, nil, err
	}
	t := &terminal{from: from, into: into, wake: wake, cancel: cancel}
	t.over.Go(t.copy)
	return t, end, nil
}

func (t *terminal) close() {
	if t == nil {
		return
	}
	t.cancel.Close()
	t.into.Close() // also ends a write that nobody reads
	t.over.Wait()
	t.wake.Close()
}

func (t *terminal) copy() {
	defer t.into.Close()
	buf := make([]byte, 4096)
	for t.wait() {
		n, err := unix.Read(int(t.from.Fd()), buf)
		if err == unix.EINTR {
			continue
		}
		if n <= 0 {
			return
		}
		if _, err := t.into.Write(buf[:n]); err != nil {
			return // rank 0 does not read any more
		}
	}
}

// wait waits until something was typed that is meant for this job; false when the job is over.
func (t *terminal) wait() bool {
	for {
		fds := []unix.PollFd{{Fd: int32(t.wake.Fd()), Events: unix.POLLIN}, {Fd: int32(t.from.Fd()), Events: unix.POLLIN}}
		limit := -1
		if !t.foreground() { // a read would stop us; nothing tells when the shell puts us to the front, so look now and then
			fds, limit = fds[:1], 200
		}
		_, err := unix.Poll(fds, limit)
		switch {
		case err != nil && err != unix.EINTR, fds[0].Revents != 0:
			return false
		case len(fds) > 1 && fds[1].Revents != 0 && t.foreground():
			return true
		}
	}
}

func (t *terminal) foreground() bool {
	group, err := unix.IoctlGetInt(int(t.from.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
