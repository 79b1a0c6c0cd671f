package simd

import "unsafe"

// view returns the elements of b. They need not be aligned: amd64 and arm64 load and store across any boundary.
func view[T integer | float](b []byte) []T {
	size := int(unsafe.Sizeof(*new(T)))
	if len(b)%size != 0 {
		panic(errLength)
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/size)
}

// view3 returns the elements of all three slices, whose lengths must be equal.
func view3[T integer | float](dst, a, b []byte) (d, x, y []T) {
	if len(a) != len(dst) || len(b) != len(dst) {
		panic(errLength)
	}
	mustBeSameOrApart(dst, a)
	mustBeSameOrApart(dst, b)
	return view[T](dst), view[T](a), view[T](b)
}

// view2 is view3 for two slices.
func view2[T integer | float](dst, a []byte) (d, x []T) {
	if len(a) != len(dst) {
		panic(errLength)
	}
	mustBeSameOrApart(dst, a)
	return view[T](dst), view[T](a)
}

// beginsAt says whether b, which is not empty, begins at a multiple of n.
func beginsAt(b []byte, n uintptr) bool { return uintptr(unsafe.Pointer(&b[0]))%n == 0 }
