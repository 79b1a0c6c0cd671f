//go:build !race

package hmm

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// How the user's pages are replaced. The mapping of the private ones is not given up but moved aside, emptied: it keeps
// its attributes and its place in the kernel's books, so that it melts into its neighbours again when it is moved back,
// with the bytes of that time, and no trace is left. Each move is one system call: at no time could anybody else's
// mapping come to lie at these addresses.

// replaced is a run of the user's pages in whose place are pages of the arena.
type replaced struct {
	start, n  uint64         // what was registered
	base      unsafe.Pointer // its whole pages
	size      uint64
	offset    uint64         // in the arena
	aside     unsafe.Pointer // where the private mappings are
	turns     []uint64       // bytes replaced at a time
	users     int            // registrations
	senders   int            // those of them that are not retired
	abandoned bool
}

// turn bounds what is copied at a time: that much memory is needed twice.
const turn = 16 << 20

// copiedAtOnce bounds a copy, so that Go's scheduler and collector get their turn.
const copiedAtOnce = 64 << 10

// arenaInode tells the arena's file from others.
var arenaInode uint64

// replace puts pages of the arena in the place of private ones, of mappings that end at the given bytes. When it fails it
// gives the arena's pages back.
func (r *replaced) replace(a *arena, ends []uint64) (err error) {
	at := uint64(0)
	if r.aside, err = reserveAside(r.base, r.size); err != nil {
		a.give(piece{r.offset, r.size})
		return err
	}
	for _, end := range ends {
		for at < end && err == nil {
			n := min(turn, end-at)
			if err = r.replaceTurn(a, at, n); err == nil {
				r.turns = append(r.turns, n)
				at += n
			}
		}
	}
	if err == nil {
		return nil
	}
	unix.MunmapPtr(unsafe.Add(r.aside, at), uintptr(r.size-at))
	if failed := r.restore(a); failed != nil {
		return errors.Join(err, failed) // what could not be restored stays in the arena
	}
	a.give(piece{r.offset, r.size})
	return err
}

// reserveAside finds addresses for the private mappings, at which huge pages would lie as they do at base.
func reserveAside(base unsafe.Pointer, size uint64) (unsafe.Pointer, error) {
	all, err := unix.MmapPtr(-1, 0, nil, uintptr(size+hugePage), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of addresses: %w", size, err)
	}
	skip := (uintptr(base) - uintptr(all)) % hugePage
	if skip > 0 {
		unix.MunmapPtr(all, skip)
	}
	aside := unsafe.Add(all, skip)
	unix.MunmapPtr(unsafe.Add(aside, size), hugePage-skip)
	return aside, nil
}

// replaceTurn replaces n bytes of pages of one mapping. When it fails they are as they were.
func (r *replaced) replaceTurn(a *arena, at, n uint64) error {
	user, aside := unsafe.Add(r.base, at), unsafe.Add(r.aside, at)
	atomic.AddUint32((*uint32)(user), 0) // a mapping that was never written to forgets its place when it is moved
	fresh, err := unix.MremapPtr(unsafe.Pointer(&a.mem[r.offset+at]), 0, nil, uintptr(n), unix.MREMAP_MAYMOVE)
	if err != nil {
		return fmt.Errorf("another mapping of %d bytes: %w", n, err)
	}
	if err = faultIn(fresh, n); err == nil {
		copyPages(fresh, user, n)
		err = move(user, aside, n, unix.MREMAP_DONTUNMAP)
	}
	if err != nil {
		unix.MunmapPtr(fresh, uintptr(n))
		return err
	}
	if err = move(fresh, user, n, 0); err != nil {
		unix.MunmapPtr(fresh, uintptr(n))
	} else if err = unix.Madvise(unsafe.Slice((*byte)(aside), n), unix.MADV_DONTNEED); err == unix.EINVAL {
		err = Refusal("it is locked (mlock), which shared pages would not be")
	}
	if err != nil {
		return errors.Join(err, move(aside, user, n, 0))
	}
	return nil
}

// restore brings the private mappings back, with the bytes of now, from the last to the first. When it fails the rest of
// them is still aside.
func (r *replaced) restore(a *arena) error {
	at := uint64(0)
	for _, n := range r.turns {
		at += n
	}
	for len(r.turns) > 0 {
		last := len(r.turns) - 1
		n := r.turns[last]
		at -= n
		user, aside := unsafe.Add(r.base, at), unsafe.Add(r.aside, at)
		err := faultIn(aside, n)
		if err == nil {
			copyPages(aside, user, n)
			err = move(aside, user, n, 0)
		}
		if err != nil {
			unix.Madvise(unsafe.Slice((*byte)(aside), n), unix.MADV_DONTNEED)
			return err
		}
		release(a, piece{r.offset + at, n})
		r.turns = r.turns[:last]
	}
	return nil
}

// dropAside gives up the private mappings.
func (r *replaced) dropAside() { unix.MunmapPtr(r.aside, uintptr(r.size)) }

// move moves a mapping in the place of another.
func move(from, to unsafe.Pointer, n uint64, flags int) error {
	if _, err := unix.MremapPtr(from, uintptr(n), to, uintptr(n), unix.MREMAP_MAYMOVE|unix.MREMAP_FIXED|flags); err != nil {
		return fmt.Errorf("mremap of %d bytes: %w", n, err)
	}
	return nil
}

// faultIn brings pages in. A kernel before 5.14 does that at their first use.
func faultIn(p unsafe.Pointer, n uint64) error {
	if err := unix.Madvise(unsafe.Slice((*byte)(p), n), unix.MADV_POPULATE_WRITE); err != nil && err != unix.EINVAL {
		return fmt.Errorf("%d bytes of memory: %w", n, err)
	}
	return nil
}

func copyPages(to, from unsafe.Pointer, n uint64) {
	for at := uint64(0); at < n; at += copiedAtOnce {
		m := min(copiedAtOnce, n-at)
		copy(unsafe.Slice((*byte)(unsafe.Add(to, at)), m), unsafe.Slice((*byte)(unsafe.Add(from, at)), m))
	}
}

// canReplace says whether this process has an arena, and a system that replaces a page and puts it back as it should: an
// older kernel (before 5.7), an emulator or a checker of memory may not.
var canReplace = sync.OnceValue(func() bool {
	a := process()
	var st unix.Stat_t
	if a.why != nil || unix.Fstat(a.fd, &st) != nil {
		return false
	}
	arenaInode = st.Ino
	mem, err := unix.Mmap(-1, 0, int(3*page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return false
	}
	defer unix.Munmap(mem)
	for i := range mem {
		mem[i] = byte(i)
	}
	before := bytes.Clone(mem)
	r := &replaced{base: unsafe.Pointer(&mem[page]), size: page}
	ends, err := borders(r.from(), r.size)
	if err != nil {
		return false
	}
	var ok bool
	if r.offset, ok = a.take(r.size); !ok || r.replace(a, ends) != nil {
		return false
	}
	defer a.give(piece{r.offset, r.size})
	state, err := r.inspect()
	mem[page]++
	shared := a.mem[r.offset] == mem[page] && state == intact && err == nil
	mem[page]--
	return r.restore(a) == nil && shared && bytes.Equal(mem, before)
})
