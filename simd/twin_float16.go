package simd

// Reductions of the 16-bit floats: widen, one operation in float32, narrow.

func sumFloat16(dst, a, b []byte) {
	d, x, y := view3[uint16](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat16(widenFloat16(x[i]) + widenFloat16(y[i]))
	}
}

func prodFloat16(dst, a, b []byte) {
	d, x, y := view3[uint16](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat16(widenFloat16(x[i]) * widenFloat16(y[i]))
	}
}

func scaleFloat16(dst, a []byte, n int) {
	d, x := view2[uint16](dst, a)
	factor := 1 / float32(n)
	x = x[:len(d)]
	for i := range d {
		d[i] = narrowFloat16(widenFloat16(x[i]) * factor)
	}
}

func maxFloat16(dst, a, b []byte) { maxCode[uint16](dst, a, b, 0x7c00, 0x0200) }

func minFloat16(dst, a, b []byte) { minCode[uint16](dst, a, b, 0x7c00, 0x0200) }

func sumBFloat16(dst, a, b []byte) {
	d, x, y := view3[uint16](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowBFloat16(widenBFloat16(x[i]) + widenBFloat16(y[i]))
	}
}

func prodBFloat16(dst, a, b []byte) {
	d, x, y := view3[uint16](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowBFloat16(widenBFloat16(x[i]) * widenBFloat16(y[i]))
	}
}

func scaleBFloat16(dst, a []byte, n int) {
	d, x := view2[uint16](dst, a)
	factor := 1 / float32(n)
	x = x[:len(d)]
	for i := range d {
		d[i] = narrowBFloat16(widenBFloat16(x[i]) * factor)
	}
}

func maxBFloat16(dst, a, b []byte) { maxCode[uint16](dst, a, b, 0x7f80, 0x0040) }

func minBFloat16(dst, a, b []byte) { minCode[uint16](dst, a, b, 0x7f80, 0x0040) }
