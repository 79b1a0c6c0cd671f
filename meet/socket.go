package meet

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"

	"hcomm/forked"
)

// Sockets here are bare descriptors, non-blocking and CLOEXEC; who waits does so with patience.poll. A write never raises SIGPIPE:
// the process belongs to a C program, whose signal handlers are not ours.

const backlog = 4096

var (
	errTooLong = errors.New("a message that is too long")
	errUnasked = errors.New("descriptors before the proof")
	errCut     = errors.New("descriptors were cut off")
)

// retry repeats a system call that a signal interrupted.
func retry(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// closeSocket closes what newSocket or accept gave.
func closeSocket(fd int) {
	forked.Untrack(fd)
	unix.Close(fd)
}

func newSocket(family, kind int) (int, error) {
	fd, err := unix.Socket(family, kind|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, failf(ErrSystem, "no socket: %s", explain(err))
	}
	forked.Track(fd)
	return fd, nil
}

// explain adds the way out to the errors that have one.
func explain(err error) string {
	switch {
	case errors.Is(err, unix.EMFILE) || errors.Is(err, errCut):
		var lim unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &lim) == nil {
			return fmt.Sprintf("%v; this process may have %d descriptors open: raise `ulimit -n`", err, lim.Cur)
		}
	case errors.Is(err, unix.ETOOMANYREFS):
		return fmt.Sprintf("%v; more descriptors are under way between this user's processes than `ulimit -n` allows: raise it", err)
	}
	return err.Error()
}

func unixAddress(name string) unix.Sockaddr { return &unix.SockaddrUnix{Name: "@" + name} }

// listenOn makes a listening socket; EADDRINUSE comes back as such.
func listenOn(family, kind int, at unix.Sockaddr) (int, error) {
	fd, err := newSocket(family, kind)
	if err != nil {
		return -1, err
	}
	if family != unix.AF_UNIX {
		err = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	}
	if err == nil {
		err = unix.Bind(fd, at)
	}
	if err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		closeSocket(fd)
		return -1, err
	}
	return fd, nil
}

// accept takes one waiting connection; EAGAIN when there is none.
func accept(listener int) (fd int, err error) {
	err = retry(func() error {
		fd, _, err = unix.Accept4(listener, unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
		if err == nil {
			forked.Track(fd)
		}
		return err
	})
	return fd, err
}

// send sends one message with descriptors. EAGAIN: not now.
func send(fd int, b []byte, fds []int) error {
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	n := 0
	err := retry(func() (err error) {
		n, err = unix.SendmsgN(fd, b, oob, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
		return err
	})
	if err == nil && n != len(b) {
		return io.ErrShortWrite
	}
	return err
}

// receive takes one message of a SEQPACKET socket. With maxFDs 0 it offers no room for descriptors, so that the kernel lets none in.
// EAGAIN: nothing there; io.EOF: the other side is gone. On an error no descriptor stays open.
func receive(fd int, b []byte, maxFDs int) (n int, fds []int, err error) {
	var oob []byte
	if maxFDs > 0 {
		oob = make([]byte, unix.CmsgSpace(4*maxFDs))
	}
	var oobn, flags int
	read := func() (err error) {
		n, oobn, flags, _, err = unix.Recvmsg(fd, b, oob, unix.MSG_CMSG_CLOEXEC|unix.MSG_DONTWAIT)
		return err
	}
	err = retry(read)
	// A reset is told once, even when messages from before are still there. So may an end be, to one who looks while the
	// other side sends its last messages and closes: the kernel looks for messages first and for the end then.
	if err == unix.ECONNRESET || err == nil && n == 0 {
		err = retry(read)
	}
	if err == unix.ECONNRESET || err == unix.EPIPE || err == nil && n == 0 {
		err = io.EOF
	}
	if err != nil {
		return 0, nil, err
	}
	fds, err = rights(oob[:oobn])
	switch {
	case err != nil:
	case flags&unix.MSG_CTRUNC != 0 && maxFDs == 0:
		err = errUnasked
	case flags&unix.MSG_CTRUNC != 0:
		err = errCut
	case flags&unix.MSG_TRUNC != 0:
		err = errTooLong
	}
	if err != nil {
		closeAll(fds)
		return 0, nil, err
	}
	return n, fds, nil
}

// rights takes the descriptors out of a control message.
func rights(oob []byte) (fds []int, err error) {
	if len(oob) == 0 {
		return nil, nil
	}
	messages, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	for _, m := range messages {
		if m.Header.Level != unix.SOL_SOCKET || m.Header.Type != unix.SCM_RIGHTS {
			continue
		}
		got, err := unix.ParseUnixRights(&m)
		if err != nil {
			return fds, err
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

// peer says who is at the other end.
func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}

// duplicate makes descriptors of the same files, CLOEXEC.
func duplicate(fds []int) ([]int, error) {
	var copies []int
	for _, fd := range fds {
		c, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
		if err != nil {
			closeAll(copies)
			return nil, err
		}
		copies = append(copies, c)
	}
	return copies, nil
}

func closeAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
