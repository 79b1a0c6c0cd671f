package simd

// Copy copies src to dst:
//
//	for i := range dst { dst[i] = src[i] }
//
// Lengths are equal; dst is src, or does not overlap it. The order and the width of the stores are unspecified.
func Copy(dst, src []byte) {
	if len(src) != len(dst) {
		panic(errLength)
	}
	copyBytes(dst, src)
}

// Copy2 copies src to dst and to dst2, reading it once:
//
//	for i := range dst { dst[i], dst2[i] = src[i], src[i] }
//
// Lengths are equal; dst and dst2 do not overlap each other; each is src, or does not overlap it.
func Copy2(dst, dst2, src []byte) {
	if len(src) != len(dst) || len(src) != len(dst2) {
		panic(errLength)
	}
	copyBytes2(dst, dst2, src)
}
