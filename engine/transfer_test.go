package engine

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
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

// TestManyTransfersAtOnce starts all sends and receives of a schedule in an order of each rank's own, but for messages of
// one tag between the same two, and then waits for all.
func TestManyTransfersAtOnce(t *testing.T) {
	const ranks = 3
	for seed := range uint64(20) {
		letters := schedule(seed, ranks, 60)
		together(t, ranks, func(c *Comm) error {
			rng := rand.New(rand.NewPCG(seed, uint64(c.Rank())))
			x := &many{p: &c.messages}
			got := map[*receive]letter{}
			next := 0
			post := func(l letter) error {
				b := make([]byte, l.size)
				r := &receive{pattern: pattern{source: l.from, tag: int32(l.tag)}, data: b, typ: simd.Uint8}
				got[r] = l
				x.receives = append(x.receives, r)
				return text(x.p.post(r))
			}
			for _, l := range letters {
				if l.to == c.Rank() && rng.IntN(2) == 0 { // receive all that were left out so far, and this one
					for ; next <= l.number; next++ {
						if letters[next].to == c.Rank() {
							if err := post(letters[next]); err != nil {
								return err
							}
						}
					}
				}
				if l.from != c.Rank() {
					continue
				}
				b := newBuffer(t, rng, l.size)
				copy(b.bytes, bytesOf(l.from, l.number, l.size))
				m := tagged8(b.bytes, l.to, l.tag)
				s := *c.messages.call.newSend(&m, uint64(l.size), tagged)
				x.sends = append(x.sends, &s)
				if err := text(x.p.start(&s)); err != nil {
					return err
				}
				if rng.IntN(3) == 0 {
					x.p.advance()
				}
			}
			for ; next < len(letters); next++ {
				if letters[next].to == c.Rank() {
					if err := post(letters[next]); err != nil {
						return err
					}
				}
			}
			if err := text(c.finish(x)); err != nil {
				return err
			}
			for r, l := range got {
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

func text(e *Error) error {
	if e == nil {
		return nil
	}
	return e
}
