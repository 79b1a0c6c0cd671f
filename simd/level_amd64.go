//go:build !race && !purego

package simd

import (
	"strings"

	"github.com/klauspost/cpuid/v2"
)

// needs lists what the assembly of each level uses. cpuid reports a feature only if the operating system saves the registers that belong to it.
var needs = [...][]cpuid.FeatureID{
	Generic: nil,
	AVX2:    {cpuid.AVX, cpuid.AVX2},
	AVX512:  {cpuid.AVX512F, cpuid.AVX512BW, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.BMI2},
}

// lacks names what is missing for l, "" if nothing is.
func lacks(l Level) string {
	var missing []string
	for _, f := range needs[l] {
		if !cpuid.CPU.Supports(f) {
			missing = append(missing, f.String())
		}
	}
	if missing == nil {
		return ""
	}
	return strings.Join(missing, ", ") + " in the CPU and the operating system"
}

// installAssembly puts the kernels that l has in assembly over their twins.
func installAssembly(l Level) {
	switch l {
	case AVX2:
		setKernel(Float32, Sum, reduceBy(sumFloat32AVX2), reduce2By(sum2Float32AVX2))
		setKernel(Float32, Max, reduceBy(maxFloat32AVX2), reduce2By(max2Float32AVX2))
	case AVX512:
		setKernel(Float32, Sum, reduceBy(sumFloat32AVX512), reduce2By(sum2Float32AVX512))
		setKernel(Float32, Max, reduceBy(maxFloat32AVX512), reduce2By(max2Float32AVX512))
	}
}

// reduceBy checks what the assembly relies on: equal lengths, whole elements of 4 bytes, not empty.
func reduceBy(kernel func(dst, a, b *byte, n int)) Reduce {
	return func(dst, a, b []byte) {
		n := len(dst)
		if len(a) != n || len(b) != n || n%4 != 0 {
			panic(errLength)
		}
		if n > 0 {
			kernel(&dst[0], &a[0], &b[0], n)
		}
	}
}

// reduce2By is reduceBy for the form with two destinations.
func reduce2By(kernel func(dst, dst2, a, b *byte, n int)) Reduce2 {
	return func(dst, dst2, a, b []byte) {
		n := len(dst)
		if len(dst2) != n || len(a) != n || len(b) != n || n%4 != 0 {
			panic(errLength)
		}
		if n > 0 {
			kernel(&dst[0], &dst2[0], &a[0], &b[0], n)
		}
	}
}

// Below copyFrom bytes Go's copy is as fast or faster (AMD EPYC of family 25, Zen 4); the assembly relies on at least 128.
const copyFrom = 256

func copyBytes(dst, src []byte) {
	switch n := len(dst); {
	case n < copyFrom || level == Generic:
		copy(dst, src)
	case level == AVX2:
		copyAVX2(&dst[0], &src[0], n)
	default:
		copyAVX512(&dst[0], &src[0], n)
	}
}

func copyBytes2(dst, dst2, src []byte) {
	switch n := len(dst); {
	case n < copyFrom || level == Generic:
		copy(dst, src)
		copy(dst2, src)
	case level == AVX2:
		copy2AVX2(&dst[0], &dst2[0], &src[0], n)
	default:
		copy2AVX512(&dst[0], &dst2[0], &src[0], n)
	}
}

// From streamFrom bytes on, stores past the caches win between processors that share none, and lose nothing much
// between those that do (see Stream).
const streamFrom = 2048

func streamBytes(dst, src []byte) {
	if len(dst) < streamFrom || level == Generic || !beginsAt(dst, 64) {
		copyBytes(dst, src)
		return
	}
	whole := len(dst) &^ 63
	if level == AVX2 {
		streamAVX2(&dst[0], &src[0], whole)
	} else {
		streamAVX512(&dst[0], &src[0], whole)
	}
	copy(dst[whole:], src[whole:])
}
