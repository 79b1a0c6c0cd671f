package simd

import (
	"math"
	"math/big"
	"testing"
)

var divisors = []int{1, 2, 3, 5, 7, 8, 127, 128, 200, 255, 256, 1000, 40000, 65536, 1 << 20, 3_000_000_000}

func scaleOracle(t Type, x uint64, n int) (r uint64, anyNaN bool) {
	if t == Float64 {
		v := valueOf(t, x) * (1 / float64(n))
		return math.Float64bits(v), v != v
	}
	factor := float32(1 / float64(float32(n)))
	v := float32(valueOf(t, x) * float64(factor))
	if t == Float32 {
		return uint64(math.Float32bits(v)), v != v
	}
	return nearest(t, float64(v)), false
}

func divideOracle(t Type, x uint64, n int) (r uint64, anyNaN bool) {
	return fromInt(t, new(big.Int).Quo(asInt(t, x), big.NewInt(int64(n)))), false
}

func TestScaleAndDivide(t *testing.T) {
	const count = 700
	for _, typ := range Types() {
		kernel, oracle := Scale(typ), scaleOracle
		if isFloat(typ) {
			if Divide(typ) != nil {
				t.Errorf("%s: there is a Divide", typ)
			}
		} else {
			if kernel != nil {
				t.Errorf("%s: there is a Scale", typ)
			}
			kernel, oracle = Divide(typ), divideOracle
		}
		p := newProblem(typ, Sum, count)
		memory := newPlace(count * typ.Size())
		source := newPlace(count * typ.Size())
		for _, n := range divisors {
			for i := range count {
				r, anyNaN := oracle(typ, get(typ, p.a, i), n)
				put(typ, p.want, i, r)
				p.anyNaN[i] = anyNaN
			}
			for _, elements := range []int{0, 1, 2, 3, 17, 100, count} {
				bytes := elements * typ.Size()
				off := (n*3 + elements) % 64
				a, d := source.at(off, bytes), memory.at(63-off, bytes)
				copy(a, p.a)
				kernel(d, a, n)
				p.check(t, typ.String(), d, 0)
				kernel(a, a, n)
				p.check(t, typ.String()+" in place", a, 0)
				memory.intact(t, typ.String(), 63-off, bytes)
				source.intact(t, typ.String(), off, bytes)
			}
		}
		mustPanic(t, func() { kernel(make([]byte, 16), make([]byte, 8), 2) })
	}
	if Scale(Type(99)) != nil || Divide(Type(99)) != nil {
		t.Error("there is a kernel for an unknown type")
	}
}
