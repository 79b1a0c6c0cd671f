package meet

import (
	"errors"
	"io"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// root is rank 0 while the others are awaited: one loop over all its descriptors, no goroutine.
type root struct {
	job      Job
	patience *patience
	uid      int
	meeting  meeting
	socket   string // where the Unix door is
	doors    []*door
	roster   *roster
	members  []*member // by rank; nil: not here
}

// newRoot opens rank 0's doors.
func newRoot(job Job, p *patience) (*root, error) {
	n, err := newNonce()
	if err != nil {
		return nil, err
	}
	r := &root{job: job, patience: p, uid: os.Geteuid(), meeting: meeting(n[:16]), roster: newRoster(job.Size, os.Getpid()), members: make([]*member, job.Size)}
	if err := r.open(); err != nil {
		r.closeDoors()
		return nil, err
	}
	return r, nil
}

// host is Join for rank 0.
func host(job Job, p *patience) (*Session, error) {
	r, err := newRoot(job, p)
	if err != nil {
		return nil, err
	}
	if err := r.gather(); err != nil {
		r.fail(err)
		return nil, err
	}
	r.closeDoors() // before anybody can come to the next meeting at this point
	s := newSession(job, p, r.members)
	for _, m := range r.members[1:] {
		if err := send(m.fd, []byte{frameGo}, nil); err != nil {
			err = m.gone("before all had heard that all are there")
			s.end(err)
			return nil, err
		}
	}
	return s, nil
}

// gather takes turns until all are there.
func (r *root) gather() error {
	r.job.Attendance.lacks(r.roster.absent()...)
	for !r.roster.complete() {
		if err := r.turn(); err != nil {
			return err
		}
		if r.patience.over() && !r.roster.complete() {
			return r.roster.late(r.patience.limit)
		}
	}
	return nil
}

// open makes the doors.
func (r *root) open() error {
	if r.job.At.TCP == "" {
		r.socket = r.job.At.Socket
		return r.openDoor(overUnix, maxPending, r.job.At.String(), unix.AF_UNIX, unix.SOCK_SEQPACKET, unixAddress(r.socket))
	}
	at, err := resolve(r.job.At.TCP, r.patience)
	if err != nil {
		return err
	}
	if r.socket, err = randomName(); err != nil {
		return err
	}
	if err := r.openDoor(overUnix, maxPending/2, "@"+r.socket, unix.AF_UNIX, unix.SOCK_SEQPACKET, unixAddress(r.socket)); err != nil {
		return err
	}
	return r.openDoor(overTCP, maxPending/2, r.job.At.TCP, at.family(), unix.SOCK_STREAM, at.sockaddr())
}

// openDoor listens at the meeting point. If somebody else does, it goes there as a rank would: another rank 0 of this job tells us
// that there are two; a stranger makes it an error; and one that is just closing, or a port that is in use for a moment, is waited for.
func (r *root) openDoor(l leg, room int, name string, family, kind int, at unix.Sockaddr) error {
	hungUp := 0
	delay := firstDelay
	for {
		fd, err := listenOn(family, kind, at)
		if err == nil {
			r.doors = append(r.doors, &door{fd: fd, leg: l, room: room})
			return nil
		}
		if !errors.Is(err, unix.EADDRINUSE) {
			return failf(ErrSystem, "rank 0 cannot listen at the meeting point %s: %s", name, explain(err))
		}
		g := &guest{job: r.job, patience: r.patience}
		s, err := g.attempt()
		if s != nil { // somebody let rank 0 in as a guest
			s.Close()
			return failf(ErrRefused, "the meeting point %s is held by a process that takes us for its guest; rank 0 must be the host there", name)
		}
		why, ok := err.(*again)
		switch {
		case !ok:
			return err
		case why.cause == nobody:
			hungUp = 0
		case why.cause == closed:
			hungUp++
		}
		if why.cause == stranger || hungUp > 1 {
			return failf(ErrRefused, "the meeting point %s is held by %s, which is not rank 0 of this job: %s; end it, or meet elsewhere", name, g.holder(), why.text)
		}
		if r.patience.over() {
			return failf(ErrTimeout, "the meeting point %s was in use for all of %v, and nobody answers there: choose another", name, r.patience.limit)
		}
		if err := r.patience.pause(delay); err != nil {
			return err
		}
		delay = longer(delay)
	}
}

// turn waits until something happens and deals with it. Its error ends the meeting.
func (r *root) turn() error {
	now := time.Now()
	until := r.patience.deadline
	sooner := func(t time.Time) {
		if t.Before(until) {
			until = t
		}
	}
	// Members come first: one that left and comes back must be seen leaving first.
	var fds []unix.PollFd
	var react []func() error
	watch := func(fd int, f func() error) {
		fds = append(fds, unix.PollFd{Fd: int32(fd), Events: unix.POLLIN})
		react = append(react, f)
	}
	for _, m := range r.members {
		if m != nil {
			watch(m.fd, func() error { return r.hear(m) })
		}
	}
	for _, d := range r.doors {
		for _, c := range d.waiting {
			sooner(c.since.Add(proofLimit))
			watch(c.fd, func() error { return r.advance(d, c) })
		}
		if full, free := d.full(now); full {
			sooner(free)
		} else {
			watch(d.fd, func() error { return r.welcomeAll(d) })
		}
	}
	if err := r.patience.poll(fds, until); err != nil {
		return err
	}
	for i := range fds {
		if fds[i].Revents != 0 {
			if err := react[i](); err != nil {
				return err
			}
		}
	}
	r.dropSlow()
	return nil
}

// hear reads from a member that should be silent: it leaves, or is gone.
func (r *root) hear(m *member) error {
	err := m.heard()
	switch {
	case err == unix.EAGAIN:
		return nil
	case err != io.EOF:
		return failf(ErrRefused, "rank %d (%s) sent %v: all ranks must load the same libhcomm", m.rank, pidText(m.pid), err)
	}
	return m.gone("while others were still awaited")
}

// welcomeAll accepts connections as long as there is room.
func (r *root) welcomeAll(d *door) error {
	for range maxPending { // and no more in one turn: the ranks that are here have a say too
		if full, _ := d.full(time.Now()); full {
			return nil
		}
		fd, err := accept(d.fd)
		switch {
		case err == unix.EAGAIN:
			return nil
		case exhausted(err):
			return failf(ErrSystem, "rank 0 cannot accept connections at %s: %s", r.job.At, explain(err))
		case err != nil: // it went away again
			r.roster.refused++
			continue
		}
		if len(d.waiting) >= d.room {
			r.drop(d, d.waiting[0])
		}
		c, ok := greet(fd, d.leg, r.job.At.Secret, r.meeting, r.uid)
		d.waiting = append(d.waiting, c)
		if !ok {
			r.drop(d, c)
		}
	}
	return nil
}

// advance takes a candidate on.
func (r *root) advance(d *door, c *candidate) error {
	if !slices.Contains(d.waiting, c) {
		return nil // dropped in this very turn
	}
	what, h := c.step(r.socket)
	switch what {
	case refused:
		r.drop(d, c)
	case served:
		d.remove(c)
		closeSocket(c.fd)
	case arrived:
		if err := r.roster.admit(h, c.pid); err != nil {
			return err // c is told with the others
		}
		r.job.Attendance.lacks(r.roster.absent()...)
		d.remove(c)
		r.members[h.rank] = &member{fd: c.fd, rank: h.rank, pid: c.pid, uid: r.uid}
		r.patience.shorten(h.wait)
		if send(c.fd, []byte{frameWelcome}, nil) != nil {
			return r.members[h.rank].gone("while others were still awaited")
		}
	}
	return nil
}

// drop refuses a stranger.
func (r *root) drop(d *door, c *candidate) {
	r.roster.refused++
	d.remove(c)
	closeSocket(c.fd)
}

// dropSlow refuses those whose time for the proof is over.
func (r *root) dropSlow() {
	for _, d := range r.doors {
		for len(d.waiting) > 0 && time.Since(d.waiting[0].since) >= proofLimit {
			r.drop(d, d.waiting[0])
		}
	}
}

func (r *root) closeDoors() {
	for _, d := range r.doors {
		d.close()
	}
	r.doors = nil
}

// fail ends the meeting and tells everybody who has proven that they belong. Nobody new can come in before the others hear of it.
func (r *root) fail(err error) {
	var proven []*candidate
	for _, d := range r.doors {
		for i := 0; i < len(d.waiting); {
			if c := d.waiting[i]; c.proven && d.leg == overUnix {
				proven = append(proven, c)
				d.remove(c)
			} else {
				i++
			}
		}
	}
	r.closeDoors()
	frame := failFrame(err)
	for _, c := range proven {
		send(c.fd, frame, nil)
		closeSocket(c.fd)
	}
	for _, m := range r.members {
		if m != nil {
			send(m.fd, frame, nil)
			closeSocket(m.fd)
		}
	}
}
