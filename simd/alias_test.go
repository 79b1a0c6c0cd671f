//go:build race

package simd

import "testing"

// TestAliases: the same memory is fine, the next byte's is not.
func TestAliases(t *testing.T) {
	m := make([]byte, 1000)
	sum := KernelFor(Int8, Sum)
	for what, call := range map[string]func(other []byte){
		"Reduce, a":     func(other []byte) { sum.Reduce(m[100:200], other, m[400:500]) },
		"Reduce, b":     func(other []byte) { sum.Reduce(m[100:200], m[400:500], other) },
		"Reduce2, a":    func(other []byte) { sum.Reduce2(m[400:500], m[100:200], other, m[500:600]) },
		"Reduce2, b":    func(other []byte) { sum.Reduce2(m[400:500], m[100:200], m[500:600], other) },
		"Copy":          func(other []byte) { Copy(m[100:200], other) },
		"Copy2, dst":    func(other []byte) { Copy2(m[100:200], m[400:500], other) },
		"Copy2, dst2":   func(other []byte) { Copy2(m[400:500], m[100:200], other) },
		"Stream":        func(other []byte) { Stream(m[100:200], other) },
		"Divide(Uint8)": func(other []byte) { Divide(Uint8)(m[100:200], other, 2) },
	} {
		refused := func(at int) (yes bool) {
			defer func() { yes = recover() != nil }()
			call(m[at : at+100])
			return false
		}
		for at, want := range map[int]bool{0: false, 1: true, 99: true, 100: false, 101: true, 199: true, 200: false} {
			if refused(at) != want {
				t.Errorf("%s, with the destination at 100 and an operand at %d: refused is %t", what, at, !want)
			}
		}
	}
}
