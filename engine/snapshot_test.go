package engine

import (
	"errors"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"hcomm/meet"
	"hcomm/plan"
	"hcomm/simd"
	"hcomm/status"
)

// until waits for something that another goroutine brings about.
func until(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in 20 s not: %s", what)
		}
	}
}

func (c *Comm) now(t testing.TB) status.Communicator {
	s, ok := c.snapshot()
	if !ok {
		t.Fatal("no snapshot of a communicator that is there")
	}
	return s
}

func addOne(c *Comm, x *float32) error {
	return c.AllReduce(unsafe.Pointer(x), unsafe.Pointer(x), 1, simd.Float32, simd.Sum)
}

func setting(pairs ...string) Environment {
	return func(name string) string {
		for i := 0; i < len(pairs); i += 2 {
			if pairs[i] == name {
				return pairs[i+1]
			}
		}
		return os.Getenv(name)
	}
}

func newComms(t testing.TB, ranks int, pairs ...string) []*Comm {
	t.Helper()
	comms, err := InitAll(setting(pairs...), ranks)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, c := range comms {
			c.Abort()
		}
	})
	return comms
}

func TestSnapshotNamesWhoHasNotCalled(t *testing.T) {
	comms := newComms(t, 3)
	s := comms[0].now(t)
	if s.Operation != nil || s.InCall || s.Waits != "" || s.Rank != 0 || s.Size != 3 || len(s.Members) != 3 || s.Members[2].PID != os.Getpid() {
		t.Errorf("a new communicator: %+v", s)
	}
	var wg sync.WaitGroup
	first := func(c *Comm) {
		wg.Go(func() {
			x := float32(1)
			if err := addOne(c, &x); err != nil {
				t.Error(err)
			}
		})
	}
	for _, c := range comms {
		first(c)
	}
	wg.Wait()
	first(comms[0])
	first(comms[1])
	until(t, "rank 0 waits for one rank only", func() bool { s = comms[0].now(t); return len(s.Late) == 1 })
	const text = "AllReduce #2 of 1 float32 with sum"
	if o := s.Operation; o == nil || o.Text != text || o.Number != 2 || o.Bytes != 4 || o.Algorithm != "direct" || !o.Inside || s.Waits != text || s.LateText == "" {
		t.Errorf("rank 0 is in %+v and waits in %q", s.Operation, s.Waits)
	}
	if len(s.Late) != 1 || s.Late[0].Rank != 2 || s.Late[0].Called || s.Late[0].Does != "it was last in AllReduce #1 of 1 float32 with sum" {
		t.Errorf("late: %+v", s.Late)
	}
	if s.Still < lateAfter.Seconds() || !s.InCall || s.Members[2].Number != 1 || s.Members[2].Inside || !s.Members[1].Inside {
		t.Errorf("rank 0: %+v", s)
	}
	if s := comms[2].now(t); s.Operation.Inside || s.Waits != "" || s.InCall || len(s.Late) != 0 {
		t.Errorf("rank 2: %+v", s)
	}
	first(comms[2])
	wg.Wait()
	if s := comms[0].now(t); s.Waits != "" || s.Still != 0 || len(s.Late) != 0 {
		t.Errorf("after it: %+v", s)
	}
}

func TestSnapshotOfMessages(t *testing.T) {
	comms := newComms(t, 2)
	var x, y int32
	m := func(p *int32, peer int) Message {
		return Message{Buffer: unsafe.Pointer(p), Count: 1, Type: simd.Int32, Peer: peer, Tag: 5}
	}
	for name, receive := range map[string]func() error{
		"Recv": func() error { _, err := comms[0].Recv(m(&y, 1)); return err },
		"Irecv": func() error {
			r, err := comms[0].Begin(RecvWork(m(&y, 1)))
			if err == nil {
				WaitAll([]*Request{r})
				_, err = r.Result()
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error)
			go func() { done <- receive() }()
			var s status.Communicator
			// Before it sleeps for the first time, a rank has not told what it waits for.
			until(t, "the receive waits for somebody", func() bool { s = comms[0].now(t); return len(s.Late) > 0 })
			if s.Waits != "Recv of up to 4 bytes from rank 1 with tag 5" || len(s.Late) != 1 || s.Late[0].Rank != 1 || s.Late[0].Does != "it has called no collective yet" {
				t.Errorf("%q, late: %+v", s.Waits, s.Late)
			}
			if err := comms[1].Send(m(&x, 0)); err != nil {
				t.Fatal(err)
			}
			if err := <-done; err != nil {
				t.Fatal(err)
			}
			if s := comms[0].now(t); s.Waits != "" || s.InLine != 0 {
				t.Errorf("after it: %+v", s)
			}
		})
	}
}

func TestSnapshotCountsWhatIsInLine(t *testing.T) {
	comms := newComms(t, 2)
	var stream Stream
	for range 3 {
		if err := stream.Enqueue(comms[0], BarrierWork()); err != nil {
			t.Fatal(err)
		}
	}
	r, err := comms[0].Begin(BarrierWork())
	if err != nil {
		t.Fatal(err)
	}
	if s := comms[0].now(t); s.InLine != 4 || s.InStreams != 3 {
		t.Errorf("%d in line, %d of them in streams", s.InLine, s.InStreams)
	}
	for range 4 {
		if err := comms[1].Barrier(); err != nil {
			t.Fatal(err)
		}
	}
	WaitAll([]*Request{r})
	if s := comms[0].now(t); s.InLine != 0 || s.InStreams != 0 {
		t.Errorf("at last %d in line, %d of them in streams", s.InLine, s.InStreams)
	}
}

