//go:build slow && !race

package simd

import (
	"encoding/binary"
	"math"
	"testing"
)

// steps says of positive float32 in rising order what they are rounded to: it walks along the codes of a type, whose middles it compares with.
type steps struct {
	t    Type
	code int
}

// next is the code of f, which is not less than the one before.
func (s *steps) next(f float32) uint64 {
	vs := finite[s.t]
	if f != f {
		return canonicalNaN[s.t]
	}
	for s.code < len(vs) {
		last := max(s.code, 1)
		next := 2*vs[last] - vs[last-1] // beyond the greatest: as if there were one more
		if s.code+1 < len(vs) {
			next = vs[s.code+1]
		}
		middle := (vs[s.code] + next) / 2
		if v := float64(f); v < middle || v == middle && s.code%2 == 0 {
			break
		}
		s.code++
	}
	return uint64(s.code)
}

// stride is 1, or as good as any number that leaves little to do.
func stride() int {
	if testing.Short() {
		return 61
	}
	return 1
}

// TestEveryFloat32 narrows all of them, of both signs.
func TestEveryFloat32(t *testing.T) {
	defer Use(BestLevel())
	const block = 1 << 16
	src := make([]byte, 4*block)
	for _, typ := range []Type{Float16, BFloat16, Float8E4M3, Float8E5M2} {
		size := typ.Size()
		want, got := make([]byte, 2*size*block), make([]byte, size*block)
		s := steps{t: typ}
		for first := uint32(0); first < 1<<31; first += uint32(block * stride()) {
			for i := range uint32(block) {
				code := s.next(math.Float32frombits(first + i))
				put(typ, want, int(i), code)
				if first+i <= 0x7f800000 {
					code |= signBit(typ)
				}
				put(typ, want, block+int(i), code)
			}
			for sign := range uint32(2) {
				for i := range uint32(block) {
					binary.LittleEndian.PutUint32(src[4*i:], first+i|sign<<31)
				}
				p := &problem{t: Float32, to: typ, a: src, want: want[int(sign)*size*block:][:size*block], anyNaN: make([]bool, block)}
				for l := range BestLevel() + 1 {
					if Use(l) == nil {
						ConversionFor(typ, Float32)(got, src)
						p.check(t, l.String()+", float32 to "+typ.String(), got, 0)
					}
				}
			}
		}
	}
}

// TestEveryPairOf16Bits compares the levels on all pairs of codes.
func TestEveryPairOf16Bits(t *testing.T) {
	const codes = 1 << 16
	a, b := make([]byte, 2*codes), make([]byte, 2*codes)
	for x := range codes {
		binary.LittleEndian.PutUint16(a[2*x:], uint16(x))
	}
	for _, typ := range []Type{Float16, BFloat16} {
		for _, o := range []Op{Sum, Prod, Max, Min} {
			for y := 0; y < codes; y += stride() {
				for x := range codes {
					binary.LittleEndian.PutUint16(b[2*x:], uint16(y))
				}
				agree(t, typ, o, a, b)
			}
		}
	}
}
