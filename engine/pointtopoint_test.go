package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"hcomm/simd"
)

// bytesOf is the message of so many bytes that a rank sends as its number-th.
func bytesOf(rank, number, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8 + rank*31 + number*17)
	}
	return b
}

func tagged8(b []byte, peer, tag int) Message {
	return Message{Buffer: at(b), Count: uint64(len(b)), Type: simd.Uint8, Peer: peer, Tag: tag}
}

// received checks what a receive has brought.
func received(s Status, err error, got, want []byte, source, tag int) error {
	switch {
	case err != nil:
		return err
	case s != Status{Source: source, Tag: tag, Bytes: uint64(len(want))}:
		return fmt.Errorf("status %+v, want %d bytes from rank %d with tag %d", s, len(want), source, tag)
	case !bytes.Equal(got[:len(want)], want):
		return fmt.Errorf("the bytes of a message of %d are wrong", len(want))
	}
	return nil
}

// sizes are those at which the way of a message changes.
var sizes = []int{0, 1, 24, 25, 2240, 2241, 32768, 32769, 300_003}

func TestSizesOfMessages(t *testing.T) {
	for _, ranks := range []int{2, 3} {
		together(t, ranks, func(c *Comm) error {
			rng := rand.New(rand.NewPCG(uint64(c.Rank()), 1))
			to, from := (c.Rank()+1)%ranks, (c.Rank()+ranks-1)%ranks
			for round := range 4 {
				for number, n := range sizes {
					s, r := newBuffer(t, rng, n), newBuffer(t, rng, n)
					copy(s.bytes, bytesOf(c.Rank(), number, n))
					want := bytesOf(from, number, n)
					var got Status
					var err error
					switch {
					case round < 2:
						got, err = c.Sendrecv(tagged8(s.bytes, to, number), tagged8(r.bytes, from, number))
					case c.Rank() == 0:
						err = c.Send(tagged8(s.bytes, to, number))
						if err == nil {
							got, err = c.Recv(tagged8(r.bytes, AnySource, AnyTag))
						}
					default:
						got, err = c.Recv(tagged8(r.bytes, from, AnyTag))
						if err == nil {
							err = c.Send(tagged8(s.bytes, to, number))
						}
					}
					if err = received(got, err, r.bytes, want, from, number); err != nil {
						return fmt.Errorf("%d bytes: %w", n, err)
					}
					if !r.intact() || !s.intact() {
						return errors.New("bytes beside a buffer were changed")
					}
					s.free()
					r.free()
				}
			}
			return nil
		})
	}
}

func TestMessagesToSelf(t *testing.T) {
	together(t, 1, func(c *Comm) error {
		for number, n := range sizes {
			want, got := bytesOf(0, number, n), make([]byte, n)
			if s, err := c.Sendrecv(tagged8(want, 0, 3), tagged8(got, 0, 3)); received(s, err, got, want, 0, 3) != nil {
				return received(s, err, got, want, 0, 3)
			}
			clear(got)
			if err := c.Send(tagged8(want, 0, 5)); err != nil {
				return err
			}
			if s, found, err := c.Iprobe(0, AnyTag); !found || s.Bytes != uint64(n) || err != nil {
				return fmt.Errorf("Iprobe gives %+v, %v, %v", s, found, err)
			}
			if s, err := c.Recv(tagged8(got, AnySource, 5)); received(s, err, got, want, 0, 5) != nil {
				return received(s, err, got, want, 0, 5)
			}
		}
		large := make([]byte, 2*mostToSelf+2)
		if _, err := c.Sendrecv(tagged8(large[:mostToSelf+1], 0, 1), tagged8(large[mostToSelf+1:], 0, AnyTag)); err != nil {
			return err
		}
		b := large[:mostToSelf/2-200]
		for i := range 3 {
			if err := c.Send(tagged8(b, 0, i)); (err != nil) != (i == 2) || err != nil && !strings.Contains(err.Error(), "would wait for ever") {
				return fmt.Errorf("large message %d to itself: %v", i, err)
			}
		}
		if _, err := c.Recv(tagged8(b, 0, 2)); err == nil || !strings.Contains(err.Error(), "would wait for ever") {
			return fmt.Errorf("a receive that nobody can end: %v", err)
		}
		if _, err := c.Probe(AnySource, 2); err == nil || !strings.Contains(err.Error(), "would wait for ever") {
			return fmt.Errorf("a probe that nobody can end: %v", err)
		}
		_, err := c.Recv(tagged8(b, 0, 1))
		return err
	})
}

