package simd

// Max and Min of the narrow floats work on their codes: a sign and a magnitude that is ordered like the number.
// A magnitude above top is NaN; quiet is the bit that makes it quiet, 0 where there is none.

type code interface{ uint8 | uint16 }

func maxCode[T code](dst, a, b []byte, top, quiet T) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		switch {
		case isNaNCode(p, top):
			p |= quiet
		case isNaNCode(q, top):
			p = q | quiet
		case ordinal(q) > ordinal(p):
			p = q
		}
		d[i] = p
	}
}

func minCode[T code](dst, a, b []byte, top, quiet T) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		p, q := x[i], y[i]
		switch {
		case isNaNCode(p, top):
			p |= quiet
		case isNaNCode(q, top):
			p = q | quiet
		case ordinal(q) < ordinal(p):
			p = q
		}
		d[i] = p
	}
}

// isNaNCode reports whether the magnitude of c, taken by shifting its sign out, is above top.
func isNaNCode[T code](c, top T) bool { return c<<1 > top<<1 }

// ordinal maps codes to integers in the order of the numbers, with -0 just below +0.
func ordinal[T code](c T) T {
	if sign := ^(^T(0) >> 1); c&sign == 0 {
		return c | sign
	}
	return ^c
}