func TestSnapshotOfAPoisonedOne(t *testing.T) {
	comms := newComms(t, 2)
	if err := comms[1].Revoke(); err != nil {
		t.Fatal(err)
	}
	if s := comms[0].now(t); s.Failure == nil || s.Failure.Code != int(RemoteError) || !strings.Contains(s.Failure.Text, "rank 1 (host ") {
		t.Errorf("failure: %+v", s.Failure)
	}
	if err := comms[1].Destroy(); err != nil {
		t.Fatal(err)
	}
	if _, ok := comms[1].snapshot(); ok {
		t.Error("a snapshot of a communicator that is freed")
	}
	if s := comms[0].now(t); s.Members[1].Gone != "left" {
		t.Errorf("a rank that has left: %+v", s.Members[1])
	}
}

// Snapshots are made all the time while ranks communicate, by every way, and while communicators come and go.
func TestSnapshotsDisturbNobody(t *testing.T) {
	var stop atomic.Bool
	var looker sync.WaitGroup
	seen := map[string]int{}
	looker.Go(func() {
		for !stop.Load() {
			for _, c := range tellProcess().Communicators {
				if o := c.Operation; o != nil {
					seen[o.Name]++
					if plan.Collective(0).String() == o.Name || !strings.HasPrefix(o.Text, o.Name+" #") {
						t.Errorf("an operation that there is not: %+v", *o)
					}
				}
			}
		}
	})
	for round := range 8 {
		together(t, 3, func(c *Comm) error {
			rng := rand.New(rand.NewPCG(uint64(round), 0))
			for range 100 {
				n := 1 << rng.IntN(12)
				x := make([]float32, n)
				var err error
				switch p := unsafe.Pointer(&x[0]); rng.IntN(4) {
				case 0:
					err = c.Barrier()
				case 1:
					err = c.Broadcast(p, p, uint64(n), simd.Float32, rng.IntN(3))
				case 2:
					var r *Request
					if r, err = c.Begin(CollectiveWork(plan.AllReduce, p, p, uint64(n), simd.Float32, simd.Sum, 0)); err == nil {
						WaitAll([]*Request{r})
						_, err = r.Result()
					}
				default:
					err = c.AllReduce(p, p, uint64(n), simd.Float32, simd.Max)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	stop.Store(true)
	looker.Wait()
	for _, k := range []string{"AllReduce", "Broadcast", "Barrier"} {
		if seen[k] == 0 {
			t.Errorf("no snapshot shows %s: %v", k, seen)
		}
	}
}

func TestJoiningIsTold(t *testing.T) {
	id, err := meet.NewID()
	if err != nil {
		t.Fatal(err)
	}
	enough := errors.New("enough")
	var stop atomic.Bool
	done := make(chan error)
	join := func(rank int) {
		go func() {
			_, err := InitRank(os.Getenv, 3, id, rank, &Config{Stop: func() error {
				if stop.Load() {
					return enough
				}
				return nil
			}})
			done <- err
		}()
	}
	find := func(rank int) (j status.Joining) {
		for _, j := range tellProcess().Joining {
			if j.Rank == rank {
				return j
			}
		}
		return status.Joining{Met: true}
	}
	join(2)
	until(t, "rank 2 misses rank 0", func() bool { j := find(2); return len(j.Missing) == 1 && j.Missing[0] == 0 && j.Size == 3 })
	join(0)
	until(t, "rank 0 misses rank 1 alone", func() bool { j := find(0); return len(j.Missing) == 1 && j.Missing[0] == 1 })
	until(t, "rank 2 is in", func() bool { j := find(2); return len(j.Missing) == 0 && !j.Met })
	stop.Store(true)
	for range 2 {
		if err := <-done; err == nil {
			t.Error("two of three ranks have a communicator")
		}
	}
	if n := len(tellProcess().Joining); n != 0 {
		t.Errorf("%d are joining at the end", n)
	}
}

func TestThereIsATellerWhileThereIsSomethingToTell(t *testing.T) {
	has := func() bool {
		registry.Lock()
		defer registry.Unlock()
		return registry.teller != nil
	}
	if has() {
		t.Fatal("there is one at the beginning")
	}
	silent := newComms(t, 2, "HCOMM_STATUS", "0")
	if has() {
		t.Error("there is one though HCOMM_STATUS=0")
	}
	comms := newComms(t, 2)
	if all, err := status.One(os.Getpid()); err != nil || len(all) != 1 || len(all[0].Communicators) != 2 {
		t.Errorf("asked, it tells %+v, %v", all, err)
	}
	for _, c := range append(comms, silent...) {
		if !has() && c == comms[1] {
			t.Error("there is none though there is a communicator")
		}
		if err := c.Destroy(); err != nil {
			t.Fatal(err)
		}
	}
	if has() {
		t.Error("there is one at the end")
	}
}
