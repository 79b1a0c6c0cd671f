package simd

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var divisors = []int{1, 2, 3, 5, 7, 8, 127, 128, 200, 255, 256, 1000, 40000, 65536, 1 << 20, 3_000_000_000}

// scaleOracle multiplies exactly and rounds. A NaN is, in the narrow types, the positive one without payload; in the others any will do.
func scaleOracle(t Type, x uint64, n int) (r uint64, anyNaN bool) {
	v := valueOf(t, x)
	if t == Float64 {
		factor := 1 / float64(n)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return math.Float64bits(v * factor), v != v
		}
		f, _ := new(big.Float).SetPrec(110).Mul(big.NewFloat(v), big.NewFloat(factor)).Float64()
		return math.Float64bits(f), false
	}
	f := float32(v * float64(float32(1/float64(float32(n))))) // float64 has more than twice the bits of float32
	if t == Float32 {
		return uint64(math.Float32bits(f)), f != f
	}
	return nearest(t, float64(f)), false
}

func divideOracle(t Type, x uint64, n int) (r uint64, anyNaN bool) {
	return fromInt(t, new(big.Int).Quo(asInt(t, x), big.NewInt(int64(n)))), false
}

// averageRig holds the places of one kernel's operands.
type averageRig struct {
	*problem
	name    string
	kernel  func(dst, a []byte, n int)
	divisor int
	dst, pa *place
}

// run divides n elements from first on, to another place and to their own.
func (g *averageRig) run(t *testing.T, first, n int, at offsets) {
	lo, hi := first*g.t.Size(), (first+n)*g.t.Size()
	d, a := g.dst.with(at.dst, g.wrong[lo:hi]), g.pa.with(at.a, g.a[lo:hi])
	what := averageSituation{g, n, at}
	g.kernel(d, a, g.divisor)
	g.check(t, what, d, first)
	same(t, what, a, g.a[lo:hi])
	g.kernel(a, a, g.divisor)
	g.check(t, what, a, first)
	g.dst.intact(t, what, at.dst, hi-lo)
	g.pa.intact(t, what, at.a, hi-lo)
}

type averageSituation struct {
	*averageRig
	elements int
	at       offsets
}

func (s averageSituation) String() string {
	return fmt.Sprintf("%s of %s by %d, %d elements, offsets dst %d a %d", s.name, s.t, s.divisor, s.elements, s.at.dst, s.at.a)
}

func newAverageRig(name string, p *problem, kernel func(dst, a []byte, n int), divisor int) *averageRig {
	return &averageRig{p, name, kernel, divisor, newPlace(len(p.a)), newPlace(len(p.a))}
}

func averageProblem(t Type, a []byte, n int) *problem {
	of := scaleOracle
	if !isFloat(t) {
		of = divideOracle
	}
	return solve(t, t, a, nil, func(x, _ uint64) (uint64, bool) { return of(t, x, n) })
}

func TestScaleAndDivideAreThere(t *testing.T) {
	levels(t, func(t *testing.T) {
		for _, typ := range append(Types(), 12, 99) {
			if got := Scale(typ) != nil; got != isFloat(typ) {
				t.Errorf("a Scale of %s: %t", typ, got)
			}
			if got := Divide(typ) != nil; got != (typ.Valid() && !isFloat(typ)) {
				t.Errorf("a Divide of %s: %t", typ, got)
			}
		}
	})
}

// TestScaleCodes multiplies every code of the narrow types.
func TestScaleCodes(t *testing.T) {
	slowWithRaceDetector(t)
	for _, typ := range []Type{Float16, BFloat16, Float8E4M3, Float8E5M2} {
		for _, n := range []int{1, 2, 3, 1000} {
			p := averageProblem(typ, sources(typ), n)
			levels(t, func(t *testing.T) {
				g := newAverageRig("Scale", p, Scale(typ), n)
				for _, first := range shifts()[:min(2, len(shifts()))] {
					g.run(t, first, len(p.anyNaN)-first, offsets{})
				}
			})
		}
	}
}

func TestScale(t *testing.T) {
	for _, typ := range Types() {
		if !isFloat(typ) {
			continue
		}
		a, _ := operands(typ, poolElements, rand.New(rand.NewPCG(19, uint64(typ))))
		for _, n := range divisors {
			p := averageProblem(typ, a[:1000*typ.Size()], n)
			levels(t, func(t *testing.T) {
				newAverageRig("Scale", p, Scale(typ), n).run(t, 0, 1000, walk(n))
			})
		}
		p := averageProblem(typ, a, 3).repeated(2*convertBlock + 17)
		levels(t, func(t *testing.T) { newAverageRig("Scale", p, Scale(typ), 3).places(t) })
	}
}

// places is about numbers of elements and offsets.
func (g *averageRig) places(t *testing.T) {
	for n := range 301 {
		g.run(t, n*7, n, walk(n))
	}
	for i := range offsetPairs() {
		g.run(t, i%1000, 16+i%83, offsets{dst: i % 64, a: i / 64})
	}
	for i, n := range []int{convertBlock - 1, convertBlock, convertBlock + 1, convertBlock + 15, convertBlock + 16, 2 * convertBlock, 2*convertBlock + 17} {
		g.run(t, 0, n, walk(i))
	}
}

func TestDivide(t *testing.T) {
	for _, typ := range Types() {
		if isFloat(typ) {
			continue
		}
		a, _ := operands(typ, 700, rand.New(rand.NewPCG(23, uint64(typ))))
		for _, n := range divisors {
			g := newAverageRig("Divide", averageProblem(typ, a, n), Divide(typ), n)
			for i, elements := range []int{0, 1, 2, 3, 17, 100, 700} {
				g.run(t, 0, elements, walk(n+i))
			}
		}
	}
}

// TestDivideEdges has many divisors, and dividends beside their multiples.
func TestDivideEdges(t *testing.T) {
	slowWithRaceDetector(t)
	rng := rand.New(rand.NewPCG(43, 47))
	ns := []int{math.MaxInt, math.MaxInt - 1}
	for bit := range 63 {
		ns = append(ns, max(1, 1<<bit-1), 1<<bit, 1<<bit+1, 1+int(rng.Uint64()>>(1+bit)))
	}
	for _, typ := range Types() {
		if isFloat(typ) {
			continue
		}
		for _, n := range ns {
			xs := special(typ)
			for range 16 {
				multiple := rng.Uint64() >> rng.UintN(64) * uint64(n)
				xs = append(xs, multiple-1, multiple, multiple+1, -multiple)
			}
			a := make([]byte, len(xs)*typ.Size())
			for i, x := range xs {
				put(typ, a, i, x)
			}
			d := make([]byte, len(a))
			Divide(typ)(d, a, n)
			averageProblem(typ, a, n).check(t, fmt.Sprintf("Divide of %s by %d", typ, n), d, 0)
		}
	}
}
