package simd

// A Conversion stores the elements of src, which are of one type, in dst, as another:
//
//	for i := range dst { dst[i] = src[i] }
//
// What is not a number of the other type is rounded to nearest, ties to even; what is too large becomes an infinity, in Float8E4M3 (which has none) a NaN.
// A NaN becomes the positive one without payload; but to Float32 it keeps its sign and payload, and is made quiet (from BFloat16 it is not: there all bits are kept).
// The slices hold equally many elements and do not overlap. A Conversion panics when they do not, or when an element is cut; it does not allocate.
type Conversion func(dst, src []byte)

// ConversionFor returns the conversion at the level in use, nil if there is none. There are those between Float32 and each of Float16, BFloat16, Float8E4M3 and Float8E5M2, and between Float16 and BFloat16.
func ConversionFor(to, from Type) Conversion {
	ti, fi := to.index(), from.index()
	if ti < 0 || fi < 0 {
		return nil
	}
	return conversions[level][ti][fi]
}

type conversionTable [numTypes][numTypes]Conversion

// conversions are the tables of all levels, as kernels are.
var conversions = [...]conversionTable{Generic: twinConversions(), AVX2: twinConversions(), AVX512: twinConversions()}

func twinConversions() (c conversionTable) {
	c.set(Float32, Float16, convert(widenFloat16))
	c.set(Float32, BFloat16, convert(widenBFloat16))
	c.set(Float32, Float8E4M3, convert(widenFloat8E4M3))
	c.set(Float32, Float8E5M2, convert(widenFloat8E5M2))
	c.set(Float16, Float32, convert(narrowFloat16))
	c.set(BFloat16, Float32, convert(narrowBFloat16))
	c.set(Float8E4M3, Float32, convert(narrowFloat8E4M3))
	c.set(Float8E5M2, Float32, convert(narrowFloat8E5M2))
	c.set(BFloat16, Float16, convert(func(x uint16) uint16 { return narrowBFloat16(widenFloat16(x)) }))
	c.set(Float16, BFloat16, convert(func(x uint16) uint16 { return narrowFloat16(widenBFloat16(x)) }))
	return c
}

func (c *conversionTable) set(to, from Type, conversion Conversion) {
	c[to.index()][from.index()] = conversion
}

// convert makes a conversion of what it does with one element.
func convert[To, From uint8 | uint16 | float32](one func(From) To) Conversion {
	return func(dst, src []byte) {
		d, x := view[To](dst), view[From](src)
		if len(d) != len(x) {
			panic(errLength)
		}
		mustBeApart(dst, src)
		for i := range d {
			d[i] = one(x[i])
		}
	}
}

func widenFloat8E4M3(code uint8) float32 { return wideFloat8E4M3[code] }

func widenFloat8E5M2(code uint8) float32 { return wideFloat8E5M2[code] }
