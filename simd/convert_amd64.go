//go:build !race && !purego

package simd

// stepElements is how many elements a conversion or a multiplication in assembly does at a time; the twins do the rest.
const stepElements = 16

// pieceElements is what these get at a time; see pieceBytes.
const pieceElements = 16 << 10

var assemblyConversions = []struct {
	to, from     Type
	avx2, avx512 func(dst, src *byte, count int)
}{
	{Float32, Float16, convertFloat16ToFloat32AVX2, convertFloat16ToFloat32AVX512},
	{Float16, Float32, convertFloat32ToFloat16AVX2, convertFloat32ToFloat16AVX512},
	{Float32, BFloat16, convertBFloat16ToFloat32AVX2, convertBFloat16ToFloat32AVX512},
	{BFloat16, Float32, convertFloat32ToBFloat16AVX2, convertFloat32ToBFloat16AVX512},
	{Float32, Float8E4M3, convertFloat8E4M3ToFloat32AVX2, convertFloat8E4M3ToFloat32AVX512},
	{Float8E4M3, Float32, convertFloat32ToFloat8E4M3AVX2, convertFloat32ToFloat8E4M3AVX512},
	{Float32, Float8E5M2, convertFloat8E5M2ToFloat32AVX2, convertFloat8E5M2ToFloat32AVX512},
	{Float8E5M2, Float32, convertFloat32ToFloat8E5M2AVX2, convertFloat32ToFloat8E5M2AVX512},
	{BFloat16, Float16, convertFloat16ToBFloat16AVX2, convertFloat16ToBFloat16AVX512},
	{Float16, BFloat16, convertBFloat16ToFloat16AVX2, convertBFloat16ToFloat16AVX512},
}

func installConversions() {
	for _, c := range assemblyConversions {
		conversions[AVX2].set(c.to, c.from, convertBy(c.avx2, c.to, c.from))
		conversions[AVX512].set(c.to, c.from, convertBy(c.avx512, c.to, c.from))
	}
}

// convertBy checks what the assembly relies on, and gives it whole steps.
func convertBy(assembly func(dst, src *byte, count int), to, from Type) Conversion {
	twin := conversions[Generic][to.index()][from.index()]
	toSize, fromSize := to.Size(), from.Size()
	var conversion Conversion
	conversion = func(dst, src []byte) {
		count := len(dst) / toSize
		if count*toSize != len(dst) || count*fromSize != len(src) {
			panic(errLength)
		}
		if count > pieceElements {
			for at := 0; at < count; at += pieceElements {
				end := min(at+pieceElements, count)
				conversion(dst[at*toSize:end*toSize], src[at*fromSize:end*fromSize])
			}
			return
		}
		n := count &^ (stepElements - 1)
		if n > 0 {
			assembly(&dst[0], &src[0], n)
		}
		if n < count {
			twin(dst[n*toSize:], src[n*fromSize:])
		}
	}
	return conversion
}

var assemblyScales = []struct {
	t            Type
	avx2, avx512 func(dst, a *byte, count int, factor float32)
}{
	{Float16, scaleFloat16AVX2, scaleFloat16AVX512},
	{BFloat16, scaleBFloat16AVX2, scaleBFloat16AVX512},
	{Float8E4M3, scaleFloat8E4M3AVX2, scaleFloat8E4M3AVX512},
	{Float8E5M2, scaleFloat8E5M2AVX2, scaleFloat8E5M2AVX512},
	{Float32, scaleFloat32AVX2, scaleFloat32AVX512},
}

func installScales() {
	for _, s := range assemblyScales {
		factor := func(n int) float32 { return 1 / float32(n) }
		scales[AVX2][s.t.index()] = scaleBy(s.avx2, s.t, factor)
		scales[AVX512][s.t.index()] = scaleBy(s.avx512, s.t, factor)
	}
	factor := func(n int) float64 { return 1 / float64(n) }
	scales[AVX2][Float64.index()] = scaleBy(scaleFloat64AVX2, Float64, factor)
	scales[AVX512][Float64.index()] = scaleBy(scaleFloat64AVX512, Float64, factor)
}

// scaleBy is convertBy for a multiplication.
func scaleBy[F float](assembly func(dst, a *byte, count int, factor F), t Type, factorOf func(n int) F) func(dst, a []byte, n int) {
	twin, size := scales[Generic][t.index()], t.Size()
	var multiplication func(dst, a []byte, by int)
	multiplication = func(dst, a []byte, by int) {
		count := len(dst) / size
		if count*size != len(dst) || len(a) != len(dst) {
			panic(errLength)
		}
		if count > pieceElements {
			for at := 0; at < count; at += pieceElements {
				end := min(at+pieceElements, count)
				multiplication(dst[at*size:end*size], a[at*size:end*size], by)
			}
			return
		}
		n := count &^ (stepElements - 1)
		if n > 0 {
			assembly(&dst[0], &a[0], n, factorOf(by))
		}
		if n < count {
			twin(dst[n*size:], a[n*size:], by)
		}
	}
	return multiplication
}