// TestManyMessagesWait has every rank send to all others more than the inboxes hold before any receives.
func TestManyMessagesWait(t *testing.T) {
	const ranks, number = 4, 50
	together(t, ranks, func(c *Comm) error {
		for i := range number {
			for q := range ranks {
				if err := c.Send(tagged8(bytesOf(c.Rank(), i, 100+i), q, i%5)); err != nil {
					return err
				}
			}
		}
		if err := c.Barrier(); err != nil {
			return err
		}
		got := make([]byte, 200)
		for tag := range 5 {
			for q := range ranks {
				for i := tag; i < number; i += 5 {
					s, err := c.Recv(tagged8(got, (q+c.Rank())%ranks, tag))
					if err := received(s, err, got, bytesOf((q+c.Rank())%ranks, i, 100+i), (q+c.Rank())%ranks, tag); err != nil {
						return err
					}
				}
			}
		}
		return nil
	})
}

func TestTruncatedMessages(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		for number, n := range sizes[1:] {
			if c.Rank() == 0 {
				if err := errors.Join(c.Send(tagged8(bytesOf(0, number, n), 1, 7)), c.Send(tagged8(bytesOf(0, number, n), 1, 7))); err != nil {
					return err
				}
				continue
			}
			b := newBuffer(t, rand.New(rand.NewPCG(1, 1)), n-1)
			s, err := c.Recv(tagged8(b.bytes, 0, AnyTag))
			var e *Error
			if !errors.As(err, &e) || e.Code != Truncated || !strings.Contains(e.Text, fmt.Sprintf("from rank 0 with tag 7 has %d bytes, and the buffer %d", n, n-1)) {
				return fmt.Errorf("error %v", err)
			}
			if s.Bytes != uint64(n) || !b.intact() {
				return fmt.Errorf("status %+v, or bytes beside the buffer were changed", s)
			}
			got := make([]byte, n)
			if s, err := c.Recv(tagged8(got, 0, AnyTag)); received(s, err, got, bytesOf(0, number, n), 0, 7) != nil {
				return received(s, err, got, bytesOf(0, number, n), 0, 7)
			}
		}
		return c.Barrier()
	})
}

func TestTypedMessages(t *testing.T) {
	for _, n := range []uint64{0, 3, 100_000} {
		together(t, 2, func(c *Comm) error {
			b := make([]byte, 4*n)
			m := Message{Buffer: at(b), Count: n, Type: simd.Float32, Peer: 1 - c.Rank()}
			if c.Rank() == 0 {
				copy(b, bytesOf(0, 0, len(b)))
				// A message with a tag does not match it.
				return errors.Join(c.Send(tagged8(b[:min(len(b), 4)], 1, 0)), c.SendTyped(m))
			}
			if err := c.RecvTyped(m); err != nil {
				return err
			}
			_, err := c.Recv(tagged8(make([]byte, 4), 0, 0))
			if !bytes.Equal(b, bytesOf(0, 0, len(b))) {
				return errors.New("wrong bytes")
			}
			return err
		})
	}
}

