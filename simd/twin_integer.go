package simd

func maxInteger[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = max(x[i], y[i])
	}
}

func minInteger[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = min(x[i], y[i])
	}
}

func and[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] & y[i]
	}
}

func or[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] | y[i]
	}
}

func xor[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] ^ y[i]
	}
}

func logicalAnd[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = truth[T](x[i] != 0 && y[i] != 0)
	}
}

func logicalOr[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = truth[T](x[i]|y[i] != 0)
	}
}

func logicalXor[T integer](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = truth[T]((x[i] != 0) != (y[i] != 0))
	}
}

func truth[T integer](b bool) T {
	if b {
		return 1
	}
	return 0
}
