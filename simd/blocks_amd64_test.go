//go:build !race && !purego

package simd

// Where the code of a copy changes, and how many elements a conversion in assembly gets at a time.
const (
	copyEdge     = copyFrom
	convertBlock = pieceElements
)
