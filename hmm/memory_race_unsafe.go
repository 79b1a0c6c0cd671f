//go:build race

package hmm

import (
	"errors"
	"unsafe"
)

// Under the race detector, which sees only Go's own memory, the arena is a part of the heap.

func reserve() ([]byte, int, error) {
	mem := make([]byte, 64<<20+page)
	return alignedPages(mem), -1, nil
}

// Attach fails: processes cannot share memory under the race detector.
func Attach(int) ([]byte, error) {
	return nil, errors.New("processes cannot share memory under the race detector")
}

// Detach does nothing.
func Detach([]byte) {}

func populate([]byte) error { return nil }

func release(a *arena, p piece) { clear(a.mem[p.offset : p.offset+p.size]) }

func privatePages(n uint64) ([]byte, error) { return make([]byte, n), nil }

func freePages([]byte) error { return nil }

// alignedPages is the whole pages of mem.
func alignedPages(mem []byte) []byte {
	skip := -uint64(uintptr(unsafe.Pointer(&mem[0]))) % page
	n := (uint64(len(mem)) - skip) &^ (page - 1)
	return mem[skip : skip+n : skip+n]
}
