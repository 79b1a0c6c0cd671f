package meet

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// The pause between two attempts to reach the root grows from firstDelay to lastDelay, and adds no more than a quarter to
// the time that the root takes to come.
const (
	firstDelay = 50 * time.Microsecond
	lastDelay  = 50 * time.Millisecond
)

// longer is the pause after this one.
func longer(delay time.Duration) time.Duration { return min(delay+delay/4, lastDelay) }

// guest is a rank that is not 0 (or a rank 0 that found its place taken) on its way to the root.
type guest struct {
	job      Job
	patience *patience
	at       endpoint // where the TCP leg goes; found once

	holderPID, holderUID int // who listens on the Unix socket; uid -1: not known
}

// visit is Join for ranks other than 0.
func visit(job Job, p *patience) (*Session, error) {
	g := &guest{job: job, patience: p}
	delay := firstDelay
	var last *again
	holder := "" // of last
	for {
		job.Attendance.lacks(0)
		s, err := g.attempt()
		why, ok := err.(*again)
		if !ok {
			return s, err
		}
		if last == nil || last.cause <= why.cause { // a bare "nobody there" says less than what was seen before
			last, holder = why, g.holder()
		}
		if p.over() {
			return nil, g.lost(last, holder)
		}
		if err := p.pause(delay); err != nil {
			return nil, err
		}
		delay = longer(delay)
	}
}

// lost is the error of a rank that never got in.
func (g *guest) lost(last *again, holder string) error {
	rank, where, limit := g.job.Rank, g.job.At, g.patience.limit
	if last.cause == nobody {
		return failf(ErrTimeout, "rank %d: rank 0 was not at %s within %v (HCOMM_INIT_TIMEOUT): is it running, does it meet at the same point, or has it given up already? Its own error says why (last attempt: %s)", rank, where, limit, last.text)
	}
	return failf(ErrTimeout, "rank %d: no root of this job at %s within %v: the meeting point is held by %s, which is not rank 0 of this job or does not take us for a rank of it: %s (is HCOMM_SECRET the same for all ranks?)",
		rank, where, limit, holder, last.text)
}

// holder names who listens at the meeting point.
func (g *guest) holder() string {
	if g.holderUID < 0 {
		return "another program (`ss -ltnp` shows which)"
	}
	return fmt.Sprintf("%s of uid %d", pidText(g.holderPID), g.holderUID)
}

// attempt tries once to get in. An *again error means that a later attempt may do better.
func (g *guest) attempt() (*Session, error) {
	g.holderUID = -1
	if g.job.At.Socket != "" {
		return g.enter(g.job.At.Socket, nil)
	}
	if !g.at.at.IsValid() {
		at, err := resolve(g.job.At.TCP, g.patience)
		if err != nil {
			return nil, err
		}
		g.at = at
	}
	name, m, err := g.ask()
	if err != nil {
		return nil, err
	}
	return g.enter(name, &m)
}

// enter goes through the Unix leg: proof, hello, and the wait for the others.
func (g *guest) enter(name string, expected *meeting) (*Session, error) {
	m, err := g.dial(name)
	if err != nil {
		return nil, err
	}
	in := false
	defer func() {
		if !in {
			closeSocket(m.fd)
		}
	}()
	until := time.Now().Add(proofLimit)
	buf := make([]byte, 2+maxNotice)
	n, err := g.await(m, buf, until)
	if err != nil {
		return nil, err
	}
	c, err := decodeChallenge(buf[:n])
	if err != nil {
		return nil, againf(stranger, "it %v", err)
	}
	if expected != nil && c.meeting != *expected {
		return nil, againf(nobody, "the socket belongs to another meeting")
	}
	prover := newProver(g.job.At.Secret, overUnix, c)
	mine, err := prover.prove(g.job.Rank)
	if err != nil {
		return nil, err
	}
	send(m.fd, mine.encode(), nil) // if it fails the next read says why
	if n, err = g.await(m, buf, until); err != nil {
		return nil, err
	}
	a, err := decodeAnswer(buf[:n])
	if err != nil || !prover.answered(mine, a) {
		return nil, againf(stranger, "it %v", errNoProof)
	}
	send(m.fd, hello{protocolVersion, g.job.Rank, g.job.Size, g.patience.wait()}.encode(), nil)
	s, err := g.stay(m, buf)
	in = s != nil
	return s, err
}

