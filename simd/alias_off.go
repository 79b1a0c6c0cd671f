//go:build !race

package simd

// Aliases are checked under the race detector.

func mustBeSameOrApart(dst, operand []byte) {}

func mustBeApart(a, b []byte) {}
