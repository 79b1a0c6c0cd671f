package meet

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// memfd is a file whose content says whose it is.
func memfd(t testing.TB, text string) int {
	t.Helper()
	fd, err := unix.MemfdCreate("meet-test", unix.MFD_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := unix.Pwrite(fd, []byte(text), 0); err != nil {
		t.Fatal(err)
	}
	return fd
}

// exchangeAll lets all ranks do their part at once.
func exchangeAll(ss []*Session, f func(rank int, s *Session) error) (errs []error) {
	cs := make([]chan error, len(ss))
	for i, s := range ss {
		cs[i] = make(chan error, 1)
		go func() { cs[i] <- f(i, s) }()
	}
	for _, c := range cs {
		errs = append(errs, <-c)
	}
	return errs
}

func TestExchange(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 64} {
		perRank := MaxFDs
		if n == 64 {
			perRank = 1 // 64 ranks in one process hold 64·64 descriptors
		}
		var lim unix.Rlimit
		if unix.Getrlimit(unix.RLIMIT_NOFILE, &lim); lim.Cur < uint64(n*n*perRank+1000) {
			t.Errorf("raise `ulimit -n` from %d for %d ranks", lim.Cur, n)
			continue
		}
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			onBoth(t, func(t *testing.T, at Point) {
				ss := mustJoin(t, ranks(at, n))
				defer closeSessions(ss)
				for round := range 3 {
					for i, err := range exchangeAll(ss, func(rank int, s *Session) error { return exchangeOnce(t, s, rank, n, round, perRank) }) {
						if err != nil {
							t.Fatalf("rank %d, exchange %d: %v", i, round, err)
						}
					}
				}
			})
		})
	}
}

// exchangeOnce does one rank's part and checks what it gets: rank r gives r·64 bytes (at most MaxData) and (r+round) mod (perRank+1) descriptors.
func exchangeOnce(t *testing.T, s *Session, rank, n, round, perRank int) error {
	data := func(r int) []byte { return bytes.Repeat([]byte{byte(r), byte(round)}, min(r*32, MaxData/2)) }
	fds := func(r int) int { return (r + round) % (perRank + 1) }
	var mine []int
	for i := range fds(rank) {
		mine = append(mine, memfd(t, fmt.Sprintf("%d.%d.%d", rank, round, i)))
	}
	defer closeAll(mine)
	cards, err := s.Exchange(data(rank), mine)
	if err != nil {
		return err
	}
	defer func() {
		for _, c := range cards {
			closeAll(c.FDs)
		}
	}()
	if len(cards) != n {
		return fmt.Errorf("%d cards", len(cards))
	}
	for r, c := range cards {
		if !bytes.Equal(c.Data, data(r)) || len(c.FDs) != fds(r) || c.PID != os.Getpid() || c.UID != os.Geteuid() {
			return fmt.Errorf("rank %d's card: %d bytes, descriptors %v, pid %d, uid %d", r, len(c.Data), c.FDs, c.PID, c.UID)
		}
		for i, fd := range c.FDs {
			buf := make([]byte, 32)
			k, err := unix.Pread(fd, buf, 0)
			if want := fmt.Sprintf("%d.%d.%d", r, round, i); err != nil || string(buf[:k]) != want {
				return fmt.Errorf("descriptor %d of rank %d holds %q, %v", i, r, buf[:max(k, 0)], err)
			}
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
				return fmt.Errorf("descriptor %d of rank %d is not CLOEXEC", i, r)
			}
		}
	}
	return nil
}

// Cards that fill the sockets many times over.
func TestExchangeLarge(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 128))
	defer closeSessions(ss)
	data := bytes.Repeat([]byte{7}, MaxData)
	for i, err := range exchangeAll(ss, func(_ int, s *Session) error {
		cards, err := s.Exchange(data, nil)
		for _, c := range cards {
			if !bytes.Equal(c.Data, data) {
				return fmt.Errorf("a card of %d bytes", len(c.Data))
			}
		}
		return err
	}) {
		if err != nil {
			t.Fatalf("rank %d: %v", i, err)
		}
	}
}

