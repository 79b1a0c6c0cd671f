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

func TestJoin(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		for _, secret := range []string{"", "s3cret"} {
			for _, n := range []int{1, 2, 3, 8, 64} {
				at.Secret = []byte(secret)
				ss := mustJoin(t, ranks(at, n))
				closeSessions(ss)
			}
		}
	})
}

func TestOneRankOpensNothing(t *testing.T) {
	before := openFDs(t)
	s, err := Join(Job{Rank: 0, Size: 1}, long, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if after := openFDs(t); len(after) != len(before) {
		t.Errorf("descriptors: %v, then %v", before, after)
	}
}

func TestRootLate(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 2)
		waiting := make(chan bool)
		calls := 0
		rs[1].stop = func() error {
			if calls++; calls == 3 {
				close(waiting)
			}
			return nil
		}
		one := rs[1].start()
		<-waiting
		zero := rs[0].start()
		for _, c := range []<-chan joined{zero, one} {
			j := <-c
			if j.err != nil {
				t.Fatal(j.err)
			}
			defer j.s.Close()
		}
	})
}

func TestRankLate(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 3)
		waiting := make(chan bool)
		rs[0].stop = atFirstWait(func() { close(waiting) })
		zero, one := rs[0].start(), rs[1].start()
		<-waiting
		two := rs[2].start()
		for _, c := range []<-chan joined{zero, one, two} {
			j := <-c
			if j.err != nil {
				t.Fatal(j.err)
			}
			defer j.s.Close()
		}
	})
}

// Meetings one after another at one point: no rank may reach an old listener, or take a card of another meeting.
func TestSequentialMeetings(t *testing.T) {
	const size, times = 4, 100
	onBoth(t, func(t *testing.T, at Point) {
		errs := make(chan error, size)
		for _, r := range ranks(at, size) {
			go func() {
				errs <- func() error {
					for i := range times {
						s, err := Join(r.job, r.timeout, nil)
						if err != nil {
							return fmt.Errorf("rank %d, meeting %d: %w", r.job.Rank, i, err)
						}
						cards, err := s.Exchange([]byte{byte(i), byte(r.job.Rank)}, nil)
						if err != nil {
							return fmt.Errorf("rank %d, meeting %d: %w", r.job.Rank, i, err)
						}
						for from, c := range cards {
							if !bytes.Equal(c.Data, []byte{byte(i), byte(from)}) {
								return fmt.Errorf("rank %d, meeting %d: card of rank %d is %v", r.job.Rank, i, from, c.Data)
							}
						}
						s.Close()
					}
					return nil
				}()
			}()
		}
		for range size {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
	})
}

func TestStop(t *testing.T) {
	enough := errors.New("enough")
	onBoth(t, func(t *testing.T, at Point) {
		for _, who := range []int{0, 1} { // alone: the root that waits for ranks, the rank that looks for the root
			calls := 0
			r := ranks(at, 2)[who]
			r.stop = func() error {
				if calls++; calls > 2 {
					return enough
				}
				return nil
			}
			began := time.Now()
			if j := <-r.start(); j.err != enough {
				t.Errorf("rank %d: %v", who, j.err)
			}
			if took := time.Since(began); took > long/2 {
				t.Errorf("rank %d stopped after %v", who, took)
			}
		}
	})
}

// A rank that is told to stop tells the others.
func TestStopTellsTheOthers(t *testing.T) {
	noLeak(t)
	enough := errors.New("enough")

	rs := ranks(socketPoint(t), 3)
	open, stop := make(chan bool), make(chan bool)
	opened := atFirstWait(func() { close(open) })
	rs[0].stop = func() error {
		select {
		case <-stop:
			return enough
		default:
			return opened()
		}
	}
	zero := rs[0].start()
	<-open
	fd := greeted(t, rs[1].job, patient)
	wantWelcome(t, fd)
	close(stop)
	if j := <-zero; j.err != enough {
		t.Errorf("rank 0: %v", j.err)
	}
	wantNotice(t, fd, frameFail, ErrGone, fmt.Sprintf("rank 0 (pid %d) was told to stop: enough", os.Getpid()))
	unix.Close(fd)

	rs = ranks(socketPoint(t), 3)
	r := openRoot(t, rs[0].job)
	stop = make(chan bool)
	rs[1].stop = func() error {
		select {
		case <-stop:
			return enough
		default:
			return nil
		}
	}
	one := rs[1].start()
	r.await(t, 1)
	close(stop)
	err := r.failure(t)
	r.fail(err)
	wantError(t, err, ErrGone, fmt.Sprintf("rank 1 (pid %d) left while others were still awaited: it was told to stop: enough", os.Getpid()))
	if j := <-one; j.err != enough {
		t.Errorf("rank 1: %v", j.err)
	}
}

func TestUsage(t *testing.T) {
	at := Point{Socket: "x"}
	for _, c := range []struct {
		job     Job
		timeout time.Duration
		text    string
	}{
		{Job{Rank: 0, Size: 2, At: at}, 0, "the time to meet is 0s; it must be more than 0"},
		{Job{Rank: 0, Size: 0, At: at}, long, "the job has 0 ranks; it must have 1 to 4096"},
		{Job{Rank: 0, Size: 4097, At: at}, long, "the job has 4097 ranks"},
		{Job{Rank: 2, Size: 2, At: at}, long, "rank 2 is outside a job of 2 ranks, whose ranks are 0 to 1"},
		{Job{Rank: -1, Size: 2, At: at}, long, "rank -1 is outside"},
		{Job{Rank: 1, Size: 2}, long, "rank 1 of 2 has no meeting point"},
		{Job{Rank: 1, Size: 2, At: Point{Socket: "x", TCP: "localhost:1"}}, long, "has two meeting points, localhost:1 over TCP and the socket @x"},
		{Job{Rank: 1, Size: 2, At: Point{Socket: string(make([]byte, 108))}}, long, "has 108 bytes; it must have at most 107 and no NUL"},
		{Job{Rank: 1, Size: 2, At: Point{TCP: "localhost"}}, long, "the meeting point=localhost is not host:port"},
		{Job{Rank: 1, Size: 2, At: Point{TCP: "localhost:0"}}, long, `the port "0" is not a number from 1 to 65535`},
		{Job{Rank: 0, Size: 2, At: Point{TCP: "0.0.0.0:5000"}}, long, "0.0.0.0 is no address to meet at"},
		{Job{Rank: 0, Size: 2, At: Point{TCP: "192.0.2.1:5000"}}, long, "the root host 192.0.2.1 ([192.0.2.1]) is not this host, and meeting across hosts is not built yet"},
		{Job{Rank: 1, Size: 2, At: Point{TCP: "192.0.2.1:5000"}}, long, "is not this host"},
	} {
		s, err := Join(c.job, c.timeout, nil)
		if s != nil {
			t.Errorf("%+v: a session", c.job)
		}
		wantError(t, err, ErrUsage, c.text)
	}
}
