package meet

import (
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// long is a time that no test reaches unless something hangs; short is one that tests wait for.
const (
	long  = 20 * time.Second
	short = 60 * time.Millisecond
)

func TestMain(m *testing.M) {
	if what := os.Getenv("MEET_TEST_CHILD"); what != "" {
		os.Exit(child(what))
	}
	if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil { // the runtime's own descriptors are there from now on
		l.Close()
	}
	os.Exit(m.Run())
}

// noLeak lets the test fail if descriptors or goroutines are left.
func noLeak(t testing.TB) {
	before, goroutines := openFDs(t), runtime.NumGoroutine()
	t.Cleanup(func() {
		if t.Failed() {
			return
		}
		if after := openFDs(t); len(after) != len(before) {
			t.Errorf("descriptors: %d before, %d after: %v", len(before), len(after), after)
		}
		for end := time.Now().Add(time.Second); runtime.NumGoroutine() > goroutines; { // those of the test itself may be on their last instruction
			if time.Now().After(end) {
				t.Fatalf("goroutines: %d before, %d after", goroutines, runtime.NumGoroutine())
			}
			runtime.Gosched()
		}
	})
}

func openFDs(t testing.TB) (fds []string) {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		to, _ := os.Readlink("/proc/self/fd/" + e.Name())
		fds = append(fds, e.Name()+"="+to)
	}
	return fds
}

var points atomic.Int32

// socketPoint is a fresh meeting point on an abstract socket.
func socketPoint(t testing.TB) Point {
	name, err := randomName()
	if err != nil {
		t.Fatal(err)
	}
	return Point{Socket: name, Secret: []byte("s3cret")}
}

// tcpPoint is a fresh meeting point on TCP: the loopback network has addresses enough for each test to have its own.
func tcpPoint(testing.TB) Point {
	n, pid := points.Add(1), os.Getpid()
	return Point{TCP: fmt.Sprintf("127.%d.%d.%d:29555", 1+pid%250, 1+pid/250%250, 1+n%250), Secret: []byte("s3cret")}
}

var bothPoints = map[string]func(testing.TB) Point{"socket": socketPoint, "tcp": tcpPoint}

// onBoth runs the test at either kind of meeting point.
func onBoth(t *testing.T, f func(*testing.T, Point)) {
	for name, point := range bothPoints {
		t.Run(name, func(t *testing.T) {
			noLeak(t)
			f(t, point(t))
		})
	}
}

// rank is one rank of a test, in a goroutine.
type rank struct {
	job     Job
	timeout time.Duration
	stop    func() error
}

type joined struct {
	s   *Session
	err error
}

// ranks are all ranks of a job.
func ranks(at Point, size int) (rs []rank) {
	for r := range size {
		rs = append(rs, rank{Job{Rank: r, Size: size, At: at}, long, nil})
	}
	return rs
}

// start begins the join of one rank.
func (r rank) start() <-chan joined {
	c := make(chan joined, 1)
	go func() {
		s, err := Join(r.job, r.timeout, r.stop)
		c <- joined{s, err}
	}()
	return c
}

// join lets all ranks join at once.
func join(rs []rank) []joined {
	var cs []<-chan joined
	for _, r := range rs {
		cs = append(cs, r.start())
	}
	js := make([]joined, len(rs))
	for i, c := range cs {
		js[i] = <-c
	}
	return js
}

// mustJoin is join of ranks that must succeed.
func mustJoin(t testing.TB, rs []rank) []*Session {
	t.Helper()
	var ss []*Session
	for i, j := range join(rs) {
		if j.err != nil {
			t.Fatalf("rank %d: %v", i, j.err)
		}
		ss = append(ss, j.s)
	}
	return ss
}

func closeSessions(ss []*Session) {
	for _, s := range ss {
		if s != nil {
			s.Close()
		}
	}
}

// startOpen starts a rank 0 and returns when it listens.
func (r rank) startOpen() <-chan joined {
	open := make(chan bool)
	r.stop = atFirstWait(func() { close(open) })
	c := r.start()
	<-open
	return c
}

// atFirstWait is a stop function that does something once, when its rank first waits: rank 0 is then listening, another rank has
// found no root, or is in.
func atFirstWait(f func()) func() error {
	var once sync.Once
	return func() error {
		once.Do(f)
		return nil
	}
}

// wantError checks kind and text.
func wantError(t testing.TB, err, kind error, text string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %q", text)
	}
	if !errors.Is(err, kind) {
		t.Errorf("error %q is not %q", err, kind)
	}
	if !strings.Contains(err.Error(), text) {
		t.Errorf("error %q does not say %q", err, text)
	}
}

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
