package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"
	"unsafe"

	"hcomm/plan"
	"hcomm/simd"
)

// words is n uint32 with a value that tells rank, call and place.
func words(n, rank, call int) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		binary.LittleEndian.PutUint32(b[4*i:], uint32(rank*1000003+call*7919+i))
	}
	return b
}

func address(b []byte) unsafe.Pointer {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Pointer(&b[0])
}

// sumOf is what an allreduce of everyone's words gives.
func sumOf(ranks, n, call int) []byte {
	b := make([]byte, 4*n)
	for i := range n {
		sum := uint32(0)
		for q := range ranks {
			sum += uint32(q*1000003 + call*7919 + i)
		}
		binary.LittleEndian.PutUint32(b[4*i:], sum)
	}
	return b
}

// allreduceWork adds everyone's words of a call, in place.
func allreduceWork(b []byte) Work {
	return CollectiveWork(plan.AllReduce, address(b), address(b), uint64(len(b)/4), simd.Uint32, simd.Sum, 0)
}

func TestRequestsAreOrderedWithCalls(t *testing.T) {
	const ranks = 3
	sizes := []int{1, 100, 3000, 100000, 0, 7}
	together(t, ranks, func(c *Comm) error {
		for round := range 20 {
			var requests []*Request
			var buffers [][]byte
			for i, n := range sizes {
				b := words(n, c.Rank(), i)
				buffers = append(buffers, b)
				if (i+round)%3 == 0 {
					if err := c.Do(allreduceWork(b)); err != nil {
						return err
					}
					continue
				}
				r, err := c.Begin(allreduceWork(b))
				if err != nil {
					return err
				}
				requests = append(requests, r)
			}
			WaitAll(requests)
			for _, r := range requests {
				if _, err := r.Result(); err != nil {
					return err
				}
			}
			for i, n := range sizes {
				if string(buffers[i]) != string(sumOf(ranks, n, i)) {
					return fmt.Errorf("round %d: call %d has the wrong sum", round, i)
				}
			}
		}
		return nil
	})
}

// A rank that computes sends all the same: the others have its message long before it calls again.
func TestAMessageGoesWhileTheSenderComputes(t *testing.T) {
	received := make(chan time.Time, 1)
	together(t, 2, func(c *Comm) error {
		b := words(2<<20, 0, 1)
		if c.Rank() == 0 {
			r, err := c.Begin(SendWork(tagged8(b, 1, 5)))
			if err != nil {
				return err
			}
			<-received
			if !r.IsDone() {
				WaitAll([]*Request{r})
			}
			_, err = r.Result()
			return err
		}
		got := make([]byte, len(b))
		_, err := c.Recv(tagged8(got, 0, 5))
		received <- time.Now()
		if err == nil && string(got) != string(b) {
			err = errors.New("the message is wrong")
		}
		return err
	})
}

func TestAReceiveMayComeBeforeABarrier(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		for range 50 {
			b := make([]byte, 100000)
			if c.Rank() == 0 {
				if err := c.Barrier(); err != nil {
					return err
				}
				if err := c.Send(tagged8(words(25000, 1, 1), 1, 1)); err != nil {
					return err
				}
				continue
			}
			r, err := c.Begin(RecvWork(tagged8(b, 0, 1)))
			if err != nil {
				return err
			}
			if err := c.Barrier(); err != nil {
				return err
			}
			WaitAll([]*Request{r})
			if s, err := r.Result(); err != nil || s.Bytes != 100000 || string(b) != string(words(25000, 1, 1)) {
				return fmt.Errorf("%v, %v", s, err)
			}
		}
		return nil
	})
}

