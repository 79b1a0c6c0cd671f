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
	mustBeSameOrApart(dst, src)
	if len(dst) <= pieceBytes {
		copyBytes(dst, src)
		return
	}
	for at := 0; at < len(dst); at += pieceBytes {
		end := min(at+pieceBytes, len(dst))
		Copy(dst[at:end], src[at:end])
	}
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
	mustBeApart(dst, dst2)
	mustBeSameOrApart(dst, src)
	mustBeSameOrApart(dst2, src)
	if len(dst) <= pieceBytes {
		copyBytes2(dst, dst2, src)
		return
	}
	for at := 0; at < len(dst); at += pieceBytes {
		end := min(at+pieceBytes, len(dst))
		Copy2(dst[at:end], dst2[at:end], src[at:end])
	}
}
