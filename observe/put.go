package observe

import "golang.org/x/sys/unix"

// put writes a line in one piece, or loses it. Standard error is shared with other programs, so it cannot be made
// non-blocking for good: it is asked whether it has room, and then told not to wait, lest another rank took that meanwhile.
func put(fd int, line []byte) {
	var file unix.Stat_t
	if unix.Fstat(fd, &file) != nil {
		return
	}
	kind := file.Mode & unix.S_IFMT
	if kind == unix.S_IFREG {
		unix.Write(fd, line)
		return
	}
	if !room(fd) {
		return
	}
	switch kind {
	case unix.S_IFSOCK:
		unix.Sendto(fd, line, unix.MSG_DONTWAIT|unix.MSG_NOSIGNAL, nil)
	case unix.S_IFIFO:
		if _, err := unix.Pwritev2(fd, [][]byte{line}, -1, unix.RWF_NOWAIT); err != unix.EOPNOTSUPP && err != unix.ENOSYS {
			return
		}
		fallthrough // pipes know the flag since Linux 6.4
	default:
		unix.Write(fd, line)
	}
}

// room says whether a write would not wait. A pipe that nobody reads any more is an error here; a write would be a signal.
func room(fd int) bool {
	ask := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}
	for {
		n, err := unix.Poll(ask, 0)
		if err != unix.EINTR {
			return n == 1 && ask[0].Revents == unix.POLLOUT
		}
	}
}
