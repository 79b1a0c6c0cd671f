package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"

	"hcomm/simd"
)

// many is a wait for many sends and receives at once, as requests will be.
type many struct {
	p        *pointToPoint
	sends    []*send
	receives []*receive
}

func (x *many) advance() (bool, *Error)   { return x.p.advance() }
func (x *many) disagreement() *Error      { return nil }
func (x *many) abandoned() (bool, *Error) { return false, nil }
func (x *many) forget()                   {}
func (x *many) awaits() awaited           { return awaited{what: "many messages"} }
func (x *many) hasBorrowed() bool         { return false }

func (x *many) finished() bool {
	for _, s := range x.sends {
		if s.stage != finished {
			return false
		}
	}
	for _, r := range x.receives {
		if r.stage != finished {
			return false
		}
	}
	return true
}

// letter is a message of a schedule that all ranks make alike.
type letter struct{ from, to, tag, size, number int }

func schedule(seed uint64, ranks, n int) []letter {
	rng := rand.New(rand.NewPCG(seed, 3))
	letters := make([]letter, n)
	for i := range letters {
		letters[i] = letter{rng.IntN(ranks), rng.IntN(ranks), rng.IntN(3), rng.IntN(3000), i}
		if rng.IntN(3) == 0 {
			letters[i].size = rng.IntN(200_000)
		}
	}
	return letters
}

// correspondent is one rank of a schedule.
type correspondent struct {
	many
	c       *Comm
	letters []letter
	next    int // the first letter whose receive has not been considered
	got     map[*receive]letter
}

// receiveUpTo posts the receives of what was left out so far, up to a letter.
func (k *correspondent) receiveUpTo(last int) error {
	for ; k.next <= last; k.next++ {
		l := k.letters[k.next]
		if l.to != k.c.Rank() {
			continue
		}
		r := &receive{pattern: pattern{source: l.from, tag: int32(l.tag)}, data: make([]byte, l.size), typ: simd.Uint8}
		k.got[r] = l
		k.receives = append(k.receives, r)
		if err := text(k.p.post(r)); err != nil {
			return err
		}
	}
	return nil
}

func (k *correspondent) send(t *testing.T, rng *rand.Rand, l letter) error {
	b := newBuffer(t, rng, l.size)
	copy(b.bytes, bytesOf(l.from, l.number, l.size))
	m := tagged8(b.bytes, l.to, l.tag)
	s := *k.p.call.newSend(&m, uint64(l.size), tagged)
	k.sends = append(k.sends, &s)
	return text(k.p.start(&s))
}

// TestManyTransfersAtOnce starts all sends of a schedule in order, and the receives now and then, and waits for all.
func TestManyTransfersAtOnce(t *testing.T) {
	const ranks = 3
	for seed := range uint64(20) {
		letters := schedule(seed, ranks, 60)
		together(t, ranks, func(c *Comm) error {
			rng := rand.New(rand.NewPCG(seed, uint64(c.Rank())))
			k := &correspondent{many: many{p: &c.messages}, c: c, letters: letters, got: map[*receive]letter{}}
			for _, l := range letters {
				var err error
				if rng.IntN(5) == 0 {
					err = k.receiveUpTo(l.number)
				}
				if l.from == c.Rank() {
					err = errors.Join(err, k.send(t, rng, l))
				}
				if rng.IntN(3) == 0 {
					k.advance()
				}
				if err != nil {
					return err
				}
			}
			if err := errors.Join(k.receiveUpTo(len(letters)-1), text(c.finish(k))); err != nil {
				return err
			}
			for r, l := range k.got {
				if !bytes.Equal(r.data, bytesOf(l.from, l.number, l.size)) {
					return fmt.Errorf("seed %d: message %+v is wrong", seed, l)
				}
			}
			if c.messages.pending() != 0 {
				return errors.New("something is still under way")
			}
			return c.Barrier()
		})
	}
}

// TestSendsDoNotOvertake has room in a peer's inbox appear between a look for an earlier send and one for a later.
func TestSendsDoNotOvertake(t *testing.T) {
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer comms[0].Destroy()
	defer comms[1].Destroy()
	p := &comms[0].messages
	for tag := 0; comms[0].port.Room(p.to(1), matchChannel, false) || tag < 20; tag++ {
		m := tagged8(nil, 1, tag)
		s := *p.call.newSend(&m, 0, tagged)
		p.start(&s)
		p.advance()
	}
	if len(p.sends) < 2 {
		t.Fatalf("%d sends wait", len(p.sends))
	}
	comms[1].port.Release(0, matchChannel)
	if moved, e := p.stepSend(1); moved || e != nil {
		t.Errorf("a send that is not the first goes: %v, %v", moved, e)
	}
	if moved, e := p.stepSend(0); !moved || e != nil {
		t.Errorf("the first send does not go: %v, %v", moved, e)
	}
}

// TestAnswersWaitForRoom has a rank grant more transfers of a peer than fit the peer's inbox.
func TestAnswersWaitForRoom(t *testing.T) {
	const n, number = 5000, 20
	together(t, 2, func(c *Comm) error {
		x := &many{p: &c.messages}
		for i := range number {
			if c.Rank() == 0 {
				m := tagged8(bytesOf(0, i, n), 1, i)
				s := *x.p.call.newSend(&m, n, tagged)
				x.sends = append(x.sends, &s)
				x.p.start(&s)
				for s.stage == waiting { // without looking at the answers
					if _, e := x.p.postFirst(&s); e != nil {
						return e
					}
					runtime.Gosched()
				}
			} else {
				r := &receive{pattern: pattern{source: 0, tag: int32(i)}, data: make([]byte, n), typ: simd.Uint8}
				x.receives = append(x.receives, r)
				x.p.post(r)
			}
		}
		if err := text(c.finish(x)); err != nil {
			return err
		}
		for i, r := range x.receives {
			if !bytes.Equal(r.data, bytesOf(0, i, n)) {
				return fmt.Errorf("message %d is wrong", i)
			}
		}
		return nil
	})
}

// TestLastMessageOfOneWhoLeft has it arrive between the last look for messages and the look for those who are gone.
func TestLastMessageOfOneWhoLeft(t *testing.T) {
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	defer comms[0].Destroy()
	x := &comms[0].messages.call
	m := tagged8(make([]byte, 5), 1, AnyTag)
	r := x.newReceive(&m, 5, tagged)
	if e := x.begin(nil, r); e != nil {
		t.Fatal(e)
	}
	if err := errors.Join(comms[1].Send(tagged8(bytesOf(1, 0, 5), 0, 7)), comms[1].Destroy()); err != nil {
		t.Fatal(err)
	}
	if moved, e := x.abandoned(); !moved || e != nil || !x.finished() || r.got.tag != 7 {
		t.Errorf("the message was not found: %v, %v", moved, e)
	}
	x.forget()
}

func text(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
