package simd

import (
	"math/rand/v2"
	"testing"
)

// FuzzReduce compares each level with the twin: any kernel, in any form, at any offsets, on any bits. The bytes are taken over and over again until there are enough.
func FuzzReduce(f *testing.F) {
	type reduction struct {
		typ Type
		o   Op
	}
	var reductions []reduction
	eachKernel(func(typ Type, o Op) { reductions = append(reductions, reduction{typ, o}) })
	rng := rand.New(rand.NewPCG(37, 41))
	for i, r := range reductions {
		a, b := operands(r.typ, 20, rng)
		f.Add(byte(i), byte(i), rng.Uint32(), uint16(i*29), append(a, b...))
	}
	defer Use(BestLevel())
	f.Fuzz(func(t *testing.T, reductionAt, formAt byte, at uint32, length uint16, data []byte) {
		if len(data) == 0 {
			return
		}
		r, fm := reductions[int(reductionAt)%len(reductions)], forms[int(formAt)%len(forms)]
		n := int(length) % (2 * streamFrom) / r.typ.Size()
		p, bytes := fuzzed(r.typ, r.o, data, n), n*r.typ.Size()
		where := offsets{dst: int(at & 63), dst2: int(at >> 6 & 63), a: int(at >> 12 & 63), b: int(at >> 18 & 63)}
		for l := range BestLevel() + 1 {
			if Use(l) == nil {
				g := &rig{p, KernelFor(r.typ, r.o), newPlace(bytes), newPlace(bytes), newPlace(bytes), newPlace(bytes)}
				g.run(t, fm, 0, n, where)
			}
		}
	})
}

// fuzzed is the problem of n elements of data; what is wanted is the twin's.
func fuzzed(typ Type, o Op, data []byte, n int) *problem {
	a, b := make([]byte, n*typ.Size()), make([]byte, n*typ.Size())
	for i := range a {
		a[i], b[i] = data[i%len(data)], data[(i+len(a))%len(data)]
	}
	return twinProblem(typ, o, a, b)
}
