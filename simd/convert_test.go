package simd

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"
)

// conversionPairs are the conversions that there must be.
var conversionPairs = []struct{ to, from Type }{
	{Float32, Float16}, {Float32, BFloat16}, {Float32, Float8E4M3}, {Float32, Float8E5M2},
	{Float16, Float32}, {BFloat16, Float32}, {Float8E4M3, Float32}, {Float8E5M2, Float32},
	{BFloat16, Float16}, {Float16, BFloat16},
}

// conversionOracle says what the comment of Conversion does.
func conversionOracle(to, from Type, x uint64) (r uint64, anyNaN bool) {
	v := valueOf(from, x)
	switch {
	case to != Float32:
		return nearest(to, v), false
	case v == v:
		return uint64(math.Float32bits(float32(v))), false // exact
	}
	const nan, quiet = 0x7f800000, 0x00400000
	if from == BFloat16 {
		return x << 16, false
	}
	m := numbers[from].mantissa
	return x&signBit(from)<<(32-8*from.Size()) | nan | quiet | x&(1<<m-1)<<(23-m), false
}

// sources are all codes of a narrow type; of Float32, a sample.
func sources(from Type) []byte {
	var b []byte
	switch from.Size() {
	case 1:
		for x := range 1 << 8 {
			b = append(b, byte(x))
		}
	case 2:
		for x := range uint16(math.MaxUint16) {
			b = binary.LittleEndian.AppendUint16(b, x)
		}
		b = append(b, 0xff, 0xff)
	case 4:
		for _, f := range stratified() {
			b = binary.LittleEndian.AppendUint32(b, f)
		}
	}
	return b
}

func conversionProblem(to, from Type, src []byte) *problem {
	return solve(from, to, src, nil, func(x, _ uint64) (uint64, bool) { return conversionOracle(to, from, x) })
}

func TestConversionFor(t *testing.T) {
	levels(t, func(t *testing.T) {
		there := map[[2]Type]bool{}
		for _, c := range conversionPairs {
			there[[2]Type{c.to, c.from}] = true
		}
		for _, to := range append(Types(), 12, 99) {
			for _, from := range append(Types(), 12, 99) {
				if got := ConversionFor(to, from) != nil; got != there[[2]Type{to, from}] {
					t.Errorf("a conversion from %s to %s: %t", from, to, got)
				}
			}
		}
	})
}

// TestConvertValues converts every code, and from Float32 a sample of every exponent.
func TestConvertValues(t *testing.T) {
	slowWithRaceDetector(t)
	for _, c := range conversionPairs {
		p := conversionProblem(c.to, c.from, sources(c.from))
		levels(t, func(t *testing.T) {
			convert, wide, size := ConversionFor(c.to, c.from), c.to.Size(), c.from.Size()
			d := make([]byte, len(p.want))
			for _, first := range shifts() {
				convert(d[first*wide:], p.a[first*size:])
				p.check(t, fmt.Sprintf("%s to %s", c.from, c.to), d[first*wide:], first)
			}
		})
	}
}

// TestConvertPlaces is about numbers of elements and offsets.
func TestConvertPlaces(t *testing.T) {
	for _, c := range conversionPairs {
		all, size := sources(c.from), c.from.Size()
		var src []byte
		for i := range poolElements { // neighbours that differ
			k := i * 7919 * size % len(all)
			src = append(src, all[k:k+size]...)
		}
		p := conversionProblem(c.to, c.from, src).repeated(2*convertBlock + 17)
		levels(t, func(t *testing.T) {
			g := &conversionRig{p, ConversionFor(c.to, c.from), newPlace(len(p.want)), newPlace(len(p.a))}
			for n := range 301 {
				g.run(t, n*7, n, walk(n))
			}
			for i := range offsetPairs() {
				g.run(t, i%1000, 16+i%83, offsets{dst: i % 64, a: i / 64})
			}
			for i, n := range []int{convertBlock - 1, convertBlock, convertBlock + 1, convertBlock + 15, convertBlock + 16, 2 * convertBlock, 2*convertBlock + 17} {
				g.run(t, 0, n, walk(i))
			}
		})
	}
}

// conversionRig holds the places of a conversion's operands.
type conversionRig struct {
	*problem
	convert Conversion
	dst, pa *place
}

func (g *conversionRig) run(t *testing.T, first, n int, at offsets) {
	wide, size := g.to.Size(), g.t.Size()
	src := g.a[first*size : (first+n)*size]
	d, a := g.dst.with(at.dst, g.wrong[first*wide:(first+n)*wide]), g.pa.with(at.a, src)
	g.convert(d, a)
	what := conversionSituation{g.to, g.t, n, at}
	g.check(t, what, d, first)
	same(t, what, a, src)
	g.dst.intact(t, what, at.dst, n*wide)
	g.pa.intact(t, what, at.a, n*size)
}

type conversionSituation struct {
	to, from Type
	elements int
	at       offsets
}

func (s conversionSituation) String() string {
	return fmt.Sprintf("%s to %s, %d elements, offsets dst %d src %d", s.from, s.to, s.elements, s.at.dst, s.at.a)
}
