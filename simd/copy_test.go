package simd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// copies are the ways to copy: to destinations apart from the source, and to the source itself.
var copies = []struct {
	name string
	// run returns where the copies are.
	run func(d, d2, s []byte) (r, r2 []byte)
}{
	{"Copy", func(d, _, s []byte) (r, r2 []byte) { Copy(d, s); return d, d }},
	{"Copy to itself", func(_, _, s []byte) (r, r2 []byte) { Copy(s, s); return s, s }},
	{"Copy2", func(d, d2, s []byte) (r, r2 []byte) { Copy2(d, d2, s); return d, d2 }},
	{"Copy2, the first to itself", func(d, _, s []byte) (r, r2 []byte) { Copy2(s, d, s); return s, d }},
	{"Copy2, the second to itself", func(d, _, s []byte) (r, r2 []byte) { Copy2(d, s, s); return d, s }},
	{"Stream", func(d, _, s []byte) (r, r2 []byte) { Stream(d, s); return d, d }},
	{"Stream to itself", func(_, _, s []byte) (r, r2 []byte) { Stream(s, s); return s, s }},
}

// copyRig holds the places of a copy, and what is copied.
type copyRig struct {
	bytes, wrong  []byte
	from, to, to2 *place
}

func newCopyRig(most int) *copyRig {
	rng := rand.New(rand.NewPCG(3, 4))
	g := &copyRig{make([]byte, most+7), make([]byte, most+7), newPlace(most), newPlace(most), newPlace(most)}
	for i := range g.bytes {
		g.bytes[i] = byte(rng.Uint32())
		g.wrong[i] = ^g.bytes[i]
	}
	return g
}

// run copies n bytes in all ways.
func (g *copyRig) run(t *testing.T, n int, at offsets) {
	first := n % 7
	want, wrong := g.bytes[first:][:n], g.wrong[first:][:n]
	for _, c := range copies {
		s, d, d2 := g.from.with(at.a, want), g.to.with(at.dst, wrong), g.to2.with(at.dst2, wrong)
		r, r2 := c.run(d, d2, s)
		what := copySituation{c.name, n, at}
		if !bytes.Equal(r, want) || !bytes.Equal(r2, want) {
			t.Fatalf("%v: wrong bytes", what)
		}
		same(t, what, s, want)
		g.from.intact(t, what, at.a, n)
		g.to.intact(t, what, at.dst, n)
		g.to2.intact(t, what, at.dst2, n)
	}
}

type copySituation struct {
	form  string
	bytes int
	at    offsets
}

func (s copySituation) String() string {
	return fmt.Sprintf("%s, %d bytes, offsets dst %d dst2 %d src %d", s.form, s.bytes, s.at.dst, s.at.dst2, s.at.a)
}

func TestCopy(t *testing.T) {
	levels(t, func(t *testing.T) {
		g := newCopyRig(64<<10 + 200)
		for n := range 1301 {
			g.run(t, n, walk(n))
		}
		for _, block := range []int{copyEdge, streamFrom, 4096, 64 << 10} {
			for more := -66; more <= 130; more++ {
				if block == 64<<10 && more%16 > 1 {
					continue
				}
				g.run(t, block+more, offsets{dst2: (more + 66) % 64, a: (3*more + 198) % 64}) // aligned, so that Stream streams
				g.run(t, block+more, walk(more+66))
			}
		}
		for i := range offsetPairs() {
			g.run(t, copyEdge-10+i*61%700, offsets{dst: i % 64, a: i / 64, dst2: (i + i/64*3) % 64})
		}
	})
}
