package plan

import "math/bits"

// Part returns the first element and the number of elements of part i when a block of count elements of the given size in
// bytes is cut in parts. Boundaries fall on cache lines (counted from the block's start), so that two ranks do not write
// to one line of a shared buffer more often than they must; where there are fewer lines than parts, some parts are empty.
func Part(i, parts int, count uint64, size int) (first, n uint64) {
	if parts == 1 {
		return 0, count
	}
	line := uint64(64 / size)
	lines := (count + line - 1) / line
	first = min(share(lines, i, parts)*line, count)
	return first, min(share(lines, i+1, parts)*line, count) - first
}

// Largest is at least as many elements as any part has, and less than a cache line more.
func Largest(parts int, count uint64, size int) uint64 {
	if parts == 1 {
		return count
	}
	line := uint64(64 / size)
	lines := (count + line - 1) / line
	return min((lines+uint64(parts)-1)/uint64(parts)*line, count)
}

// share is n*i/of without overflow.
func share(n uint64, i, of int) uint64 {
	hi, lo := bits.Mul64(n, uint64(i))
	q, _ := bits.Div64(hi, lo, uint64(of))
	return q
}
