package simd

import "math"

// Go's max and min are those of IEEE 754-2019, except that they leave open which NaN is returned; the rule for that is stated at KernelFor.

func maxFloat32(dst, a, b []byte) {
	d, x, y := view3[float32](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		m := max(p, q)
		if m != m {
			m = nanOf32(p, q)
		}
		d[i] = m
	}
}

func minFloat32(dst, a, b []byte) {
	d, x, y := view3[float32](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		m := min(p, q)
		if m != m {
			m = nanOf32(p, q)
		}
		d[i] = m
	}
}

func maxFloat64(dst, a, b []byte) {
	d, x, y := view3[float64](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		m := max(p, q)
		if m != m {
			m = nanOf64(p, q)
		}
		d[i] = m
	}
}

func minFloat64(dst, a, b []byte) {
	d, x, y := view3[float64](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		m := min(p, q)
		if m != m {
			m = nanOf64(p, q)
		}
		d[i] = m
	}
}

// nanOf32 returns the first NaN of p and q, made quiet.
func nanOf32(p, q float32) float32 {
	if p == p {
		p = q
	}
	return math.Float32frombits(math.Float32bits(p) | 1<<22)
}

// nanOf64 returns the first NaN of p and q, made quiet.
func nanOf64(p, q float64) float64 {
	if p == p {
		p = q
	}
	return math.Float64frombits(math.Float64bits(p) | 1<<51)
}
