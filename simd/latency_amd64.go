//go:build !race && !purego

package simd

//go:noescape
func readTicks(p *byte) uint64
