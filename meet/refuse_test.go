package meet

import (
	"crypto/rand"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// nuisance is somebody who comes to a meeting that is not theirs.
type nuisance struct {
	name   string
	count  int
	send   func(i int) []byte // nil: says nothing
	hangUp bool
}

var nuisances = []nuisance{
	{"random bytes", 20, func(i int) []byte {
		b := make([]byte, 1+i*37)
		rand.Read(b)
		return b
	}, false},
	{"port scan", 50, nil, true},
	{"silent", 150, nil, false},
	{"half a proof", 20, func(int) []byte { return []byte(magic) }, true},
	{"a proof of nothing", 20, func(int) []byte { return proof{rank: 1}.encode() }, false},
}

// Strangers neither stop a job from starting nor get anything; they are in the queue before the ranks are.
func TestStrangers(t *testing.T) {
	for _, n := range nuisances {
		t.Run(n.name, func(t *testing.T) {
			onBoth(t, func(t *testing.T, at Point) {
				rs := ranks(at, 3)
				var conns []net.Conn
				defer func() {
					for _, c := range conns {
						c.Close()
					}
				}()
				rs[0].stop = atFirstWait(func() { conns = n.come(t, at) })
				closeSessions(mustJoin(t, rs))
			})
		})
	}
}

func (n nuisance) come(t *testing.T, at Point) (conns []net.Conn) {
	network, address := "unixpacket", "@"+at.Socket
	if at.TCP != "" {
		network, address = "tcp", at.TCP
	}
	for i := range n.count {
		c, err := net.Dial(network, address)
		if err != nil {
			t.Errorf("stranger %d: %v", i, err)
			return conns
		}
		if n.send != nil {
			c.Write(n.send(i)) // fails when we were refused already
		}
		if n.hangUp {
			c.Close()
		} else {
			conns = append(conns, c)
		}
	}
	return conns
}

func TestTimeoutCountsStrangers(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		scan := nuisances[1]
		for _, c := range []struct {
			strangers int
			text      string
		}{{0, "1 of 2 ranks came within 2m0s (HCOMM_INIT_TIMEOUT); missing: rank 1"}, {1, "own?; 1 attempt by strangers refused"}, {3, "own?; 3 attempts by strangers refused"}} {
			scan.count = c.strangers
			r := openRoot(t, ranks(at, 2)[0].job)
			scan.come(t, at)
			for r.roster.refused < c.strangers && !r.patience.over() {
				if err := r.turn(); err != nil {
					t.Fatal(err)
				}
			}
			wantError(t, r.late(t, 2*time.Minute), ErrTimeout, c.text)
		}
	})
}

func TestSlowProofEnds(t *testing.T) {
	noLeak(t)
	r := openRoot(t, ranks(socketPoint(t), 2)[0].job)
	defer r.closeDoors()
	fd := knock(t, r.job.At.Socket)
	defer unix.Close(fd)
	for len(r.doors[0].waiting) == 0 {
		if err := r.turn(); err != nil {
			t.Fatal(err)
		}
	}
	r.doors[0].waiting[0].since = time.Now().Add(-proofLimit) // as if it had come long ago
	if err := r.turn(); err != nil {
		t.Fatal(err)
	}
	if len(r.doors[0].waiting) != 0 || r.roster.refused != 1 {
		t.Errorf("%d wait, %d refused", len(r.doors[0].waiting), r.roster.refused)
	}
}

// Another job at the same point, with another secret: neither disturbs the other.
func TestOtherSecret(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 2)
		zero := rs[0].startOpen()
		other := rs[1]
		other.job.At.Secret = []byte("other")
		err := lostAfterOne(t, other.job)
		wantError(t, err, ErrTimeout, "rank 1: no root of this job at "+at.String()+" within 20s: the meeting point is held by ")
		wantError(t, err, ErrTimeout, "it hung up (is HCOMM_SECRET the same for all ranks?)")
		if at.Socket != "" {
			wantError(t, err, ErrTimeout, fmt.Sprintf("pid %d of uid %d", os.Getpid(), os.Getuid()))
		}

		other = rs[0]
		other.job.At.Secret = []byte("other")
		j := <-other.start()
		wantError(t, j.err, ErrRefused, "the meeting point "+at.String()+" is held by ")
		wantError(t, j.err, ErrRefused, "which is not rank 0 of this job: it hung up; end it, or meet elsewhere")

		one := <-rs[1].start()
		if one.err != nil {
			t.Fatal(one.err)
		}
		one.s.Close()
		(<-zero).s.Close()
	})
}

// lostAfterOne is the error of a rank whose time is over after one attempt.
func lostAfterOne(t *testing.T, job Job) error {
	t.Helper()
	p := newPatience(long, nil)
	g := &guest{job: job, patience: p}
	_, err := g.attempt()
	why, ok := err.(*again)
	if !ok {
		t.Fatalf("after one attempt: %v", err)
	}
	return g.lost(why, g.holder())
}

// Something else listens at the meeting point, and speaks another protocol.
func TestOtherProtocol(t *testing.T) {
	noLeak(t)
	at := tcpPoint(t)
	l, err := net.Listen("tcp", at.TCP)
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan bool)
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			fmt.Fprintf(c, "220 mail.example ESMTP; a greeting that is longer than a challenge of ours is\r\n")
			c.Close()
		}
	}()
	rs := ranks(at, 2)
	j := <-rs[0].start()
	wantError(t, j.err, ErrRefused, "the meeting point "+at.TCP+" is held by another program (`ss -ltnp` shows which), which is not rank 0 of this job: it does not speak this protocol")
	wantError(t, lostAfterOne(t, rs[1].job), ErrTimeout, "it does not speak this protocol")
	l.Close()
	<-served
}

func TestNoRoot(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		r := ranks(at, 4)[3]
		r.timeout = short
		j := <-r.start()
		wantError(t, j.err, ErrTimeout, "rank 3: rank 0 was not at "+at.String()+" within 60ms (HCOMM_INIT_TIMEOUT): is it running, does it meet at the same point, or has it given up already? Its own error says why (last attempt: connection refused)")
	})
}

// The port is in use, but nobody listens: nothing to be told, so rank 0 waits for it.
func TestPortBusy(t *testing.T) {
	noLeak(t)
	at := tcpPoint(t)
	p := newPatience(long, nil)
	e, err := resolve(at.TCP, p)
	if err != nil {
		t.Fatal(err)
	}
	fd, err := newSocket(unix.AF_INET, unix.SOCK_STREAM)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.Bind(fd, e.sockaddr()); err != nil {
		t.Fatal(err)
	}
	rs := ranks(at, 2)
	rs[0].timeout = short
	j := <-rs[0].start()
	wantError(t, j.err, ErrTimeout, "the meeting point "+at.TCP+" was in use for all of 60ms, and nobody answers there: choose another")

	rs[0].timeout = long
	rs[0].stop = atFirstWait(func() { unix.Close(fd) })
	closeSessions(mustJoin(t, rs))
}
