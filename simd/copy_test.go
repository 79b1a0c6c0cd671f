package simd

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

func TestCopy(t *testing.T) {
	const most = 5000
	rng := rand.New(rand.NewPCG(3, 4))
	src := make([]byte, most)
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	levels(t, func(t *testing.T) {
		from, to, to2 := newPlace(most), newPlace(most), newPlace(most)
		run := func(n, do, d2o, so int) {
			what := fmt.Sprintf("%d bytes, offsets dst %d dst2 %d src %d", n, do, d2o, so)
			want := src[n%7:][:n]
			s, d, d2 := from.at(so, n), to.at(do, n), to2.at(d2o, n)
			copy(s, want)
			check := func(form string, got ...[]byte) {
				t.Helper()
				for _, g := range got {
					if !bytes.Equal(g, want) {
						t.Fatalf("%s, %s: wrong bytes", what, form)
					}
				}
				from.intact(t, what, so, n)
				to.intact(t, what, do, n)
				to2.intact(t, what, d2o, n)
			}
			clear(d)
			Copy(d, s)
			check("Copy", d, s)
			Copy(s, s)
			check("Copy to itself", s)
			clear(d)
			Copy2(d, d2, s)
			check("Copy2", d, d2, s)
			clear(d)
			Copy2(s, d, s)
			check("Copy2 with the first to itself", d, s)
			clear(d)
			Copy2(d, s, s)
			check("Copy2 with the second to itself", d, s)
			clear(d)
			Stream(d, s)
			check("Stream", d, s)
		}
		for do := range 64 {
			run(2048+do*41, do&^63, 0, do) // aligned, so that Stream streams
			run(2048+do*41, do, 0, do)
		}
		for n := range 1301 {
			run(n, rng.IntN(64), rng.IntN(64), rng.IntN(64))
		}
		for _, n := range []int{2047, 2048, 2049, 4095, 4096, 4097, 4900} {
			run(n, 0, 0, 0)
			run(n, 1, 2, 3)
		}
		for do := range 64 {
			for so := range 64 {
				run(copySmall+(do*61+so*17)%700, do, (do*5+so*3)%64, so)
			}
		}
	})
}

// copySmall is about where Copy begins to use assembly.
const copySmall = 200

func TestCopyRefusesUnequalLengths(t *testing.T) {
	a, b := make([]byte, 1000), make([]byte, 999)
	mustPanic(t, func() { Copy(a, b) })
	mustPanic(t, func() { Copy(b, a) })
	mustPanic(t, func() { Copy2(a, b, a) })
	mustPanic(t, func() { Copy2(a, a, b) })
}