func TestExchangeUsage(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 2))
	for _, s := range ss {
		_, err := s.Exchange(make([]byte, MaxData+1), nil)
		wantError(t, err, ErrUsage, "a card of 4097 bytes: at most 4096 fit")
		_, err = s.Exchange(nil, []int{0, 0, 0, 0, 0})
		wantError(t, err, ErrUsage, "a card with 5 descriptors: at most 4 fit")
		_, err = s.Exchange(nil, []int{1 << 20})
		wantError(t, err, ErrUsage, "descriptor 1048576, given with a card, is not open")
	}
	for i, err := range exchangeAll(ss, func(_ int, s *Session) error { _, err := s.Exchange(nil, nil); return err }) {
		if err != nil { // a wrong argument did no harm
			t.Errorf("rank %d: %v", i, err)
		}
	}
	closeSessions(ss)
	_, err := ss[0].Exchange(nil, nil)
	wantError(t, err, ErrUsage, "the session is closed")
	if err := ss[0].Close(); err != nil {
		t.Error(err)
	}
}

// A rank that does not take part is named to the others.
func TestExchangeMissing(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 4)
	ss := mustJoin(t, rs)
	defer closeSessions(ss)
	for _, i := range []int{2, 1} { // rank 1 has no time left, which is enough
		p := newPatience(long, nil)
		if i == 1 {
			p.limit, p.deadline = time.Second, time.Now()
		}
		x := &exchange{Session: ss[i], patience: p}
		x.round = 1
		if err := x.give(ss[i].members[0], nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	text := "exchange 1: the cards of 3 of 4 ranks came within 1s; missing: 3"
	_, err := ss[0].Exchange(nil, nil)
	wantError(t, err, ErrTimeout, text)
	for _, s := range ss[1:3] {
		x := &exchange{Session: s, patience: newPatience(long, nil)}
		_, _, err := x.takeCard(s.members[0], make([]byte, frameSpace))
		wantError(t, err, ErrTimeout, text)
	}
	_, err = ss[3].Exchange(nil, nil)
	wantError(t, err, ErrTimeout, "missing: 3")
	_, err = ss[3].Exchange(nil, nil)
	wantError(t, err, ErrTimeout, "missing: 3") // the session is over for good
}

func TestExchangeWithoutRoot(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 2))
	defer closeSessions(ss)
	ss[1].limit = short
	_, err := ss[1].Exchange(nil, nil)
	wantError(t, err, ErrTimeout, "exchange 1: rank 1 waited 60ms for everyone's cards, and rank 0 ("+self()+") has not said who is missing")
	_, err = ss[0].Exchange(nil, nil)
	wantError(t, err, ErrGone, "rank 1 ("+self()+") left before exchange 1 was complete: exchange 1: rank 1 waited 60ms")
}

// A rank takes no cards: nobody waits for ever for it.
func TestExchangeNotTaken(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 2))
	defer closeSessions(ss)
	ss[0].limit = short
	ss[1].round = 1
	m := ss[1].members[0]
	full := 0
	for ; ; full++ { // cards of rank 0 that nobody reads
		if err := send(ss[0].members[1].fd, make([]byte, 4096), nil); err == unix.EAGAIN {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	x := &exchange{Session: ss[1], patience: newPatience(long, nil)}
	x.round = 1
	if err := x.give(m, nil, nil); err != nil {
		t.Fatal(err)
	}
	_, err := ss[0].Exchange(nil, nil)
	wantError(t, err, ErrTimeout, "exchange 1: rank 1 ("+self()+") did not take its cards within 60ms")
}

func TestExchangeDeath(t *testing.T) {
	for _, when := range []string{"before its card", "after its card"} {
		t.Run(when, func(t *testing.T) {
			noLeak(t)
			ss := mustJoin(t, ranks(socketPoint(t), 4))
			dead := ss[2]
			if when == "after its card" {
				x := &exchange{Session: dead, patience: newPatience(long, nil)}
				x.round = 1
				if err := x.give(dead.members[0], nil, []int{1}); err != nil {
					t.Fatal(err)
				}
			}
			unix.Close(dead.members[0].fd)
			dead.members = nil
			for _, err := range exchangeAll([]*Session{ss[0], ss[1]}, func(_ int, s *Session) error { _, err := s.Exchange(nil, nil); return err }) {
				wantError(t, err, ErrGone, "rank 2 ("+self()+") died or was cut off before exchange 1 was complete")
			}
			closeSessions(ss)
		})
	}
}

func TestExchangeAfterClose(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 3))
	ss[2].Close()
	for _, err := range exchangeAll(ss[:2], func(_ int, s *Session) error { _, err := s.Exchange(nil, nil); return err }) {
		wantError(t, err, ErrGone, "rank 2 ("+self()+") left before exchange 1 was complete")
	}
	closeSessions(ss)

	ss = mustJoin(t, ranks(socketPoint(t), 2))
	ss[0].Close()
	_, err := ss[1].Exchange(nil, nil)
	wantError(t, err, ErrGone, "rank 0 ("+self()+") left before exchange 1 was complete")
	ss[1].Close()
}

