package simd

import (
	"fmt"
	"testing"
)

// mustPanic runs f, that must refuse its operands.
func mustPanic(t *testing.T, what any, f func()) {
	t.Helper()
	defer func() {
		if got := recover(); got != errLength {
			t.Errorf("%v: did not refuse, but: %v", what, got)
		}
	}()
	f()
}

// wrongLengths are those of operands that should have n bytes, all but the last with one that differs; in the last each has a cut element.
func wrongLengths(operands, n, size int) (all [][]int) {
	for i := range operands {
		for _, wrong := range []int{n - size, n + size, 0} {
			ls := make([]int, operands)
			for j := range ls {
				ls[j] = n
			}
			ls[i] = wrong
			all = append(all, ls)
		}
	}
	if size > 1 {
		cut := make([]int, operands)
		for j := range cut {
			cut[j] = n + 1
		}
		all = append(all, cut)
	}
	return all
}

func TestReduceRefusesWrongLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		memory := make([]byte, 8*streamFrom)
		eachKernel(func(typ Type, o Op) {
			k, size := KernelFor(typ, o), typ.Size()
			for _, n := range []int{8 * size, 2 * streamFrom} {
				for _, two := range []bool{false, true} {
					operands := 3
					if two {
						operands = 4
					}
					for _, ls := range wrongLengths(operands, n, size) {
						d, a, b := memory[:ls[0]], memory[:ls[1]], memory[:ls[2]]
						what := fmt.Sprintf("%s of %s of %v bytes", o, typ, ls)
						if two {
							mustPanic(t, what, func() { k.Reduce2(d, memory[4*streamFrom:][:ls[3]], a, b) })
							mustPanic(t, what, func() { k.Reduce2Stream(d, memory[4*streamFrom:][:ls[3]], a, b) })
						} else {
							mustPanic(t, what, func() { k.Reduce(d, a, b) })
							mustPanic(t, what, func() { k.ReduceStream(d, a, b) })
						}
					}
				}
			}
			for _, f := range forms {
				f.call(k, nil, nil, nil, nil)
			}
		})
	})
}

func TestConvertRefusesWrongLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		memory := make([]byte, 1000)
		for _, c := range conversionPairs {
			convert, to, from := ConversionFor(c.to, c.from), c.to.Size(), c.from.Size()
			for _, n := range []int{5, 16, 100} {
				for _, ls := range [][2]int{{n * to, (n - 1) * from}, {n * to, (n + 1) * from}, {(n - 1) * to, n * from}, {(n + 1) * to, n * from}, {0, n * from}, {n * to, 0}} {
					mustPanic(t, fmt.Sprint(c, ls), func() { convert(memory[:ls[0]], memory[:ls[1]]) })
				}
				if to > 1 {
					mustPanic(t, fmt.Sprint(c, " dst cut"), func() { convert(memory[:n*to+1], memory[:n*from]) })
				}
				if from > 1 {
					mustPanic(t, fmt.Sprint(c, " src cut"), func() { convert(memory[:n*to], memory[:n*from+1]) })
				}
			}
			convert(nil, nil)
		}
	})
}

func TestAverageRefusesWrongLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		memory := make([]byte, 2000)
		for _, typ := range Types() {
			kernel := Scale(typ)
			if kernel == nil {
				kernel = Divide(typ)
			}
			for _, elements := range []int{2, 100} {
				for _, ls := range wrongLengths(2, elements*typ.Size(), typ.Size()) {
					mustPanic(t, fmt.Sprint(typ, ls), func() { kernel(memory[:ls[0]], memory[:ls[1]], 2) })
				}
			}
			kernel(nil, nil, 2)
		}
	})
}

func TestCopyRefusesWrongLengths(t *testing.T) {
	levels(t, func(t *testing.T) {
		for _, n := range []int{1, 100, 1000, 2 * streamFrom} {
			a, b := make([]byte, n), make([]byte, n-1)
			mustPanic(t, n, func() { Copy(a, b) })
			mustPanic(t, n, func() { Copy(b, a) })
			mustPanic(t, n, func() { Copy2(a, b, a) })
			mustPanic(t, n, func() { Copy2(b, a, a) })
			mustPanic(t, n, func() { Copy2(a, a, b) })
			mustPanic(t, n, func() { Stream(a, b) })
			mustPanic(t, n, func() { Stream(b, a) })
		}
		Copy(nil, nil)
		Copy2(nil, nil, nil)
		Stream(nil, nil)
	})
}
