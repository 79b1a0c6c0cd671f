//go:build valgrind

package engine

import (
	"sync"

	"golang.org/x/sys/unix"
)

// life makes the pipe whose writing end this process holds as long as it lives, and with it a child that calls no exec.
var life = sync.OnceValues(func() (reading int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return -1, err
	}
	return ends[0], nil
})

// selfPIDFD is a descriptor by which the peers learn of this process's end: a pipe, for Valgrind 3.19 knows no pidfd_open.
func selfPIDFD() (int, error) {
	fd, err := life()
	if err != nil {
		return -1, err
	}
	return unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
}
