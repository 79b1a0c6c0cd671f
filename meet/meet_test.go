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
	return Point{TCP: fmt.Sprintf("127.%d.%d.%d:%d", 1+pid%250, 1+pid/250%250, 1+n%250, 10000+n/250), Secret: []byte("s3cret")}
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
