package simd

import "math"

// A layout describes an 8-bit float: a sign, an exponent with a bias, a mantissa.
// Its codes without the sign are ordered like the numbers they stand for, subnormal numbers included.
type layout struct {
	mantissa uint32 // bits of it
	bias     uint32 // of the exponent
	greatest uint32 // code of the greatest finite number
	overflow uint32 // code that stands for anything greater: infinity, or NaN where there is none
	nan      uint32 // code of the positive quiet NaN without payload
	sign     uint32 // the sign bit
}

const (
	float32Mantissa = 23
	float32Bias     = 127
)

const (
	quietFloat16    = 0x7e00
	quietBFloat16   = 0x7fc0
	quietFloat8E4M3 = 0x7f
	quietFloat8E5M2 = 0x7e
)

var (
	layoutFloat8E4M3 = layout{mantissa: 3, bias: 7, greatest: 0x7e, overflow: quietFloat8E4M3, nan: quietFloat8E4M3, sign: 0x80}
	layoutFloat8E5M2 = layout{mantissa: 2, bias: 15, greatest: 0x7b, overflow: 0x7c, nan: quietFloat8E5M2, sign: 0x80}
)

// narrow returns the code of f in layout l, rounded to nearest, ties to even. A NaN becomes l.nan, whatever its sign and payload.
//
// Below the smallest normal number the codes are multiples of one quantum: adding a power of two whose last bit is worth one quantum lets the processor round.
// Above, the code is the upper part of f with its exponent rebased, after adding just under half of the last place, and the rest of that half if the last place is odd; a carry walks into the exponent as it should.
func (l *layout) narrow(f float32) uint32 {
	bits := math.Float32bits(f)
	magnitude := bits &^ (1 << 31)
	if magnitude > 0x7f800000 {
		return l.nan
	}
	sign := uint32(0)
	if bits != magnitude {
		sign = l.sign
	}
	if magnitude < (float32Bias+1-l.bias)<<float32Mantissa {
		quantum := (float32Bias + 1 - l.bias - l.mantissa + float32Mantissa) << float32Mantissa
		return sign | (math.Float32bits(math.Float32frombits(magnitude)+math.Float32frombits(quantum)) - quantum)
	}
	shift := float32Mantissa - l.mantissa
	magnitude += 1<<(shift-1) - 1 + magnitude>>shift&1
	code := (magnitude - (float32Bias-l.bias)<<float32Mantissa) >> shift
	if code > l.greatest {
		code = l.overflow
	}
	return sign | code
}

// widen returns the number that code stands for. It is exact. A NaN is made quiet, and keeps its sign and payload.
func (l *layout) widen(code uint32) float32 {
	magnitude := code &^ l.sign
	var f float32
	switch {
	case magnitude > l.greatest && (magnitude != l.overflow || l.overflow == l.nan):
		f = math.Float32frombits(0x7fc00000 | magnitude<<(float32Mantissa-l.mantissa)&(1<<float32Mantissa-1))
	case magnitude > l.greatest:
		f = math.Float32frombits(0x7f800000)
	case magnitude < 1<<l.mantissa: // subnormal
		f = float32(magnitude) * math.Float32frombits((float32Bias+1-l.bias-l.mantissa)<<float32Mantissa)
	default:
		f = math.Float32frombits(magnitude<<(float32Mantissa-l.mantissa) + (float32Bias-l.bias)<<float32Mantissa)
	}
	if code != magnitude {
		return -f
	}
	return f
}

// wide8 is widen for all codes of an 8-bit layout.
func (l *layout) wide8() (w [256]float32) {
	for code := range w {
		w[code] = l.widen(uint32(code))
	}
	return w
}

var (
	wideFloat8E4M3 = layoutFloat8E4M3.wide8()
	wideFloat8E5M2 = layoutFloat8E5M2.wide8()
)

func narrowFloat8E4M3(f float32) uint8 { return uint8(layoutFloat8E4M3.narrow(f)) }

func narrowFloat8E5M2(f float32) uint8 { return uint8(layoutFloat8E5M2.narrow(f)) }

// widenFloat16 returns the number that code stands for. It is exact. A NaN is made quiet, as processors do, and keeps its sign and payload.
func widenFloat16(code uint16) float32 {
	magnitude := uint32(code & 0x7fff)
	bits := magnitude<<13 + (float32Bias-15)<<float32Mantissa
	if magnitude < 0x0400 {
		bits = math.Float32bits(float32(magnitude) * 0x1p-24)
	} else if magnitude >= 0x7c00 {
		bits |= 0x7f800000
		if magnitude > 0x7c00 {
			bits |= 1 << 22
		}
	}
	return math.Float32frombits(bits | uint32(code&0x8000)<<16)
}

// narrowFloat16 does what layout.narrow does, for Float16.
func narrowFloat16(f float32) uint16 {
	bits := math.Float32bits(f)
	magnitude := bits &^ (1 << 31)
	sign := uint16(bits >> 16 & 0x8000)
	switch {
	case magnitude-0x38800000 < 0x477ff000-0x38800000: // normal, and stays finite
		return sign | uint16((magnitude-(float32Bias-15)<<float32Mantissa+0xfff+magnitude>>13&1)>>13)
	case magnitude < 0x38800000:
		return sign | subnormalFloat16(magnitude)
	case magnitude > 0x7f800000:
		return quietFloat16
	}
	return sign | 0x7c00
}

// subnormalFloat16 rounds what is below the smallest normal number to a multiple of 2⁻²⁴. It does so in integers: the processors' own conversion does not follow the rounding mode that the program may have set.
func subnormalFloat16(magnitude uint32) uint16 {
	const implicit = 1 << float32Mantissa
	if magnitude <= 0x33000000 { // 2⁻²⁵
		return 0
	}
	shift := 126 - magnitude>>float32Mantissa // 14 to 24
	m := magnitude&(implicit-1) | implicit
	return uint16((m + 1<<(shift-1) - 1 + m>>shift&1) >> shift)
}

func widenBFloat16(code uint16) float32 { return math.Float32frombits(uint32(code) << 16) }

// narrowBFloat16 rounds to the upper half of f; an overflow carries into the code of infinity by itself.
func narrowBFloat16(f float32) uint16 {
	if f != f {
		return quietBFloat16
	}
	bits := math.Float32bits(f)
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
