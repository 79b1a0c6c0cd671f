package simd

// Wide are the kernels by which a type narrower than float32 is computed in float32 and rounded once.
type Wide struct {
	// Widen stores float32(a[i]) in dst, which is as many times longer as the type is narrower.
	Widen func(dst, a []byte)
	// Narrow stores a[i], a float32, in dst, rounded to nearest, ties to even.
	Narrow func(dst, a []byte)
}

// WideFor returns those of t, false if t is not a 16- or 8-bit float. There are Go twins only.
func WideFor(t Type) (Wide, bool) {
	switch t {
	case Float16:
		return Wide{widen(widenFloat16), narrowAll(narrowFloat16)}, true
	case BFloat16:
		return Wide{widen(widenBFloat16), narrowAll(narrowBFloat16)}, true
	case Float8E4M3:
		return Wide{widen(widenFloat8E4M3), narrowAll(narrowFloat8E4M3)}, true
	case Float8E5M2:
		return Wide{widen(widenFloat8E5M2), narrowAll(narrowFloat8E5M2)}, true
	}
	return Wide{}, false
}

func widenFloat8E4M3(code uint8) float32 { return wideFloat8E4M3[code] }

func widenFloat8E5M2(code uint8) float32 { return wideFloat8E5M2[code] }

func widen[T uint8 | uint16](one func(T) float32) func(dst, a []byte) {
	return func(dst, a []byte) {
		d, x := view[float32](dst), view[T](a)
		x = x[:len(d)]
		for i := range d {
			d[i] = one(x[i])
		}
	}
}

func narrowAll[T uint8 | uint16](one func(float32) T) func(dst, a []byte) {
	return func(dst, a []byte) {
		d, x := view[T](dst), view[float32](a)
		x = x[:len(d)]
		for i := range d {
			d[i] = one(x[i])
		}
	}
}
