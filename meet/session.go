package meet

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Session is a job whose ranks have met. It may be used by several goroutines, one exchange at a time.
type Session struct {
	job     Job
	limit   time.Duration
	stop    func() error
	closing atomic.Bool

	mu      sync.Mutex
	members []*member // by rank: for rank 0 all others, for the others only rank 0; nil elsewhere
	round   uint32
	err     error // why no exchange is possible any more
}

// Card is what one rank gave in an exchange.
type Card struct {
	// Data is the receiver's own copy.
	Data []byte
	// FDs are the receiver's to close, CLOEXEC; also its own card's, which are duplicates of those it gave.
	FDs []int
	// PID and UID are who gave the card, as the kernel told rank 0; PID is 0 when the process is in a pid namespace that rank 0 cannot see.
	PID, UID int
}

// Join meets the other ranks and returns when all Size ranks are there, or with an error within timeout.
//
// A rank's stop (may be nil) is asked at least every 20 ms; a non-nil error ends the wait with it. It and timeout hold for each
// [Session.Exchange] too. One rank's failure is everyone's: nobody returns a session when somebody is missing.
// A job of one rank opens no socket. Cost: about a millisecond for 8 ranks that come together.
func Join(job Job, timeout time.Duration, stop func() error) (*Session, error) {
	if timeout <= 0 {
		return nil, failf(ErrUsage, "the time to meet is %v; it must be more than 0", timeout)
	}
	if err := job.check(); err != nil {
		return nil, err
	}
	job.At.Secret = slices.Clone(job.At.Secret)
	p := newPatience(timeout, stop)
	switch {
	case job.Size == 1:
		return newSession(job, p, nil), nil
	case job.Rank == 0:
		return host(job, p)
	}
	return visit(job, p)
}

func newSession(job Job, p *patience, members []*member) *Session {
	job.Attendance.complete()
	return &Session{job: job, limit: p.total, stop: p.stop, members: members}
}

// stopped is the stop function of an exchange.
func (s *Session) stopped() error {
	if s.closing.Load() {
		return failf(ErrUsage, "the session was closed while an exchange was under way")
	}
	if s.stop != nil {
		return s.stop()
	}
	return nil
}

// end makes err the session's last word and tells the others.
func (s *Session) end(err error) {
	if s.err != nil {
		return
	}
	s.err = err
	frame := leaveFrame(err.Error())
	if s.job.Rank == 0 {
		frame = failFrame(err)
	}
	s.hangUp(frame)
}

func (s *Session) hangUp(frame []byte) {
	for _, m := range s.members {
		if m != nil {
			send(m.fd, frame, nil) // whether it arrives is not for us to know
			closeSocket(m.fd)
		}
	}
	s.members = nil
}

// Close leaves the session. An exchange that is under way in another goroutine ends with an error. The others' next exchange does too.
// Close may be called again.
func (s *Session) Close() error {
	s.closing.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = failf(ErrUsage, "the session is closed")
		s.hangUp(leaveFrame(""))
	}
	return nil
}
