package meet

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Exchange is an all-gather of cards: every rank gives data (at most [MaxData] bytes) and at most [MaxFDs] descriptors, and gets
// everyone's, by rank. All ranks call it alike, any number of times until Close. Descriptors given stay the caller's; those received
// are the caller's to close, CLOEXEC. A wrong argument leaves the session usable; any other error ends it on all ranks.
// Cost: each card goes to rank 0 and from there to every rank, 2 µs or so for each of the Size² deliveries.
func (s *Session) Exchange(data []byte, fds []int) ([]Card, error) {
	if err := checkCard(data, fds); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return nil, s.err
	}
	s.round++
	x := &exchange{Session: s, patience: newPatience(s.limit, s.stopped), cards: make([]Card, s.job.Size)}
	var err error
	if s.job.Rank == 0 {
		err = x.lead(data, fds)
	} else {
		err = x.follow(data, fds)
	}
	if err != nil {
		for _, c := range x.cards {
			closeAll(c.FDs)
		}
		s.end(err)
		return nil, err
	}
	return x.cards, nil
}

func checkCard(data []byte, fds []int) error {
	if len(data) > MaxData {
		return failf(ErrUsage, "a card of %d bytes: at most %d fit", len(data), MaxData)
	}
	if len(fds) > MaxFDs {
		return failf(ErrUsage, "a card with %d descriptors: at most %d fit", len(fds), MaxFDs)
	}
	for _, fd := range fds {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil {
			return failf(ErrUsage, "descriptor %d, given with a card, is not open", fd)
		}
	}
	return nil
}

// exchange is one round of cards.
type exchange struct {
	*Session
	patience *patience
	cards    []Card
}

// lead is rank 0's part: take everyone's card, then give all to everyone.
func (x *exchange) lead(data []byte, fds []int) error {
	own, err := duplicate(fds)
	if err != nil {
		return failf(ErrSystem, "exchange %d: rank 0 cannot duplicate its descriptors: %s", x.round, explain(err))
	}
	x.cards[0] = Card{bytes.Clone(data), own, os.Getpid(), os.Geteuid()}
	here := make([]bool, x.job.Size)
	here[0] = true
	for came := 1; came < x.job.Size; {
		n, err := x.collect(here)
		if err != nil {
			return err
		}
		if came += n; came < x.job.Size && x.patience.over() {
			return failf(ErrTimeout, "exchange %d: the cards of %d of %s came within %v; missing: %s",
				x.round, came, counted(x.job.Size, "rank"), x.patience.limit, missing(here))
		}
	}
	return x.distribute()
}

// collect waits for something to happen and takes the cards that are there. Those who have given theirs must stay.
func (x *exchange) collect(here []bool) (n int, err error) {
	fds := make([]unix.PollFd, 0, len(here))
	for rank, m := range x.members[1:] {
		events := int16(unix.POLLIN)
		if here[rank+1] {
			events = 0 // only whether it hung up
		}
		fds = append(fds, unix.PollFd{Fd: int32(m.fd), Events: events})
	}
	if err := x.patience.poll(fds, time.Time{}); err != nil {
		return 0, err
	}
	buf := make([]byte, frameSpace)
	for i, f := range fds {
		rank := i + 1
		switch m := x.members[rank]; {
		case f.Revents == 0:
		case here[rank]:
			return n, x.gone(m)
		default:
			c, got, err := x.takeCard(m, buf)
			if err == unix.EAGAIN {
				continue
			}
			if err != nil {
				return n, err
			}
			x.cards[rank] = Card{bytes.Clone(c.data), got, m.pid, m.uid}
			if c.rank != rank {
				return n, failf(ErrRefused, "exchange %d: rank %d (%s) gave a card of rank %d", x.round, rank, pidText(m.pid), c.rank)
			}
			x.patience.shorten(c.wait)
			here[rank] = true
			n++
		}
	}
	return n, nil
}

// takeCard reads a card of this round from a member. On an error no descriptor stays open.
func (x *exchange) takeCard(m *member, buf []byte) (c card, fds []int, err error) {
	n, fds, err := receive(m.fd, buf, MaxFDs)
	switch {
	case err == unix.EAGAIN:
		return c, nil, err
	case err == io.EOF:
		return c, nil, x.gone(m)
	case errors.Is(err, errCut):
		return c, nil, failf(ErrSystem, "exchange %d: the descriptors of a card did not all arrive at rank %d: %s", x.round, x.job.Rank, explain(err))
	case err != nil:
		return c, nil, x.broken(m, err)
	}
	if note, err := decodeNotice(buf[:n]); err == nil {
		closeAll(fds)
		if !note.leave {
			return c, nil, told(note)
		}
		m.departing, m.farewell = true, note.text
		return c, nil, x.gone(m)
	}
	if c, err = decodeCard(buf[:n]); err == nil && c.fds != len(fds) {
		err = errBadFrame
	}
	if err == nil && c.round != x.round {
		err = failf(ErrDisagree, "rank %d (%s) is in exchange %d, rank %d in exchange %d", m.rank, pidText(m.pid), c.round, x.job.Rank, x.round)
	}
	if err == nil {
		return c, fds, nil
	}
	closeAll(fds)
	if errors.Is(err, ErrDisagree) {
		return c, nil, err
	}
	return c, nil, x.broken(m, err)
}

