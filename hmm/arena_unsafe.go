package hmm

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// page is the system's: on arm64 it may be 4, 16 or 64 KiB.
var page = uint64(unix.Getpagesize())

// arena is a range of addresses backed by one descriptor; pages take memory from their first use to their release.
type arena struct {
	mu   sync.Mutex
	mem  []byte // all of it; nil when this process cannot have one
	fd   int
	why  error             // why mem is nil
	free []piece           // sorted by offset, no two touching
	used map[uint64]uint64 // size by offset

	// private is what Alloc gave where there is no arena.
	private map[unsafe.Pointer][]byte
}

// piece is a run of whole pages.
type piece struct{ offset, size uint64 }

var process = sync.OnceValue(func() *arena {
	a := &arena{used: map[uint64]uint64{}, private: map[unsafe.Pointer][]byte{}}
	if a.mem, a.fd, a.why = reserve(); a.why == nil {
		a.free = []piece{{0, uint64(len(a.mem))}}
	}
	return a
})

// ErrNotAllocated is returned by Free for a pointer that Alloc did not give, or that was freed before.
var ErrNotAllocated = errors.New("not memory from hcommMemAlloc, or freed already")

// Alloc returns n zeroed bytes, page-aligned, that the other ranks of this host can read in place, in memory that is
// already there: using it faults no page in. Free gives them back. Where the process cannot have an arena (a limit on
// file sizes, no memfd), or it is full, the bytes are ordinary memory; see [Why].
func Alloc(n uint64) (unsafe.Pointer, error) {
	a := process()
	if n == 0 {
		return nil, nil
	}
	if most := available(); n >= checked && n > most {
		return nil, fmt.Errorf("%d bytes, but only %d are free", n, most)
	}
	if a.why != nil || n > uint64(len(a.mem)) {
		return a.allocPrivate(n)
	}
	size := (n + page - 1) &^ (page - 1)
	offset, ok := a.take(size)
	if !ok {
		return a.allocPrivate(n)
	}
	if err := populate(a.mem[offset : offset+size]); err != nil {
		a.give(piece{offset, size})
		return nil, fmt.Errorf("%d bytes of shared memory: %w", n, err)
	}
	return unsafe.Pointer(&a.mem[offset]), nil
}

// Free gives back what Alloc gave; nil is allowed.
func Free(p unsafe.Pointer) error {
	if p == nil {
		return nil
	}
	a := process()
	offset, ok := a.offset(p, 1)
	if !ok {
		return a.freePrivate(p)
	}
	a.mu.Lock()
	size, ok := a.used[offset]
	delete(a.used, offset)
	a.mu.Unlock()
	if !ok {
		return ErrNotAllocated
	}
	a.give(piece{offset, size})
	return nil
}

// Why says why this process has no arena, nil if it has one.
func Why() error { return process().why }

// Arena returns the descriptor and size of this process's arena for its peers, and its memory for ranks of this process;
// nil if it has none.
func Arena() (mem []byte, fd int) {
	a := process()
	return a.mem, a.fd
}

func (a *arena) offset(p unsafe.Pointer, n uint64) (uint64, bool) {
	if a.mem == nil {
		return 0, false
	}
	at := uint64(uintptr(p)) - uint64(uintptr(unsafe.Pointer(&a.mem[0])))
	return at, at < uint64(len(a.mem)) && n <= uint64(len(a.mem))-at
}

// checked is the size from which Alloc looks first whether there is as much memory. Asking for more than there is would
// not be an error but, once the pages are used, the end of some process.
const checked = 1 << 20

func (a *arena) allocPrivate(n uint64) (unsafe.Pointer, error) {
	mem, err := privatePages(n)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of memory: %w", n, err)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	p := unsafe.Pointer(&mem[0])
	a.private[p] = mem
	return p, nil
}

func (a *arena) freePrivate(p unsafe.Pointer) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	mem, ok := a.private[p]
	if !ok {
		return ErrNotAllocated
	}
	delete(a.private, p)
	return freePages(mem)
}

// take is first fit: pieces are few and large.
func (a *arena) take(size uint64) (uint64, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for i, f := range a.free {
		if f.size < size {
			continue
		}
		if f.size == size {
			a.free = slices.Delete(a.free, i, i+1)
		} else {
			a.free[i] = piece{f.offset + size, f.size - size}
		}
		a.used[f.offset] = size
		return f.offset, true
	}
	return 0, false
}

// give returns a piece's memory to the system, so that the next user gets zeros, and its addresses to the free list.
func (a *arena) give(p piece) {
	release(a, p)
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.used, p.offset)
	i, _ := slices.BinarySearchFunc(a.free, p, func(x, y piece) int {
		if x.offset < y.offset {
			return -1
		}
		return 1
	})
	a.free = slices.Insert(a.free, i, p)
	if i+1 < len(a.free) && a.free[i].offset+a.free[i].size == a.free[i+1].offset {
		a.free[i].size += a.free[i+1].size
		a.free = slices.Delete(a.free, i+1, i+2)
	}
	if i > 0 && a.free[i-1].offset+a.free[i-1].size == a.free[i].offset {
		a.free[i-1].size += a.free[i].size
		a.free = slices.Delete(a.free, i, i+1)
	}
}