func TestTypedMessagesThatDiffer(t *testing.T) {
	b := make([]byte, 1<<20)
	for _, x := range []struct {
		sent, got Message
		text      string
	}{
		{Message{Count: 4, Type: simd.Float32}, Message{Count: 5, Type: simd.Float32}, "called Recv of 5 float32 from rank 0, rank 0"},
		{Message{Count: 4, Type: simd.Float32}, Message{Count: 4, Type: simd.Int32}, "called Send of 4 float32 to rank 1"},
		{Message{Count: 90_000, Type: simd.Int64}, Message{Count: 4, Type: simd.Int64}, "called Send of 90000 int64 to rank 1"},
		{Message{Count: 0, Type: simd.Int64}, Message{Count: 4, Type: simd.Int64}, "called Recv of 4 int64 from rank 0"},
	} {
		comms, err := InitAll(os.Getenv, 2)
		if err != nil {
			t.Fatal(err)
		}
		inParallel(t, comms, func(c *Comm) error {
			sent, got := x.sent, x.got
			sent.Buffer, got.Buffer, sent.Peer = at(b), at(b), 1
			var err error
			if c.Rank() == 1 {
				err = c.RecvTyped(got)
			} else if err = c.SendTyped(sent); err == nil {
				err = c.Barrier() // who only had to send learns of it in the next call
			}
			var e *Error
			if !errors.As(err, &e) || e.Code != Mismatch || !strings.Contains(e.Text, x.text) {
				return fmt.Errorf("error %v, want a mismatch with %q", err, x.text)
			}
			return c.Destroy()
		})
	}
}

func TestMessagesOfThoseWhoLeft(t *testing.T) {
	comms, err := InitAll(os.Getenv, 3)
	if err != nil {
		t.Fatal(err)
	}
	inParallel(t, comms, func(c *Comm) error {
		b := make([]byte, 100_000)
		switch c.Rank() {
		case 0:
			for i := range 3 {
				if err := c.Send(tagged8(bytesOf(0, i, 50), 1, i)); err != nil {
					return err
				}
			}
			return c.Destroy()
		case 2:
			time.Sleep(20 * time.Millisecond)
			return errors.Join(c.Send(tagged8(b[:2], 1, 9)), c.Destroy())
		}
		for c.port.Gone() < 2 {
			time.Sleep(time.Millisecond)
		}
		for _, tag := range []int{1, 0, 2} {
			s, err := c.Recv(tagged8(b, 0, tag))
			if err := received(s, err, b, bytesOf(0, tag, 50), 0, tag); err != nil {
				return err
			}
		}
		if s, err := c.Probe(AnySource, AnyTag); err != nil || s.Source != 2 {
			return fmt.Errorf("Probe gives %+v, %v", s, err)
		}
		if _, found, err := c.Iprobe(2, 9); err != nil || !found {
			return fmt.Errorf("Iprobe gives %v, %v", found, err)
		}
		if _, err := c.Recv(tagged8(b, 2, 9)); err != nil {
			return err
		}
		_, err := c.Recv(tagged8(b, AnySource, AnyTag))
		var e *Error
		if !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "left the communicator") {
			return fmt.Errorf("error %v", err)
		}
		return c.Destroy()
	})
}

// TestNobodyIsLeft ends each kind of wait for a rank that has left.
func TestNobodyIsLeft(t *testing.T) {
	b := make([]byte, 100_000)
	for name, call := range map[string]func(c *Comm) error{
		"send":       func(c *Comm) error { return c.Send(tagged8(b[:4], 1, 0)) },
		"large send": func(c *Comm) error { return c.Send(tagged8(b, 1, 0)) },
		"receive":    func(c *Comm) error { _, err := c.Recv(tagged8(b, 1, AnyTag)); return err },
		"probe":      func(c *Comm) error { _, err := c.Probe(1, AnyTag); return err },
		"iprobe": func(c *Comm) error {
			for {
				if _, found, err := c.Iprobe(1, AnyTag); found || err != nil {
					return err
				}
			}
		},
		"both": func(c *Comm) error { _, err := c.Sendrecv(tagged8(b[:50], 0, 0), tagged8(b[50:], 1, 0)); return err },
	} {
		for _, late := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/late=%v", name, late), func(t *testing.T) {
				if late && name == "send" {
					t.Skip("it does not wait")
				}
				comms, err := InitAll(os.Getenv, 3)
				if err != nil {
					t.Fatal(err)
				}
				inParallel(t, comms, func(c *Comm) error {
					if c.Rank() == 1 {
						if late {
							time.Sleep(10 * time.Millisecond)
						}
						return c.Destroy()
					}
					var err error
					if c.Rank() == 0 {
						for !late && c.port.Gone() == 0 {
							time.Sleep(time.Millisecond)
						}
						err = call(c)
					} else {
						_, err = c.Recv(tagged8(b[:4], 0, 0)) // ended by the others' verdict
					}
					var e *Error
					if !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 1 (") || !strings.Contains(e.Text, "left the communicator; rank 0") {
						return fmt.Errorf("error %v", err)
					}
					return c.Destroy()
				})
			})
		}
	}
}

