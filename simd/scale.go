package simd

import "math/bits"

// Scale returns the kernel that multiplies floats by 1/n, the half of an average that comes before the sum, at the level in use; nil for integers and unknown types:
//
//	factor := 1 / float32(n) // Float64: 1 / float64(n)
//	for i := range dst { dst[i] = a[i] * factor }
//
// The 16- and 8-bit floats are multiplied in float32; the product is rounded to the type as sums are. n is at least 1.
// Lengths are equal; dst is a, or does not overlap it.
func Scale(t Type) func(dst, a []byte, n int) {
	if i := t.index(); i >= 0 {
		return scales[level][i]
	}
	return nil
}

type scaleTable [numTypes]func(dst, a []byte, n int)

// scales are the tables of all levels, as kernels are.
var scales = [...]scaleTable{Generic: twinScales(), AVX2: twinScales(), AVX512: twinScales()}

func twinScales() scaleTable {
	return scaleTable{
		Float16: scaleFloat16, BFloat16: scaleBFloat16, Float8E4M3: scaleFloat8E4M3, Float8E5M2: scaleFloat8E5M2,
		Float32: scale[float32], Float64: scale[float64],
	}
}

// Divide returns the kernel that divides integers by n, toward zero, the half of an average that comes after the sum; nil for floats and unknown types:
//
//	for i := range dst { dst[i] = a[i] / n }
//
// n is at least 1 and need not be a number of the type: int8 divided by 200 is 0.
// Lengths are equal; dst is a, or does not overlap it. It is written in Go at every level.
func Divide(t Type) func(dst, a []byte, n int) {
	switch t {
	case Int8:
		return divideSigned[int8]
	case Int16:
		return divideSigned[int16]
	case Int32:
		return divideSigned[int32]
	case Int64:
		return divideSigned[int64]
	case Uint8:
		return divideUnsigned[uint8]
	case Uint16:
		return divideUnsigned[uint16]
	case Uint32:
		return divideUnsigned[uint32]
	case Uint64:
		return divideUnsigned[uint64]
	}
	return nil
}

func scale[T float](dst, a []byte, n int) {
	d, x := view2[T](dst, a)
	factor := 1 / T(n)
	x = x[:len(d)]
	for i := range d {
		d[i] = x[i] * factor
	}
}

// A divisor divides by a number that is known before its many dividends, with a multiplication instead of a division.
// It is that of Granlund and Montgomery, "Division by invariant integers using multiplication" (PLDI 1994), figure 4.1.
type divisor struct {
	magic          uint64
	shift1, shift2 uint8
}

// newDivisor is for n >= 1.
func newDivisor(n uint64) divisor {
	l := bits.Len64(n - 1) // the least with n <= 2^l
	magic, _ := bits.Div64(1<<l-n, 0, n)
	return divisor{magic + 1, uint8(min(l, 1)), uint8(max(l-1, 0))}
}

func (d divisor) divide(x uint64) uint64 {
	t, _ := bits.Mul64(d.magic, x)
	return (t + (x-t)>>(d.shift1&63)) >> (d.shift2 & 63)
}

func divideSigned[T signed](dst, a []byte, n int) {
	d, x := view2[T](dst, a)
	by := newDivisor(uint64(n))
	x = x[:len(d)]
	for i := range d {
		v := int64(x[i])
		sign := v >> 63
		q := int64(by.divide(uint64(v ^ sign - sign)))
		d[i] = T(q ^ sign - sign)
	}
}

func divideUnsigned[T unsigned](dst, a []byte, n int) {
	d, x := view2[T](dst, a)
	by := newDivisor(uint64(n))
	x = x[:len(d)]
	for i := range d {
		d[i] = T(by.divide(uint64(x[i])))
	}
}
