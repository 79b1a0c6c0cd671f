package plan

import "math/bits"

// Chunk returns the first element and the number of elements of chunk i when count elements of the given size in bytes
// are cut in chunks. Boundaries fall on cache lines (counted from the buffer's start), so that two ranks do not write
// to one line of a shared buffer more often than they must; the trailing chunks may be empty.
func Chunk(i, chunks int, count uint64, size int) (first, n uint64) {
	line := uint64(64 / size)
	lines := (count + line - 1) / line
	first = min(share(lines, i, chunks)*line, count)
	return first, min(share(lines, i+1, chunks)*line, count) - first
}

// share is n*i/of without overflow.
func share(n uint64, i, of int) uint64 {
	hi, lo := bits.Mul64(n, uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(of))
	return q
}
