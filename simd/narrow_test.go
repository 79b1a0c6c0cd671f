package simd

import (
	"math"
	"math/rand/v2"
	"testing"
)

var oneByOne = []struct {
	t      Type
	widen  func(uint64) float32
	narrow func(float32) uint64
}{
	{Float16, func(c uint64) float32 { return widenFloat16(uint16(c)) }, func(f float32) uint64 { return uint64(narrowFloat16(f)) }},
	{BFloat16, func(c uint64) float32 { return widenBFloat16(uint16(c)) }, func(f float32) uint64 { return uint64(narrowBFloat16(f)) }},
	{Float8E4M3, func(c uint64) float32 { return wideFloat8E4M3[c] }, func(f float32) uint64 { return uint64(narrowFloat8E4M3(f)) }},
	{Float8E5M2, func(c uint64) float32 { return wideFloat8E5M2[c] }, func(f float32) uint64 { return uint64(narrowFloat8E5M2(f)) }},
}

// TestWiden widens every code and narrows it back.
func TestWiden(t *testing.T) {
	for _, c := range oneByOne {
		for code := uint64(0); code < 2*signBit(c.t); code++ {
			got, want := c.widen(code), valueOf(c.t, code)
			if math.IsNaN(want) {
				if got == got || c.narrow(got) != canonicalNaN[c.t] {
					t.Fatalf("%s %#x: NaN became %v and then %#x", c.t, code, got, c.narrow(got))
				}
				continue
			}
			if float64(got) != want || math.Signbit(float64(got)) != math.Signbit(want) {
				t.Fatalf("%s %#x: got %v, want %v", c.t, code, got, want)
			}
			if back := c.narrow(got); back != code {
				t.Fatalf("%s %#x: %v narrows to %#x", c.t, code, got, back)
			}
		}
	}
}

// TestNarrow rounds the middle between all neighbours, what is next to it in float32, the edge of overflow, and random numbers.
func TestNarrow(t *testing.T) {
	slowWithRaceDetector(t)
	for _, c := range oneByOne {
		check := func(f float32) {
			for _, f := range []float32{f, -f} {
				if got, want := c.narrow(f), nearest(c.t, float64(f)); got != want {
					t.Fatalf("%s: %v (%#x) became %#x, want %#x", c.t, f, math.Float32bits(f), got, want)
				}
			}
		}
		vs := finite[c.t]
		last := len(vs) - 1
		for i, v := range vs {
			next := 2*v - vs[max(i-1, 0)]
			if i < last {
				next = vs[i+1]
			}
			middle := float32((v + next) / 2)
			check(float32(v))
			check(middle)
			check(math.Nextafter32(middle, 0))
			check(math.Nextafter32(middle, float32(math.Inf(1))))
		}
		rng := rand.New(rand.NewPCG(5, uint64(c.t)))
		for range 100_000 {
			check(math.Float32frombits(rng.Uint32()))
			check(float32(rng.NormFloat64() * vs[last/2]))
		}
		for _, bits := range special(Float32) {
			check(math.Float32frombits(uint32(bits)))
		}
	}
}

// TestFloat8E4M3Overflow pins the edge that has no infinity behind it.
func TestFloat8E4M3Overflow(t *testing.T) {
	for f, want := range map[float32]uint8{448: 0x7e, 463.9: 0x7e, 464: 0x7e, 464.1: 0x7f, 480: 0x7f, float32(math.Inf(1)): 0x7f, float32(math.Inf(-1)): 0xff} {
		if got := narrowFloat8E4M3(f); got != want {
			t.Errorf("%v became %#x, want %#x", f, got, want)
		}
	}
}
