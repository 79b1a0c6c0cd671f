package meet

import (
	"bytes"
	"fmt"
	"os"
	"testing"

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
