//go:build !race && !purego

package simd

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
