package simd

type signed interface {
	int8 | int16 | int32 | int64
}

type unsigned interface {
	uint8 | uint16 | uint32 | uint64
}

type integer interface{ signed | unsigned }

type float interface{ float32 | float64 }

func sum[T integer | float](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] + y[i]
	}
}

func prod[T integer | float](dst, a, b []byte) {
	d, x, y := view3[T](dst, a, b)
	x, y = x[:len(d)], y[:len(d)]
	for i := range d {
		d[i] = x[i] * y[i]
	}
}
