package simd

import (
	"fmt"
	"testing"
)

// eachKernel runs f for every kernel that there must be.
func eachKernel(f func(typ Type, o Op)) {
	for _, typ := range Types() {
		for _, o := range Ops() {
			if o != Avg && (o < And || !isFloat(typ)) {
				f(typ, o)
			}
		}
	}
}

func TestKernelFor(t *testing.T) {
	levels(t, func(t *testing.T) {
		there := map[string]bool{}
		eachKernel(func(typ Type, o Op) { there[typ.String()+o.String()] = true })
		for _, typ := range Types() {
			for _, o := range Ops() {
				if got := KernelFor(typ, o) != nil; got != there[typ.String()+o.String()] {
					t.Errorf("a kernel for %s of %s: %t", o, typ, got)
				}
			}
		}
	})
}

// TestReduce runs each kernel in each form: over all elements of its problem, then over few, and at all offsets of each operand.
func TestReduce(t *testing.T) {
	eachKernel(func(typ Type, o Op) {
		t.Run(fmt.Sprintf("%s/%s", typ, o), func(t *testing.T) {
			levels(t, func(t *testing.T) {
				g := newRig(t, typ, o, poolElements)
				g.run(t, form{}, 0, poolElements, offsets{})
				for i, f := range forms {
					if level == Generic { // nothing but the lengths of loops
						g.runShort(t, f, 12+i)
						continue
					}
					g.run(t, f, 0, poolElements, walk(i))
					g.runShort(t, f, 301)
					if f.stream {
						g.runStreamed(t, f)
					}
				}
			})
		})
	})
}

// runShort reduces up to most-1 elements. Few of them are streamed, so that then few will do; what is shorter than a vector is done several times, to have enough values.
func (g *rig) runShort(t *testing.T, f form, most int) {
	step := 1
	if f.stream {
		step = 7
	}
	for n := 0; n < most; n += step {
		g.run(t, f, (n*31)%(poolElements-n), n, walk(n))
	}
	if level == Generic {
		return
	}
	for i := range 6 * 64 / g.t.Size() {
		n := i % (64 / g.t.Size())
		g.run(t, f, (i*97)%(poolElements-n), n, walk(i+7))
	}
}

// runStreamed is about the number of bytes from which there are stores past the caches, and as many more as the ends of the kernel differ by.
func (g *rig) runStreamed(t *testing.T, f form) {
	size := g.t.Size()
	least, most := streamFrom/size-2, streamFrom/size+160/size
	for i := range 192 {
		n := least + i%(most-least)
		g.run(t, f, (i*37)%(poolElements-n), n, walk(i))
	}
}

// TestReduceBlocks has as many elements as the assembly gets at a time, as twice that, one fewer and one more; and as those that the twins copy at a time.
func TestReduceBlocks(t *testing.T) {
	const twinBlock = 4096
	eachKernel(func(typ Type, o Op) {
		levels(t, func(t *testing.T) {
			size, block := typ.Size(), pieceBytes
			if level == Generic {
				block = twinBlock
			}
			g := newRig(t, typ, o, 2*block/size+1)
			for i, n := range []int{block/size - 1, block / size, block/size + 1, 2 * block / size, 2*block/size + 1} {
				for j := i % 5; j < len(forms); j += 5 { // each form with one of the lengths
					g.run(t, forms[j], 0, n, walk(9*i+j))
				}
				g.run(t, form{two: true, stream: true, dst2: isB}, 0, n, offsets{dst: 3, dst2: 64 - size, a: i, b: 8 * i})
			}
		})
	})
}

// TestReduceOffsets puts dst and a, and dst2 and b, at all pairs of offsets, for two kernels of each size: a simple one, and one that needs many registers.
func TestReduceOffsets(t *testing.T) {
	for _, k := range []struct {
		t Type
		o Op
	}{
		{Uint8, Max}, {Float8E4M3, Sum}, {Int16, Sum}, {Float16, Prod}, {Int32, Or}, {Float32, Max}, {Uint64, LogicalXor}, {Float64, Min},
	} {
		levels(t, func(t *testing.T) {
			g, size := newRig(t, k.t, k.o, 4096), k.t.Size()
			for i := range offsetPairs() {
				at := offsets{dst: i % 64, a: i / 64, dst2: (i + i/64*3) % 64, b: (i*5 + i/64) % 64}
				n := (64 + i*11%320) / size
				for _, f := range []form{{}, {dst: isB}, {two: true}, {two: true, dst: isA}, {two: true, dst2: isB}} {
					g.run(t, f, i%(4096-n), n, at)
				}
				n = (streamFrom + i*11%320) / size
				f := [...]form{{stream: true}, {two: true, stream: true}}[i%2]
				g.run(t, f, 0, n, at)
			}
		})
	}
}

// TestReduceItself has one slice for both operands, and for the result too.
func TestReduceItself(t *testing.T) {
	levels(t, func(t *testing.T) {
		eachKernel(func(typ Type, o Op) {
			p, k := poolFor(typ, o), KernelFor(typ, o)
			n := 400 * typ.Size()
			q := solve(typ, typ, p.a[:n], p.a[:n], func(x, y uint64) (uint64, bool) { return oracle(typ, o, x, y) })
			at := newPlace(n)
			for off := 0; off < 64; off += 9 {
				what := fmt.Sprintf("%s of %s, offset %d", o, typ, off)
				x := at.with(off, q.a)
				d := make([]byte, n)
				k.Reduce(d, x, x)
				q.check(t, what, d, 0)
				k.Reduce2Stream(d, x, x, x)
				q.check(t, what, d, 0)
				q.check(t, what, x, 0)
				at.intact(t, what, off, n)
			}
		})
	})
}
