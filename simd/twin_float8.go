package simd

// Reductions of the 8-bit floats: widen, one operation in float32, narrow. Float8E4M3 has one NaN and so no quiet bit.

func sumFloat8E4M3(dst, a, b []byte) {
	d, x, y := view3[uint8](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E4M3(wideFloat8E4M3[x[i]] + wideFloat8E4M3[y[i]])
	}
}

func prodFloat8E4M3(dst, a, b []byte) {
	d, x, y := view3[uint8](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E4M3(wideFloat8E4M3[x[i]] * wideFloat8E4M3[y[i]])
	}
}

func scaleFloat8E4M3(dst, a []byte, n int) {
	d, x := view2[uint8](dst, a)
	factor := 1 / float32(n)
	x = x[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E4M3(wideFloat8E4M3[x[i]] * factor)
	}
}

func maxFloat8E4M3(dst, a, b []byte) { maxCode[uint8](dst, a, b, 0x7e, 0) }

func minFloat8E4M3(dst, a, b []byte) { minCode[uint8](dst, a, b, 0x7e, 0) }

func sumFloat8E5M2(dst, a, b []byte) {
	d, x, y := view3[uint8](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E5M2(wideFloat8E5M2[x[i]] + wideFloat8E5M2[y[i]])
	}
}

func prodFloat8E5M2(dst, a, b []byte) {
	d, x, y := view3[uint8](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E5M2(wideFloat8E5M2[x[i]] * wideFloat8E5M2[y[i]])
	}
}

func scaleFloat8E5M2(dst, a []byte, n int) {
	d, x := view2[uint8](dst, a)
	factor := 1 / float32(n)
	x = x[:len(d)]
	for i := range d {
		d[i] = narrowFloat8E5M2(wideFloat8E5M2[x[i]] * factor)
	}
}

func maxFloat8E5M2(dst, a, b []byte) { maxCode[uint8](dst, a, b, 0x7c, 0x02) }

func minFloat8E5M2(dst, a, b []byte) { minCode[uint8](dst, a, b, 0x7c, 0x02) }
