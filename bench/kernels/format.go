//go:build cgo

package main

import "hcomm/simd"

// format says how the bits of a float lie: a sign, an exponent, a mantissa.
type format struct{ mantissa, exponent int }

var formats = map[simd.Type]format{
	simd.Float16: {10, 5}, simd.BFloat16: {7, 8}, simd.Float32: {23, 8}, simd.Float64: {52, 11},
	simd.Float8E4M3: {3, 4}, simd.Float8E5M2: {2, 5},
}

// sign is the bit of the sign.
func (f format) sign() uint64 { return 1 << (f.mantissa + f.exponent) }

// normal is the code of the smallest normal number, which is also the last bit of the exponent.
func (f format) normal() uint64 { return 1 << f.mantissa }

// one is the code of 1.
func (f format) one() uint64 { return (1<<(f.exponent-1) - 1) << f.mantissa }

// infinity is the code of infinity; the format of 3 and 4 bits has a NaN above it, but a number there.
func (f format) infinity() uint64 { return (1<<f.exponent - 1) << f.mantissa }

// isNaN looks at the lower bits of code.
func (f format) isNaN(code uint64) bool {
	magnitude := code & (f.sign() - 1)
	if f == formats[simd.Float8E4M3] {
		return magnitude == f.sign()-1
	}
	return magnitude > f.infinity()
}