// TestRoomForUnmatchedMessages sends until the peer keeps no more, which stops nobody else.
func TestRoomForUnmatchedMessages(t *testing.T) {
	together(t, 3, func(c *Comm) error {
		b := make([]byte, 2000)
		const number = keepMost/2000 + 100
		switch c.Rank() {
		case 0:
			for range number {
				if err := c.Send(tagged8(b, 1, 1)); err != nil {
					return err
				}
			}
			return c.Send(tagged8(b[:10], 1, 2))
		case 1:
			// Rank 0 is stuck when this is refused.
			_, err := c.Recv(tagged8(b, 0, 2))
			if err == nil || !strings.Contains(err.Error(), "would wait for ever") {
				return fmt.Errorf("a receive behind too many messages: %v", err)
			}
			if _, err := c.Probe(0, 2); err == nil || !strings.Contains(err.Error(), "would wait for ever") {
				return fmt.Errorf("a probe behind too many messages: %v", err)
			}
			if _, err := c.Recv(tagged8(b, 2, AnyTag)); err != nil {
				return err
			}
			for range number {
				if s, err := c.Recv(tagged8(b, 0, 1)); err != nil || s.Bytes != 2000 {
					return fmt.Errorf("%+v, %v", s, err)
				}
			}
			_, err = c.Recv(tagged8(b, AnySource, AnyTag))
			return err
		}
		time.Sleep(30 * time.Millisecond)
		return c.Send(tagged8(b, 1, 1))
	})
}

// TestProbeBehindFullRoom probes for a message that there is no room to keep.
func TestProbeBehindFullRoom(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		b := make([]byte, 2000)
		number := keepMost / int(keepSize(len(b)))
		if c.Rank() == 0 {
			for range number {
				if err := c.Send(tagged8(b, 1, 1)); err != nil {
					return err
				}
			}
			return c.Send(tagged8(b, 1, 2))
		}
		if s, err := c.Probe(AnySource, 2); err != nil || s != (Status{Source: 0, Tag: 2, Bytes: 2000}) {
			return fmt.Errorf("%+v, %v", s, err)
		}
		if c.messages.kept[0].size < c.messages.most {
			return errors.New("there was room")
		}
		for i := range number + 1 {
			if s, err := c.Recv(tagged8(b, 0, AnyTag)); err != nil || s.Tag != 1+i/number {
				return fmt.Errorf("%+v, %v", s, err)
			}
		}
		return nil
	})
}

func TestNoAllocationForMessages(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	t.Setenv("HCOMM_STATUS", "0") // who asks this process for its status has it allocate
	const rounds = 1000
	var before, after runtime.MemStats
	together(t, 2, func(c *Comm) error {
		s, r := make([]byte, 100_000), make([]byte, 100_000)
		peer := 1 - c.Rank()
		for i := range rounds + 10 {
			if i == 10 && c.Rank() == 0 {
				runtime.ReadMemStats(&before)
			}
			for _, n := range []int{0, 8, 2000, 100_000} {
				if _, err := c.Sendrecv(tagged8(s[:n], peer, 0), tagged8(r[:n], peer, 0)); err != nil {
					return err
				}
				var err error
				if c.Rank() == 0 {
					err = c.Send(tagged8(s[:n], 1, 1))
				} else {
					_, err = c.Recv(tagged8(r[:n], 0, AnyTag))
				}
				if err != nil {
					return err
				}
			}
		}
		if c.Rank() == 0 {
			runtime.ReadMemStats(&after)
		}
		return nil
	})
	if n := after.Mallocs - before.Mallocs; n > rounds/10 {
		t.Errorf("%d allocations in %d rounds of 8 calls on two ranks", n, rounds)
	}
}
