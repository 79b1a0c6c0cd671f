package meet

import (
	"io"
	"time"

	"golang.org/x/sys/unix"
)

// ask goes through the TCP leg: connect, prove, learn the socket's name and the meeting's number.
func (g *guest) ask() (name string, m meeting, err error) {
	until := time.Now().Add(proofLimit)
	fd, err := g.call(until)
	if err != nil {
		return "", m, err
	}
	defer closeSocket(fd)
	b, err := g.awaitStream(fd, challengeSize, until)
	if err != nil {
		return "", m, err
	}
	c, err := decodeChallenge(b)
	if err != nil {
		return "", m, againf(stranger, "it %v", err)
	}
	prover := newProver(g.job.At.Secret, overTCP, c)
	mine, err := prover.prove(g.job.Rank)
	if err != nil {
		return "", m, err
	}
	send(fd, mine.encode(), nil) // if it fails the next read says why
	if b, err = g.awaitStream(fd, answerSize, until); err != nil {
		return "", m, err
	}
	a, err := decodeAnswer(b)
	if err != nil || !prover.answered(mine, a) {
		return "", m, againf(stranger, "it %v", errNoProof)
	}
	return a.name, c.meeting, nil
}

// call connects to the root's TCP port.
func (g *guest) call(until time.Time) (int, error) {
	fd, err := newSocket(g.at.family(), unix.SOCK_STREAM)
	if err != nil {
		return -1, err
	}
	err = unix.Connect(fd, g.at.sockaddr())
	if err == unix.EINPROGRESS || err == unix.EINTR {
		if err = g.patience.ready(fd, unix.POLLOUT, until); err == errOver {
			err = unix.ETIMEDOUT
		} else if err == nil {
			var code int
			if code, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_ERROR); err == nil && code != 0 {
				err = unix.Errno(code)
			}
		}
	}
	if err == nil && !connectedToItself(fd) {
		return fd, nil
	}
	closeSocket(fd)
	switch err := err.(type) {
	case nil:
		return -1, againf(nobody, "%v", unix.ECONNREFUSED)
	case unix.Errno:
		return -1, againf(nobody, "%v", err)
	default: // told to stop
		return -1, err
	}
}

// connectedToItself sees what TCP allows: a connection to a free port of this host whose own port, chosen by the kernel, is that very port.
func connectedToItself(fd int) bool {
	own, err := unix.Getsockname(fd)
	if err != nil {
		return false
	}
	far, err := unix.Getpeername(fd)
	if err != nil {
		return false
	}
	switch own := own.(type) {
	case *unix.SockaddrInet4:
		far, ok := far.(*unix.SockaddrInet4)
		return ok && own.Port == far.Port && own.Addr == far.Addr
	case *unix.SockaddrInet6:
		far, ok := far.(*unix.SockaddrInet6)
		return ok && own.Port == far.Port && own.Addr == far.Addr
	}
	return false
}

// awaitStream reads exactly size bytes.
func (g *guest) awaitStream(fd, size int, until time.Time) ([]byte, error) {
	var got []byte
	for {
		err := readStream(fd, &got, size)
		switch {
		case err == nil:
			return got, nil
		case err == io.EOF || err == unix.ECONNRESET:
			return nil, againf(closed, "it hung up")
		case err != unix.EAGAIN:
			return nil, againf(nobody, "%v", err)
		}
		if err := g.patience.ready(fd, unix.POLLIN, until); err == errOver {
			return nil, g.silence()
		} else if err != nil {
			return nil, err
		}
	}
}
