package simd

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

const poolElements = 3000

// Counts of elements around the vectors and turns of the assembly and the blocks of the twins, beyond the first 300.
var counts = []int{320, 383, 384, 385, 511, 512, 513, 1023, 1024, 1025, 1040, 2047, 2048, 2049, 2900}

// rig holds the places of one kernel's operands.
type rig struct {
	p                 *problem
	kernel            *Kernel
	dst, dst2, pa, pb *place
}

func newRig(t *testing.T, typ Type, o Op) *rig {
	k := KernelFor(typ, o)
	if k == nil {
		t.Fatalf("no kernel for %s of %s", o, typ)
	}
	n := poolElements * typ.Size()
	return &rig{newProblem(typ, o, poolElements), k, newPlace(n), newPlace(n), newPlace(n), newPlace(n)}
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
	for _, f := range forms {
		what := fmt.Sprintf("%s, %d elements, offsets dst %d dst2 %d a %d b %d", f.name, n, do, d2o, ao, bo)
		a, b := load()
		got := f.run(g.kernel, g.dst.at(do, bytes), g.dst2.at(d2o, bytes), a, b)
		for _, d := range got {
			g.p.check(t, what, d, first)
		}
		g.dst.intact(t, what, do, bytes)
		g.dst2.intact(t, what, d2o, bytes)
		g.pa.intact(t, what, ao, bytes)
		g.pb.intact(t, what, bo, bytes)
	}
}

// forms are the ways to call a kernel; each returns where the results are.
var forms = []struct {
	name string
	run  func(k *Kernel, d, d2, a, b []byte) [2][]byte
}{
	{"apart", func(k *Kernel, d, _, a, b []byte) [2][]byte { k.Reduce(d, a, b); return [2][]byte{d, d} }},
	{"to a", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.Reduce(a, a, b); return [2][]byte{a, a} }},
	{"to b", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.Reduce(b, a, b); return [2][]byte{b, b} }},
	{"streamed", func(k *Kernel, d, _, a, b []byte) [2][]byte { k.ReduceStream(d, a, b); return [2][]byte{d, d} }},
	{"streamed to a", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.ReduceStream(a, a, b); return [2][]byte{a, a} }},
	{"streamed to b", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.ReduceStream(b, a, b); return [2][]byte{b, b} }},
	{"two", func(k *Kernel, d, d2, a, b []byte) [2][]byte { k.Reduce2(d, d2, a, b); return [2][]byte{d, d2} }},
	{"two, to a", func(k *Kernel, _, d2, a, b []byte) [2][]byte { k.Reduce2(a, d2, a, b); return [2][]byte{a, d2} }},
	{"two, second to b", func(k *Kernel, d, _, a, b []byte) [2][]byte { k.Reduce2(d, b, a, b); return [2][]byte{d, b} }},
	{"two, to b and a", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.Reduce2(b, a, a, b); return [2][]byte{b, a} }},
	{"two, streamed", func(k *Kernel, d, d2, a, b []byte) [2][]byte { k.Reduce2Stream(d, d2, a, b); return [2][]byte{d, d2} }},
	{"two, to a, streamed", func(k *Kernel, _, d2, a, b []byte) [2][]byte { k.Reduce2Stream(a, d2, a, b); return [2][]byte{a, d2} }},
	{"two, second to b, streamed", func(k *Kernel, d, _, a, b []byte) [2][]byte { k.Reduce2Stream(d, b, a, b); return [2][]byte{d, b} }},
	{"two, to b and a, streamed", func(k *Kernel, _, _, a, b []byte) [2][]byte { k.Reduce2Stream(b, a, a, b); return [2][]byte{b, a} }},
}

func TestReduce(t *testing.T) {
	for _, typ := range Types() {
		for _, o := range Ops() {
			if o == Avg || isFloat(typ) && o >= And {
				if KernelFor(typ, o) != nil {
					t.Errorf("there is a kernel for %s of %s", o, typ)
				}
				continue
			}
			t.Run(fmt.Sprintf("%s/%s", typ, o), func(t *testing.T) {
				levels(t, func(t *testing.T) {
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
			kernel := KernelFor(typ, o)
			a, b, d := make([]byte, 256), make([]byte, 256), make([]byte, 256)
			for i := range a {
				a[i] = byte(i)
			}
			for y := range 256 {
				for i := range b {
					b[i] = byte(y)
				}
				kernel.Reduce(d, a, b)
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
				k := KernelFor(typ, o)
				if k == nil {
					continue
				}
				n := 8 * typ.Size()
				full, short := make([]byte, n), make([]byte, n-typ.Size())
				for _, f := range forms {
					operands := [][]byte{full, full, full, full}
					for i := range operands {
						if strings.Contains(f.name, "to") {
							continue // all its operands are used twice, or not at all
						}
						if i == 1 && !strings.Contains(f.name, "two") {
							continue
						}
						with := slices.Clone(operands)
						with[i] = short
						mustPanic(t, func() { f.run(k, with[0], with[1], with[2], with[3]) })
					}
					if cut := full[1:]; typ.Size() > 1 {
						mustPanic(t, func() { f.run(k, cut, cut, cut, cut) })
					}
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
