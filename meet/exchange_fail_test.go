package meet

import (
	"errors"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

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
			if len(c.fds) > 1 && !saysWhatIsCutOff(t) {
				t.Skip("this system does not say when descriptors are cut off")
			}
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

// saysWhatIsCutOff says whether the system does when there are more descriptors than the receiver has room for.
func saysWhatIsCutOff(t *testing.T) bool {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	defer unix.Close(pair[1])
	if err := send(pair[0], []byte{1}, []int{1, 1, 1, 1, 1}); err != nil {
		t.Fatal(err)
	}
	oob := make([]byte, unix.CmsgSpace(4))
	_, n, flags, _, err := unix.Recvmsg(pair[1], make([]byte, 1), oob, unix.MSG_CMSG_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	if fds, err := rights(oob[:n]); err == nil {
		closeAll(fds)
	}
	return flags&unix.MSG_CTRUNC != 0
}
