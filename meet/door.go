package meet

import (
	"errors"
	"io"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// proofLimit is how long a connection may take to prove that it belongs.
	proofLimit = 2 * time.Second
	// maxPending is how many connections may be on their way through the proof, over all doors.
	maxPending = 64
	// pendingGrace is how long a connection is safe from being dropped for a newer one, so that a burst of
	// ranks waits in the listener's queue instead of pushing each other out.
	pendingGrace = 100 * time.Millisecond
)

// door is a listener of rank 0 and the connections that came through it and have not proven themselves.
type door struct {
	fd      int
	leg     leg
	room    int
	waiting []*candidate // oldest first
}

// full says that the next one has to wait, and until when; beyond it the oldest candidate must make room.
func (d *door) full(now time.Time) (full bool, until time.Time) {
	if len(d.waiting) < d.room {
		return false, time.Time{}
	}
	until = d.waiting[0].since.Add(pendingGrace)
	return now.Before(until), until
}

// remove forgets a candidate without closing it.
func (d *door) remove(c *candidate) {
	d.waiting = slices.DeleteFunc(d.waiting, func(w *candidate) bool { return w == c })
}

func (d *door) close() {
	for _, c := range d.waiting {
		closeSocket(c.fd)
	}
	closeSocket(d.fd)
	d.waiting = nil
}

// candidate is a connection that has not yet said a valid hello.
type candidate struct {
	fd     int
	since  time.Time
	pid    int
	prover prover
	proven bool
	rank   int    // the proven one
	got    []byte // TCP: the part of the proof that is here
}

// outcome is what became of a candidate in one turn.
type outcome int

const (
	pending outcome = iota
	refused
	served  // over TCP: it knows the socket's name now
	arrived // over Unix: it said hello
)

// greet begins the proof with a connection that was just accepted; false: a stranger.
func greet(fd int, l leg, secret []byte, m meeting, uid int) (*candidate, bool) {
	c := &candidate{fd: fd, since: time.Now()}
	if l == overUnix {
		pid, peerUID, err := peer(fd)
		if err != nil || peerUID != uid {
			return c, false
		}
		c.pid = pid
	}
	n, err := newNonce()
	if err != nil {
		return c, false
	}
	c.prover = newProver(secret, l, challenge{m, n})
	return c, send(fd, c.prover.challenge.encode(), nil) == nil
}

// step reads what a candidate sent. name is what it learns over TCP.
func (c *candidate) step(name string) (outcome, hello) {
	if c.prover.leg == overTCP {
		return c.stepTCP(name), hello{}
	}
	buf := make([]byte, 512)
	n, _, err := receive(c.fd, buf, 0)
	switch {
	case err == unix.EAGAIN:
		return pending, hello{}
	case err != nil:
		return refused, hello{}
	case !c.proven:
		return c.check(buf[:n], ""), hello{}
	}
	h, err := decodeHello(buf[:n])
	if err != nil || h.rank != c.rank {
		return refused, hello{}
	}
	return arrived, h
}

// check judges a proof and answers it.
func (c *candidate) check(b []byte, name string) outcome {
	r, err := decodeProof(b)
	if err != nil || !c.prover.proven(r) {
		return refused
	}
	if send(c.fd, c.prover.answer(r, name).encode(), nil) != nil {
		return refused
	}
	c.proven, c.rank = true, r.rank
	return pending
}

func (c *candidate) stepTCP(name string) outcome {
	err := readStream(c.fd, &c.got, proofSize)
	switch {
	case err == unix.EAGAIN:
		return pending
	case err != nil:
		return refused
	}
	if c.check(c.got, name) == refused {
		return refused
	}
	return served
}

// readStream fills got up to size from a stream. EAGAIN: more is to come.
func readStream(fd int, got *[]byte, size int) error {
	for len(*got) < size {
		buf := make([]byte, size-len(*got))
		n := 0
		err := retry(func() (err error) {
			n, err = unix.Read(fd, buf)
			return err
		})
		if err != nil {
			return err
		}
		if n == 0 {
			return io.EOF
		}
		*got = append(*got, buf[:n]...)
	}
	return nil
}

// exhausted says whether an error of accept will come again and again.
func exhausted(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOBUFS) || errors.Is(err, unix.ENOMEM)
}
