package meet

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// knock connects to a Unix socket as a stranger would.
func knock(t testing.TB, name string) int {
	t.Helper()
	fd, err := newSocket(unix.AF_UNIX, unix.SOCK_SEQPACKET)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Connect(fd, unixAddress(name)); err != nil {
		unix.Close(fd)
		t.Fatalf("connect to @%s: %v", name, err)
	}
	return fd
}

// read takes the next message from a socket, waiting for it.
func read(t testing.TB, fd int) ([]byte, error) {
	t.Helper()
	p := newPatience(long, nil)
	buf := make([]byte, 8192)
	for {
		n, _, err := receive(fd, buf, 0)
		if err != unix.EAGAIN {
			return buf[:n], err
		}
		if err := p.ready(fd, unix.POLLIN, time.Time{}); err != nil {
			t.Fatal(err)
		}
	}
}

// byHand goes through the proof as the given rank of a job at a Unix socket.
func byHand(t testing.TB, job Job) int {
	t.Helper()
	fd := knock(t, job.At.Socket)
	b, err := read(t, fd)
	if err != nil {
		t.Fatal(err)
	}
	c, err := decodeChallenge(b)
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(job.At.Secret, overUnix, c)
	mine, err := p.prove(job.Rank)
	if err != nil {
		t.Fatal(err)
	}
	if err := send(fd, mine.encode(), nil); err != nil {
		t.Fatal(err)
	}
	if b, err = read(t, fd); err != nil {
		t.Fatal(err)
	}
	if a, err := decodeAnswer(b); err != nil || !p.answered(mine, a) {
		t.Fatalf("answer: %v", err)
	}
	return fd
}

// patient is the wait of a rank that has time.
var patient = wait{long, long}

// greeted is byHand and the hello.
func greeted(t testing.TB, job Job, w wait) int {
	t.Helper()
	fd := byHand(t, job)
	if err := send(fd, hello{protocolVersion, job.Rank, job.Size, w}.encode(), nil); err != nil {
		t.Fatal(err)
	}
	return fd
}

// wantWelcome reads the word that the hello was accepted.
func wantWelcome(t testing.TB, fd int) {
	t.Helper()
	if b, err := read(t, fd); err != nil || string(b) != string(rune(frameWelcome)) {
		t.Fatalf("read %q, %v; want a welcome", b, err)
	}
}

// wantNotice reads the end of the meeting.
func wantNotice(t testing.TB, fd int, frame byte, kind error, text string) {
	t.Helper()
	b, err := read(t, fd)
	if err != nil {
		t.Fatal(err)
	}
	n, err := decodeNotice(b)
	if err != nil || b[0] != frame {
		t.Fatalf("read %q, %v", b, err)
	}
	wantError(t, told(n), kind, text)
}

// steppedRoot is a rank 0 whose turns the test takes.
type steppedRoot struct{ *root }

func openRoot(t testing.TB, job Job) steppedRoot {
	t.Helper()
	r, err := newRoot(job, newPatience(long, nil))
	if err != nil {
		t.Fatal(err)
	}
	return steppedRoot{r}
}

// await takes turns until the rank is in.
func (r steppedRoot) await(t testing.TB, rank int) {
	t.Helper()
	for r.members[rank] == nil {
		if err := r.turn(); err != nil {
			t.Fatal(err)
		}
		if r.patience.over() {
			t.Fatalf("rank %d does not come", rank)
		}
	}
}

// late makes the time be over.
func (r steppedRoot) late(t testing.TB, limit time.Duration) error {
	t.Helper()
	r.patience.limit, r.patience.deadline = limit, time.Now()
	err := r.gather()
	r.fail(err)
	return err
}

// failure takes turns until one fails.
func (r steppedRoot) failure(t testing.TB) error {
	t.Helper()
	for {
		if err := r.turn(); err != nil {
			return err
		}
		if r.patience.over() {
			t.Fatal("nothing fails")
		}
	}
}
