package memfd

import (
	"errors"
	"fmt"
	"math"

	"golang.org/x/sys/unix"

	"hcomm/forked"
)

const fixedSize = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// Limit is the largest size that this process may give a file. Going over it would not be an error but a signal that ends
// the process.
func Limit() uint64 {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return math.MaxInt64
	}
	return min(limit.Cur, math.MaxInt64)
}

// Create makes zeroed memory of a size that nobody can change any more, and returns its descriptor, which a program that
// is executed does not inherit.
func Create(name string, size uint64) (int, error) {
	if most := Limit(); size > most {
		return -1, fmt.Errorf("%d bytes are more than the limit on the size of files, %d (ulimit -f)", size, most)
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return -1, fmt.Errorf("memfd_create: %w", err)
	}
	if err = unix.Ftruncate(fd, int64(size)); err != nil {
		err = fmt.Errorf("ftruncate to %d bytes: %w", size, err)
	} else if _, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, fixedSize|unix.F_SEAL_SEAL); err != nil {
		err = fmt.Errorf("sealing the size: %w", err)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	forked.Track(fd)
	return fd, nil
}

// Close closes what Create gave.
func Close(fd int) {
	forked.Untrack(fd)
	unix.Close(fd)
}

// Size returns the size of memory made by another process, after checking that it cannot change: who maps it never runs
// off its end.
func Size(fd int) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return 0, fmt.Errorf("fstat: %w", err)
	}
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || have&fixedSize != fixedSize {
		return 0, errors.New("it is not a sealed memfd")
	}
	return uint64(st.Size), nil
}
