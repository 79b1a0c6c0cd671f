package simd

import (
	"fmt"
	"testing"
)

// go test ./simd -run='^$' -bench=. shows GB/s of one operand; compare with the same loops in C, compiled by gcc -O3 -march=native.
func BenchmarkKernels(b *testing.B) {
	defer Use(BestLevel())
	for l := Generic; l <= BestLevel(); l++ {
		if Use(l) != nil {
			continue
		}
		sum, maximum := KernelFor(Float32, Sum), KernelFor(Float32, Max)
		for _, off := range []int{0, 16} {
			for _, size := range []int{64, 1 << 10, 4 << 10, 64 << 10, 1 << 20} {
				// Neighbours in one piece of memory: separate allocations are scattered over the sets of the second-level cache by chance.
				arena := aligned(4 * (size + 4096))
				at := func(i int) []byte { return arena[i*(size+4096)+off:][:size] }
				d, d2, x, y := at(0), at(1), at(2), at(3)
				for _, k := range []struct {
					name string
					run  func()
				}{
					{"sum", func() { sum.Reduce(d, x, y) }}, {"sum2", func() { sum.Reduce2(d, d2, x, y) }},
					{"max", func() { maximum.Reduce(d, x, y) }}, {"max2", func() { maximum.Reduce2(d, d2, x, y) }},
					{"copy", func() { Copy(d, x) }}, {"copy2", func() { Copy2(d, d2, x) }},
				} {
					b.Run(fmt.Sprintf("%s/%s/off%d/%d", l, k.name, off, size), func(b *testing.B) {
						b.SetBytes(int64(size))
						for b.Loop() {
							k.run()
						}
					})
				}
			}
		}
	}
}

// BenchmarkTwins runs every reduction as a Go twin on 64 KiB.
func BenchmarkTwins(b *testing.B) {
	const size = 64 << 10
	d, x, y := aligned(size), aligned(size), aligned(size)
	for i := range x {
		x[i], y[i] = byte(i*7)&0x3f, byte(i*5)&0x3f
	}
	for _, t := range Types() {
		for _, o := range Ops() {
			if k := kernels[Generic][t.index()][o.index()]; k.twin != nil {
				b.Run(fmt.Sprintf("%s/%s", t, o), func(b *testing.B) {
					b.SetBytes(size)
					for b.Loop() {
						k.twin(d, x, y)
					}
				})
			}
		}
	}
}
