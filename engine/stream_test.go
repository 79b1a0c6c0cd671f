package engine

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"hcomm/plan"
	"hcomm/simd"
)

func TestStreamsRunInOrder(t *testing.T) {
	const ranks = 3
	together(t, ranks, func(c *Comm) error {
		s, other := new(Stream), new(Stream)
		b := words(5000, c.Rank(), 0)
		want := append([]byte(nil), sumOf(ranks, 5000, 0)...)
		for round := range 30 {
			copy(b, words(5000, c.Rank(), 0))
			if err := s.Enqueue(c, allreduceWork(b)); err != nil {
				return err
			}
			other.After(s)
			if err := other.Enqueue(c, CollectiveWork(plan.Broadcast, address(b), address(b), 5000, simd.Uint32, 0, round%ranks)); err != nil {
				return err
			}
			if round%3 == 0 {
				if err := c.Barrier(); err != nil {
					return err
				}
			}
			if err := other.Synchronize(); err != nil {
				return err
			}
			if done, err := s.IsDone(); !done || err != nil {
				return fmt.Errorf("the first stream: %v, %v", done, err)
			}
			if string(b) != string(want) {
				return fmt.Errorf("round %d: wrong", round)
			}
		}
		return nil
	})
}

// A stream's worker does all by itself; the caller only asks.
func TestAStreamNeedsNoCaller(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		s := new(Stream)
		b := words(300000, c.Rank(), 3)
		if err := s.Enqueue(c, allreduceWork(b)); err != nil {
			return err
		}
		for len(s.ends(false)) > 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if string(b) != string(sumOf(2, 300000, 3)) {
			return errors.New("wrong")
		}
		return s.Synchronize()
	})
}

// A call that ends early, by an error, leaves what was before it in the stream under way; what comes behind waits for that.
func TestAStreamWaitsForWhatIsBeforeAFailure(t *testing.T) {
	good, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	for _, when := range []string{"revoked before", "revoked meanwhile"} {
		bad, err := InitAll(os.Getenv, 2)
		if err != nil {
			t.Fatal(err)
		}
		s, other := new(Stream), new(Stream)
		mine, theirs := words(70000, 0, 0), words(70000, 1, 0)
		if err := s.Enqueue(good[0], allreduceWork(mine)); err != nil {
			t.Fatal(err)
		}
		if when == "revoked before" {
			bad[1].Revoke()
		}
		var e *Error
		err = s.Enqueue(bad[0], BarrierWork())
		if when != "revoked before" {
			bad[1].Revoke()
		} else if !errors.As(err, &e) || e.Code != RemoteError {
			t.Errorf("%s: the call: %v", when, err)
		}
		other.After(s)
		for bad[0].tasks.Load() > 0 {
			time.Sleep(100 * time.Microsecond)
		}
		if done, _ := s.IsDone(); done {
			t.Errorf("%s: the stream is done, but its first call is not", when)
		}
		if err := other.Enqueue(good[0], allreduceWork(words(1, 0, 0))); err != nil {
			t.Error(err)
		}
		result := make(chan error)
		go func() { result <- s.Synchronize() }()
		inParallel(t, good[1:], func(c *Comm) error {
			return errors.Join(c.Do(allreduceWork(theirs)), c.Do(allreduceWork(words(1, 1, 0))))
		})
		if err := <-result; (err == nil) != (when == "revoked before") {
			t.Errorf("%s: Synchronize: %v", when, err)
		}
		if err := other.Synchronize(); err != nil || string(mine) != string(theirs) {
			t.Errorf("%s: %v", when, err)
		}
		for _, c := range bad {
			c.Destroy()
		}
	}
	for _, c := range good {
		c.Destroy()
	}
}

// Who waits for a stream waits for a receive that is behind several calls that have ended early, and learns that nobody sends.
func TestAStreamWaitsForAReceiveBeforeFailures(t *testing.T) {
	good, bad := newComms(t, 2), newComms(t, 2)
	s := new(Stream)
	in := make([]byte, 4000)
	if err := s.Enqueue(good[0], RecvTypedWork(Message{Buffer: address(in), Count: 1000, Type: simd.Uint32, Peer: 1})); err != nil {
		t.Fatal(err)
	}
	bad[1].Revoke()
	for range 3 {
		if err := s.Enqueue(bad[0], BarrierWork()); err == nil {
			t.Error("a call on a revoked communicator succeeds")
		}
	}
	good[1].Destroy()
	var e *Error
	if err := s.Synchronize(); !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 1") || !strings.Contains(e.Text, "left") {
		t.Errorf("Synchronize: %v", err)
	}
}

// A worker ends a call that has moved and then found that a peer is gone.
func TestAWorkerFindsThatAPeerIsGone(t *testing.T) {
	good, bad := newComms(t, 2), newComms(t, 2)
	s := new(Stream)
	b := words(100000, 0, 0)
	reduce := CollectiveWork(plan.Reduce, address(b), address(b), 100000, simd.Uint32, simd.Sum, 1)
	if err := errors.Join(s.Enqueue(good[0], BarrierWork()), s.Enqueue(bad[0], reduce)); err != nil {
		t.Fatal(err)
	}
	bad[1].Destroy()
	inParallel(t, good[1:], (*Comm).Barrier)
	for began := time.Now(); len(s.ends(false)) > 0; time.Sleep(time.Millisecond) {
		if time.Since(began) > 10*time.Second {
			t.Fatal("it goes on for ever")
		}
	}
	var e *Error
	if err := s.Synchronize(); !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "left") {
		t.Errorf("Synchronize: %v", err)
	}
}

// A send and a receive of one group do not wait for each other, though they are in one stream.
func TestExchangeInOneStream(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		s := new(Stream)
		for i := range 5 {
			out, in := words(100000, c.Rank(), i), make([]byte, 400000)
			var g Group
			m := func(b []byte) Message {
				return Message{Buffer: address(b), Count: 100000, Type: simd.Uint32, Peer: 1 - c.Rank()}
			}
			if err := errors.Join(g.Add(c, SendTypedWork(m(out)), s), g.Add(c, RecvTypedWork(m(in)), s), g.Run()); err != nil {
				return err
			}
			if err := s.Synchronize(); err != nil {
				return err
			}
			if string(in) != string(words(100000, 1-c.Rank(), i)) {
				return errors.New("wrong")
			}
		}
		return nil
	})
}

func TestAnErrorOfAStreamArrives(t *testing.T) {
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	s := new(Stream)
	if err := s.Enqueue(comms[0], allreduceWork(words(5, 0, 0))); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := comms[1].Do(allreduceWork(words(6, 0, 0))); !errors.As(err, &e) || e.Code != Mismatch {
		t.Fatalf("the other rank: %v", err)
	}
	for len(s.ends(false)) > 0 {
		time.Sleep(100 * time.Microsecond)
	}
	if err := s.Enqueue(comms[0], BarrierWork()); !errors.As(err, &e) || e.Code != Mismatch {
		t.Errorf("the next call: %v", err)
	}
	if err := s.Synchronize(); !errors.As(err, &e) || e.Code != Mismatch {
		t.Errorf("Synchronize: %v", err)
	}
	if err := s.Synchronize(); err != nil {
		t.Errorf("Synchronize once more: %v", err)
	}
	for _, c := range comms {
		if err := c.Destroy(); err != nil {
			t.Error(err)
		}
	}
}