// stay waits, after the hello, for the root's word that all are there.
func (g *guest) stay(m *member, buf []byte) (*Session, error) {
	accepted := false
	for {
		n, err := g.await(m, buf, time.Time{})
		why, retry := err.(*again)
		switch {
		case retry && why.cause == closed && accepted:
			return nil, m.gone("while others were still awaited")
		case retry && why.cause == silent:
			send(m.fd, leaveFrame(fmt.Sprintf("it gave up after %v", g.patience.limit)), nil)
			return nil, failf(ErrTimeout, "rank %d: not all of %d ranks came within %v; rank 0 (%s) is at %s and has not said who is missing",
				g.job.Rank, g.job.Size, g.patience.limit, pidText(m.pid), g.job.At)
		case retry:
			return nil, err
		case err != nil:
			send(m.fd, leaveFrame("it was told to stop: "+err.Error()), nil)
			return nil, err
		}
		switch b := buf[:n]; {
		case len(b) == 1 && b[0] == frameWelcome && !accepted:
			accepted = true
			g.job.Attendance.lacks()
		case len(b) == 1 && b[0] == frameGo && accepted:
			members := make([]*member, g.job.Size)
			members[0] = m
			return newSession(g.job, g.patience, members), nil
		default:
			note, err := decodeNotice(b)
			if err != nil {
				return nil, failf(ErrRefused, "rank 0 (%s) sent %v: all ranks must load the same libhcomm", pidText(m.pid), err)
			}
			if note.leave {
				m.departing, m.farewell = true, note.text
				return nil, m.gone("while others were still awaited")
			}
			return nil, told(note)
		}
	}
}

// dial connects to the root's socket and looks at who is there.
func (g *guest) dial(name string) (*member, error) {
	fd, err := newSocket(unix.AF_UNIX, unix.SOCK_SEQPACKET)
	if err != nil {
		return nil, err
	}
	err = retry(func() error { return unix.Connect(fd, unixAddress(name)) })
	if err != nil {
		closeSocket(fd)
		if errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EAGAIN) {
			return nil, againf(nobody, "%v", err)
		}
		return nil, failf(ErrSystem, "rank %d cannot connect to the socket @%s: %s", g.job.Rank, name, explain(err))
	}
	m := &member{fd: fd}
	if m.pid, m.uid, err = peer(fd); err == nil {
		g.holderPID, g.holderUID = m.pid, m.uid
	}
	if own := os.Geteuid(); err != nil || m.uid != own {
		closeSocket(fd)
		return nil, againf(stranger, "all ranks must run as one user, this one is uid %d", own)
	}
	return m, nil
}

// await reads one message. Reaching until is silence.
func (g *guest) await(m *member, buf []byte, until time.Time) (int, error) {
	for {
		n, _, err := receive(m.fd, buf, 0)
		switch {
		case err == nil:
			return n, nil
		case err == io.EOF:
			return 0, againf(closed, "it hung up")
		case err != unix.EAGAIN:
			return 0, againf(stranger, "it sent %v", err)
		}
		if err := g.patience.ready(m.fd, unix.POLLIN, until); err == errOver {
			return 0, g.silence()
		} else if err != nil {
			return 0, err
		}
	}
}

// silence is what a peer has shown that said nothing: if it had the time to, that it is a stranger.
func (g *guest) silence() error {
	if g.patience.over() {
		return againf(silent, "it was silent")
	}
	return againf(stranger, "it was silent for %v", proofLimit)
}