// A root that has given all cards and closes at once takes nothing from those who read them later.
func TestRootClosesFirst(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 2))
	x := &exchange{Session: ss[1], patience: newPatience(long, nil), cards: make([]Card, 2)}
	x.round = 1
	if err := x.give(ss[1].members[0], []byte("one"), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := ss[0].Exchange([]byte("zero"), nil); err != nil {
		t.Fatal(err)
	}
	if err := send(ss[1].members[0].fd, []byte("never read"), nil); err != nil { // makes the kernel say "connection reset"
		t.Fatal(err)
	}
	ss[0].Close()
	buf := make([]byte, frameSpace)
	for _, want := range []string{"zero", "one"} {
		c, _, err := x.takeCard(ss[1].members[0], buf)
		if err != nil || string(c.data) != want {
			t.Errorf("card %q, %v; want %q", c.data, err, want)
		}
	}
	ss[1].Close()
}

func TestExchangeStop(t *testing.T) {
	noLeak(t)
	enough := errors.New("enough")
	for _, who := range []int{0, 1} {
		rs := ranks(socketPoint(t), 3)
		calls := 0
		ss := mustJoin(t, rs)
		ss[who].stop = func() error {
			if calls++; calls > 2 {
				return enough
			}
			return nil
		}
		errs := exchangeAll(ss[:2], func(_ int, s *Session) error { _, err := s.Exchange(nil, nil); return err })
		if errs[who] != enough {
			t.Errorf("rank %d: %v", who, errs[who])
		}
		wantError(t, errs[1-who], ErrGone, "enough")
		closeSessions(ss)
	}
}

func TestCloseEndsExchange(t *testing.T) {
	noLeak(t)
	ss := mustJoin(t, ranks(socketPoint(t), 2))
	for _, s := range ss {
		waiting := make(chan bool)
		s.stop = atFirstWait(func() { close(waiting) })
		failed := make(chan error)
		go func() {
			_, err := s.Exchange(nil, nil)
			failed <- err
		}()
		<-waiting
		began := time.Now()
		s.Close()
		err := <-failed
		if took := time.Since(began); took > long/2 {
			t.Errorf("took %v", took)
		}
		if s == ss[0] {
			wantError(t, err, ErrUsage, "the session was closed while an exchange was under way")
			break // the other session's peer is gone now
		}
	}
	closeSessions(ss)
}

func TestBrokenCards(t *testing.T) {
	good := card{round: 1, rank: 1, wait: wait{long, long}}
	for _, c := range []struct {
		name string
		b    []byte
		fds  []int
		kind error
		text string
	}{
		{"another rank's", card{round: 1, rank: 0, wait: good.wait}.encode(), nil, ErrRefused, "gave a card of rank 0"},
		{"another round's", card{round: 2, rank: 1, wait: good.wait}.encode(), nil, ErrDisagree, "rank 1 (" + self() + ") is in exchange 2, rank 0 in exchange 1"},
		{"more descriptors than said", good.encode(), []int{1}, ErrRefused, "sent a frame that does not belong in a meeting"},
		{"too many descriptors", good.encode(), []int{1, 1, 1, 1, 1}, ErrSystem, "descriptors were cut off"},
		{"too long", make([]byte, frameSpace+1), nil, ErrRefused, "sent a message that is too long"},
		{"no card", []byte("?"), nil, ErrRefused, "sent a frame that does not belong in a meeting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			noLeak(t)
			ss := mustJoin(t, ranks(socketPoint(t), 2))
			if err := send(ss[1].members[0].fd, c.b, c.fds); err != nil {
				t.Fatal(err)
			}
			_, err := ss[0].Exchange(nil, nil)
			wantError(t, err, c.kind, c.text)
			closeSessions(ss)
		})
	}
}
