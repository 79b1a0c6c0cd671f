//go:build race

package simd

import "unsafe"

// mustBeSameOrApart panics unless dst is the operand or overlaps it nowhere: the twins, which run under the race detector, would not notice what the assembly relies on.
func mustBeSameOrApart(dst, operand []byte) {
	if distance(dst, operand) != 0 {
		mustBeApart(dst, operand)
	}
}

// mustBeApart panics when two slices overlap.
func mustBeApart(a, b []byte) {
	if d := distance(a, b); len(a) > 0 && d < len(b) && -d < len(a) {
		panic("simd: slices overlap, and may not")
	}
}

// distance is from where b begins to where a does.
func distance(a, b []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(a))) - uintptr(unsafe.Pointer(unsafe.SliceData(b))))
}