func (x *exchange) gone(m *member) error {
	return m.gone(fmt.Sprintf("before exchange %d was complete", x.round))
}

func (x *exchange) broken(m *member, err error) error {
	return failf(ErrRefused, "exchange %d: rank %d (%s) sent %v: all ranks must load the same libhcomm", x.round, m.rank, pidText(m.pid), err)
}

// frame makes the message for one rank's card.
func (x *exchange) frame(rank int, c Card) []byte {
	return card{round: x.round, rank: rank, pid: c.PID, uid: c.UID, fds: len(c.FDs), wait: x.patience.wait(), data: c.Data}.encode()
}

// distribute gives all cards to every member. A member that takes them slowly holds up nobody else.
func (x *exchange) distribute() error {
	frames := make([][]byte, len(x.cards))
	for rank, c := range x.cards {
		frames[rank] = x.frame(rank, c)
	}
	next := make([]int, x.job.Size) // by member: the card to send next
	for {
		var blocked []unix.PollFd
		crowded := false // too many descriptors are under way: others must take theirs first
		slow := -1
		for rank, m := range x.members {
			if m == nil {
				continue
			}
			for next[rank] < len(frames) {
				err := send(m.fd, frames[next[rank]], x.cards[next[rank]].FDs)
				if err == nil {
					next[rank]++
					continue
				}
				switch {
				case err == unix.EAGAIN:
					blocked = append(blocked, unix.PollFd{Fd: int32(m.fd), Events: unix.POLLOUT})
				case err == unix.ETOOMANYREFS || err == unix.ENOBUFS || err == unix.ENOMEM:
					crowded = true
				case err == unix.EPIPE || err == unix.ECONNRESET:
					return x.gone(m)
				default:
					return failf(ErrSystem, "exchange %d: rank 0 cannot send a card to rank %d: %s", x.round, rank, explain(err))
				}
				slow = rank
				if x.patience.over() {
					return x.stuck(rank, err)
				}
				break
			}
		}
		var err error
		switch {
		case slow < 0:
			return nil
		case crowded:
			err = x.patience.pause(crowdedDelay)
		default:
			err = x.patience.poll(blocked, time.Time{})
		}
		if err != nil {
			return err
		}
	}
}

// crowdedDelay is how long a rank waits until others have taken their descriptors.
const crowdedDelay = time.Millisecond

// stuck is the error when a card could not be sent until the time was over.
func (x *exchange) stuck(rank int, err error) error {
	if err != unix.EAGAIN {
		return failf(ErrTimeout, "exchange %d: no card could be sent to rank %d within %v: %s", x.round, rank, x.patience.limit, explain(err))
	}
	return failf(ErrTimeout, "exchange %d: rank %d (%s) did not take its cards within %v", x.round, rank, pidText(x.members[rank].pid), x.patience.limit)
}

// follow is the part of ranks other than 0: give one card, take all.
func (x *exchange) follow(data []byte, fds []int) error {
	root := x.members[0]
	if err := x.give(root, data, fds); err != nil {
		return err
	}
	buf := make([]byte, frameSpace)
	for rank := 0; rank < x.job.Size; {
		c, got, err := x.takeCard(root, buf)
		if err == unix.EAGAIN {
			if err = x.patience.ready(root.fd, unix.POLLIN, time.Time{}); err == errOver {
				err = failf(ErrTimeout, "exchange %d: rank %d waited %v for everyone's cards, and rank 0 (%s) has not said who is missing",
					x.round, x.job.Rank, x.patience.limit, pidText(root.pid))
			}
			if err != nil {
				return err
			}
			continue
		}
		if err != nil {
			return err
		}
		x.cards[rank] = Card{bytes.Clone(c.data), got, c.pid, c.uid}
		if c.rank != rank {
			return x.broken(root, errBadFrame)
		}
		rank++
	}
	return nil
}

// give sends this rank's card to the root.
func (x *exchange) give(root *member, data []byte, fds []int) error {
	frame := x.frame(x.job.Rank, Card{Data: data, FDs: fds})
	for {
		err := send(root.fd, frame, fds)
		switch {
		case err == nil || err == unix.EPIPE || err == unix.ECONNRESET: // the next read says why
			return nil
		case x.patience.over():
			return failf(ErrTimeout, "exchange %d: rank %d could not send its card within %v: %s", x.round, x.job.Rank, x.patience.limit, explain(err))
		case err == unix.EAGAIN:
			err = x.patience.ready(root.fd, unix.POLLOUT, time.Time{})
		case err == unix.ETOOMANYREFS || err == unix.ENOBUFS || err == unix.ENOMEM:
			err = x.patience.pause(crowdedDelay)
		default:
			return failf(ErrSystem, "exchange %d: rank %d cannot send its card: %s", x.round, x.job.Rank, explain(err))
		}
		if err != nil && err != errOver {
			return err
		}
	}
}
