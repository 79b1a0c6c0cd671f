//go:build !amd64 || race || purego

package simd

// There are no such places in the twins; these are as good as any.
const (
	copyEdge     = 256
	convertBlock = 2 << 10
)