func TestOneThreadDrivesAllRanksInAGroup(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8} {
		comms, err := InitAll(os.Getenv, ranks)
		if err != nil {
			t.Fatal(err)
		}
		for round := range 10 {
			var g Group
			var sums, messages [][]byte
			const n = 20000
			for _, c := range comms {
				b := words(n, c.Rank(), round)
				sums = append(sums, b)
				m := make([]byte, 4*n)
				messages = append(messages, m)
				next, before := (c.Rank()+1)%ranks, (c.Rank()+ranks-1)%ranks
				out := words(n, c.Rank(), 99)
				for _, w := range []Work{
					allreduceWork(b),
					SendTypedWork(Message{Buffer: address(out), Count: n, Type: simd.Uint32, Peer: next}),
					RecvTypedWork(Message{Buffer: address(m), Count: n, Type: simd.Uint32, Peer: before}),
					BarrierWork(),
				} {
					if err := g.Add(c, w, nil); err != nil {
						t.Fatal(err)
					}
				}
			}
			if err := g.Run(); err != nil {
				t.Fatal(err)
			}
			for q := range ranks {
				if string(sums[q]) != string(sumOf(ranks, n, round)) {
					t.Fatalf("%d ranks: rank %d has the wrong sum", ranks, q)
				}
				if string(messages[q]) != string(words(n, (q+ranks-1)%ranks, 99)) {
					t.Fatalf("%d ranks: rank %d has the wrong message", ranks, q)
				}
			}
		}
		for _, c := range comms {
			if err := c.Destroy(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestPersistentRequests(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		b := make([]byte, 4000)
		r, err := c.Prepare(allreduceWork(b))
		if err != nil {
			return err
		}
		for i := range 100 {
			copy(b, words(1000, c.Rank(), i))
			if err := r.Start(); err != nil {
				return err
			}
			if r.Start() == nil {
				return errors.New("it could be started twice")
			}
			for !r.IsDone() {
				Progress([]*Request{r})
			}
			if _, err := r.Result(); err != nil {
				return err
			}
			if string(b) != string(sumOf(2, 1000, i)) {
				return fmt.Errorf("round %d is wrong", i)
			}
		}
		return nil
	})
}

// TestRandomCalls makes the same random calls on all ranks, each in a random way: at once, as a request, in one of two
// streams, in a group.
func TestRandomCalls(t *testing.T) {
	seeds := 60
	if raceDetector || testing.Short() {
		seeds = 8
	}
	for seed := range uint64(seeds) {
		ranks := 1 + int(seed%5)
		together(t, ranks, func(c *Comm) error {
			plan := rand.New(rand.NewPCG(seed, 1))                 // the same on all ranks
			way := rand.New(rand.NewPCG(seed, 2+uint64(c.Rank()))) // each rank's own
			streams := []*Stream{new(Stream), new(Stream)}
			var requests []*Request
			var buffers [][]byte
			var sizes []int
			for call := range 40 {
				n := plan.IntN([]int{2, 600, 20000}[plan.IntN(3)])
				b := words(n, c.Rank(), call)
				buffers, sizes = append(buffers, b), append(sizes, n)
				w := allreduceWork(b)
				var err error
				switch way.IntN(4) {
				case 0:
					err = c.Do(w)
				case 1:
					var r *Request
					if r, err = c.Begin(w); err == nil {
						requests = append(requests, r)
					}
				case 2:
					err = streams[way.IntN(2)].Enqueue(c, w)
				default:
					var g Group
					if err = g.Add(c, w, nil); err == nil {
						err = g.Run()
					}
				}
				if err != nil {
					return fmt.Errorf("seed %d, call %d: %w", seed, call, err)
				}
			}
			WaitAll(requests)
			for _, r := range requests {
				if _, err := r.Result(); err != nil {
					return err
				}
			}
			for _, s := range streams {
				if err := s.Synchronize(); err != nil {
					return err
				}
			}
			for call, b := range buffers {
				if string(b) != string(sumOf(ranks, sizes[call], call)) {
					return fmt.Errorf("seed %d: call %d is wrong", seed, call)
				}
			}
			return nil
		})
	}
}
