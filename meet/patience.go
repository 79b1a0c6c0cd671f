package meet

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// pollSlice is how often a waiting rank asks whether it shall stop.
const pollSlice = 10 * time.Millisecond

// errOver says that a wait reached its end; who waited makes the sentence.
var errOver = errors.New("time is over")

// patience is how long a rank waits, and who can end the wait. Every wait of the package goes through it.
type patience struct {
	total    time.Duration // what the caller gave
	limit    time.Duration // total, or that of a rank that has less
	deadline time.Time
	stop     func() error // may be nil
}

func newPatience(limit time.Duration, stop func() error) *patience {
	return &patience{limit, limit, time.Now().Add(limit), stop}
}

// over says whether the time is over.
func (p *patience) over() bool { return !time.Now().Before(p.deadline) }

// wait is what a rank tells about its patience.
func (p *patience) wait() wait {
	return wait{p.limit, min(max(time.Until(p.deadline), 0), p.limit)}
}

// shorten adopts the patience of a rank that has less: if it gives up the others fail too, and this way everyone hears what
// rank 0 knows. The margin lets the text arrive before that rank's own time is over.
func (p *patience) shorten(w wait) {
	margin := min(w.left/10, 100*time.Millisecond)
	if end := time.Now().Add(w.left - margin); end.Before(p.deadline) {
		p.deadline, p.limit = end, w.limit
	}
}

// poll waits until a descriptor is ready, until is reached (zero: the deadline), or stop has an error, which it returns.
func (p *patience) poll(fds []unix.PollFd, until time.Time) error {
	for {
		end := until
		if end.IsZero() || end.After(p.deadline) {
			end = p.deadline
		}
		if p.stop != nil {
			if err := p.stop(); err != nil {
				return err
			}
		}
		left := max(time.Until(end), 0)
		if p.stop != nil {
			left = min(left, pollSlice)
		}
		timeout := unix.NsecToTimespec(int64(min(left, time.Minute)))
		n, err := unix.Ppoll(fds, &timeout, nil)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return failf(ErrSystem, "poll of %d descriptors: %v", len(fds), err)
		case n > 0 || !time.Now().Before(end):
			return nil
		}
	}
}

// ready waits for one descriptor. Reaching until is errOver.
func (p *patience) ready(fd int, events int16, until time.Time) error {
	fds := []unix.PollFd{{Fd: int32(fd), Events: events}}
	if err := p.poll(fds, until); err != nil {
		return err
	}
	if fds[0].Revents == 0 {
		return errOver
	}
	return nil
}

// pause waits for d.
func (p *patience) pause(d time.Duration) error {
	return p.poll(nil, time.Now().Add(d))
}
