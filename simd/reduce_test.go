package simd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

const poolElements = 3000

// Counts of elements around the vectors and turns of the assembly and the blocks of the twins, beyond the first 300.
var counts = []int{320, 383, 384, 385, 511, 512, 513, 1023, 1024, 1025, 1040, 2047, 2048, 2049, 2900}

// rig holds the places of one kernel's operands.
type rig struct {
	p                 *problem
	reduce            Reduce
	reduce2           Reduce2
	dst, dst2, pa, pb *place
}

func newRig(t *testing.T, typ Type, o Op) *rig {
	r, r2, ok := KernelFor(typ, o)
	if !ok {
		t.Fatalf("no kernel for %s of %s", o, typ)
	}
	n := poolElements * typ.Size()
	return &rig{newProblem(typ, o, poolElements), r, r2, newPlace(n), newPlace(n), newPlace(n), newPlace(n)}
}

// run reduces n elements from first on in all forms: dst apart, dst is a, dst is b; one destination and two.
func (g *rig) run(t *testing.T, first, n, do, d2o, ao, bo int) {
	size := g.p.t.Size()
	lo, bytes := first*size, n*size
	load := func() (a, b []byte) {
		a, b = g.pa.at(ao, bytes), g.pb.at(bo, bytes)
		copy(a, g.p.a[lo:])
		copy(b, g.p.b[lo:])
		return a, b
	}
	for form := range 7 {
		what := fmt.Sprintf("form %d, %d elements, offsets dst %d dst2 %d a %d b %d", form, n, do, d2o, ao, bo)
		a, b := load()
		d, d2 := g.dst.at(do, bytes), g.dst2.at(d2o, bytes)
		switch form {
		case 0:
			g.reduce(d, a, b)
		case 1:
			g.reduce(a, a, b)
			d = a
		case 2:
			g.reduce(b, a, b)
			d = b
		case 3:
			g.reduce2(d, d2, a, b)
		case 4:
			g.reduce2(a, d2, a, b)
			d = a
		case 5:
			g.reduce2(d, b, a, b)
			d2 = b
		case 6:
			g.reduce2(b, a, a, b)
			d, d2 = b, a
		}
		g.p.check(t, what, d, first)
		if form >= 3 {
			g.p.check(t, what+", second destination", d2, first)
		}
		g.dst.intact(t, what, do, bytes)
		g.dst2.intact(t, what, d2o, bytes)
		g.pa.intact(t, what, ao, bytes)
		g.pb.intact(t, what, bo, bytes)
	}
}

func TestReduce(t *testing.T) {
	for _, typ := range Types() {
		for _, o := range Ops() {
			if o == Avg || isFloat(typ) && o >= And {
				if _, _, ok := KernelFor(typ, o); ok {
					t.Errorf("there is a kernel for %s of %s", o, typ)
				}
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", typ, o), func(t *testing.T) {
				levels(t, func(t *testing.T) {
					if level != Generic && !inAssembly(typ, o) {
						t.Skip("the Go twin, as at level generic")
					}
					g := newRig(t, typ, o)
					rng := rand.New(rand.NewPCG(1, 2))
					g.run(t, 0, poolElements, 0, 0, 0, 0) // every element of the problem once
					for n := range 301 {
						g.run(t, rng.IntN(poolElements-n), n, rng.IntN(64), rng.IntN(64), rng.IntN(64), rng.IntN(64))
					}
					for _, n := range counts {
						g.run(t, rng.IntN(poolElements-n), n, 0, 0, 0, 0)
						g.run(t, rng.IntN(poolElements-n), n, rng.IntN(64), rng.IntN(64), rng.IntN(64), rng.IntN(64))
					}
				})
			})
		}
	}
}

func inAssembly(t Type, o Op) bool { return t == Float32 && (o == Sum || o == Max) }

// TestReduceAlignment puts the operands of the assembly at all pairs of misalignments of dst and a, and all of b and dst2.
func TestReduceAlignment(t *testing.T) {
	levels(t, func(t *testing.T) {
		if level == Generic {
			t.Skip("the Go twins have no alignment")
		}
		for _, o := range []Op{Sum, Max} {
			g := newRig(t, Float32, o)
			for do := range 64 {
				for ao := range 64 {
					bo, d2o := (5*do+ao+7*(ao/8))%64, (3*ao+do)%64
					n := (37*do + 11*ao) % 400
					g.run(t, (do*64+ao)%(poolElements-n), n, do, d2o, ao, bo)
				}
			}
			for n := range 301 { // dst where the head is long, short, and impossible
				for _, do := range []int{0, 4, 28, 32, 60, 63} {
					g.run(t, n, n, do, 64-do, n%64, (n*3)%64)
				}
			}
		}
	})
}

// TestFloat8Exhaustive reduces all pairs of codes.
func TestFloat8Exhaustive(t *testing.T) {
	for _, typ := range []Type{Float8E4M3, Float8E5M2} {
		for _, o := range []Op{Sum, Prod, Max, Min} {
			reduce, _, _ := KernelFor(typ, o)
			a, b, d := make([]byte, 256), make([]byte, 256), make([]byte, 256)
			for i := range a {
				a[i] = byte(i)
			}
			for y := range 256 {
				for i := range b {
					b[i] = byte(y)
				}
				reduce(d, a, b)
				for i := range d {
					if want, _ := oracle(typ, o, uint64(i), uint64(y)); uint64(d[i]) != want {
						t.Fatalf("%s of %s: a %#x, b %#x: got %#x, want %#x", o, typ, i, y, d[i], want)
					}
				}
			}
		}
	}
}

func TestReduceRefusesUnequalLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		for _, typ := range Types() {
			for _, o := range Ops() {
				reduce, reduce2, ok := KernelFor(typ, o)
				if !ok {
					continue
				}
				n := 8 * typ.Size()
				full, short := make([]byte, n), make([]byte, n-typ.Size())
				mustPanic(t, func() { reduce(full, short, full) })
				mustPanic(t, func() { reduce(full, full, short) })
				mustPanic(t, func() { reduce2(full, short, full, full) })
				mustPanic(t, func() { reduce2(full, full, full, short) })
				if typ.Size() > 1 {
					mustPanic(t, func() { reduce(full[1:], full[1:], full[1:]) })
					mustPanic(t, func() { reduce2(full[1:], full[1:], full[1:], full[1:]) })
				}
			}
		}
	})
}

func mustPanic(t *testing.T, f func()) {
	t.Helper()
	defer func() {
		if recover() == nil {
			t.Error("did not panic")
		}
	}()
	f()
}
