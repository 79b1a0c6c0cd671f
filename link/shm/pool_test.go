package shm

import (
	"math/rand/v2"
	"testing"
)

// TestPool lends at random and gives back at random: what is lent lies in the pool, and no two parts that are out overlap.
// When nothing is out there is room, whatever came before.
func TestPool(t *testing.T) {
	type part struct{ from, to int }
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 0))
		largest := lineBytes * (1 + rng.IntN(8))
		p := pool{mem: make([]byte, largest*(1+rng.IntN(5))), largest: largest}
		var out []part
		for range 2000 {
			for !p.hasRoom() {
				if len(out) == 0 {
					t.Fatalf("seed %d: no room, and nothing is out", seed)
				}
				if out = out[1:]; p.held > 0 {
					p.dropOldest()
				}
			}
			n := 1 + rng.IntN(largest)
			from := p.start()
			if l := p.lend(n, nil); l.from != from {
				t.Fatalf("seed %d: lent at %d, not %d", seed, l.from, from)
			}
			for _, o := range out {
				if from < o.to && o.from < from+largest {
					t.Fatalf("seed %d: room for %d bytes at %d, where %d to %d are out", seed, largest, from, o.from, o.to)
				}
			}
			if from+largest > len(p.mem) {
				t.Fatalf("seed %d: room for %d bytes at %d of %d", seed, largest, from, len(p.mem))
			}
			out = append(out, part{from, from + n})
			for len(out) > 0 && rng.IntN(3) == 0 {
				out = out[1:]
				p.dropOldest()
			}
		}
	}
}

// TestPoolTakesTurns sees that a place is used again only after the whole pool.
func TestPoolTakesTurns(t *testing.T) {
	p := pool{mem: make([]byte, 4<<10), largest: 1 << 10}
	var places []int
	for range 7 {
		places = append(places, p.lend(512, nil).from)
		p.dropOldest()
	}
	for i, at := range places {
		if at != i*512 {
			t.Errorf("messages of 512 bytes in 4096 with room for 1024 lie at %d", places)
			break
		}
	}
	if at := p.lend(512, nil).from; at != 0 {
		t.Errorf("the eighth lies at %d, where the largest would have no room", at)
	}
}
