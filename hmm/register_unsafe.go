package hmm

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Refusal is an error that is the caller's: it says why memory cannot be registered, or not be given back.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Registered is one registration of a buffer, of which there may be several.
type Registered struct {
	pages   *replaced // nil if nothing was replaced
	retired bool
}

// registry is what of the user's memory is replaced by pages of the arena.
var registry struct {
	sync.Mutex
	replaced []*replaced
	sent     atomic.Pointer[[]extent] // sorted by address; what is stored is not changed any more
}

// extent is addresses where pages of the arena lie.
type extent struct{ from, to, offset uint64 }

// Register makes the n bytes at p readable in place for the other ranks of this host: their whole pages, which must be
// private and anonymous, are replaced by pages of the arena with the same bytes, at the same addresses. A [Refusal]
// says that they are no such pages. Where the system cannot do this, or the arena is full, nothing is changed, and that
// is no error: the bytes are sent as those of any other memory.
func Register(p unsafe.Pointer, n uint64) (*Registered, error) {
	start := uint64(uintptr(p))
	if n > math.MaxUint64-page-start {
		return nil, Refusal(fmt.Sprintf("%d bytes at %#x go beyond the last address", n, start))
	}
	skip := -start % page
	if n < skip+page || !canReplace() {
		return &Registered{}, nil
	}
	if _, ok := process().offset(p, n); ok {
		return &Registered{}, nil
	}
	registry.Lock()
	defer registry.Unlock()
	r, err := find(start, n)
	if err == nil && r == nil {
		r = &replaced{start: start, n: n, base: unsafe.Add(p, skip), size: (n - skip) &^ (page - 1)}
		err = r.take()
	}
	if err != nil || r.size == 0 {
		return &Registered{}, err
	}
	r.users++
	r.senders++
	publish()
	return &Registered{pages: r}, nil
}

// find returns what the same bytes were registered as before, nil if they were not. That other ones overlap is an error.
func find(start, n uint64) (*replaced, error) {
	for _, r := range slices.Clone(registry.replaced) {
		if start >= r.start+r.n || r.start >= start+n {
			continue
		}
		switch state, err := r.inspect(); {
		case err != nil:
			return nil, err
		case state != intact: // its user unmapped it, and these bytes are others
			r.abandon(state)
		case r.start == start && r.n == n:
			return r, nil
		default:
			return nil, Refusal(fmt.Sprintf("%d bytes at %#x overlap %d bytes at %#x, which are registered", n, start, r.n, r.start))
		}
	}
	return nil, nil
}

// take replaces the pages, if there is room; if not, size is 0.
func (r *replaced) take() error {
	ends, err := borders(r.from(), r.size)
	if err != nil {
		return err
	}
	if r.size >= checked {
		if need, most := min(r.size, turn), available(); most < need {
			return fmt.Errorf("%d bytes of memory are needed for a moment, but only %d are free", need, most)
		}
	}
	a := process()
	var ok bool
	if r.offset, ok = a.take(r.size); !ok {
		r.size = 0
		return nil
	}
	if err := r.replace(a, ends); err != nil {
		return err
	}
	registry.replaced = append(registry.replaced, r)
	return nil
}

// Retire has the bytes sent as those of ordinary memory, unless others have registered them, too. The pages stay as they
// are: nobody who writes to them is disturbed.
func (x *Registered) Retire() {
	registry.Lock()
	defer registry.Unlock()
	x.retire()
	publish()
}

func (x *Registered) retire() {
	if x.pages != nil && !x.retired {
		x.pages.senders--
	}
	x.retired = true
}

// Close undoes one Register. The last one gives the bytes private pages again. After a [Refusal] that says that nothing
// can be given back, and after any other success, x is done with; after other errors it is still registered.
func (x *Registered) Close() (done bool, err error) {
	registry.Lock()
	defer registry.Unlock()
	r := x.pages
	if r == nil {
		return true, nil
	}
	if r.users == 1 && !r.abandoned {
		if done, err = r.close(); !done {
			return false, err
		}
	}
	x.retire()
	r.users--
	x.pages = nil
	publish()
	return true, err
}

// close gives the pages back.
func (r *replaced) close() (done bool, err error) {
	state, err := r.inspect()
	switch {
	case err != nil:
		return false, err
	case state == protected:
		return false, Refusal(fmt.Sprintf("the access to %d bytes at %#x was changed (mprotect) while they were registered", r.n, r.start))
	case state != intact:
		r.abandon(state)
		return true, Refusal(fmt.Sprintf("%d bytes at %#x were freed, unmapped or mapped anew while they were registered", r.n, r.start))
	}
	senders := r.senders
	r.senders = 0
	publish() // before the pages go
	a := process()
	if err := r.restore(a); err != nil {
		r.senders = senders
		publish()
		return false, err
	}
	a.give(piece{r.offset, r.size})
	r.forget()
	return true, nil
}

// abandon gives up addresses that are no longer the registered ones. Pages that are still mapped somewhere are kept.
func (r *replaced) abandon(s state) {
	r.dropAside()
	if s == gone {
		process().give(piece{r.offset, r.size})
	}
	r.abandoned = true
	r.forget()
}

func (r *replaced) forget() {
	registry.replaced = slices.DeleteFunc(registry.replaced, func(x *replaced) bool { return x == r })
}

// publish tells [Shared] what is registered now.
func publish() {
	list := make([]extent, 0, len(registry.replaced))
	for _, r := range registry.replaced {
		if r.senders > 0 {
			list = append(list, extent{r.from(), r.from() + r.size, r.offset})
		}
	}
	slices.SortFunc(list, func(x, y extent) int { return cmp.Compare(x.from, y.from) })
	registry.sent.Store(&list)
}

// Span is a part of a buffer: its bytes From to To, which lie at offset At of this process's arena.
type Span struct{ From, To, At uint64 }

// Shared returns the longest part of the n bytes at p that the other ranks can read in place; it may be empty.
func Shared(p unsafe.Pointer, n uint64) (s Span) {
	if at, ok := process().offset(p, n); ok {
		return Span{0, n, at}
	}
	list := registry.sent.Load()
	if list == nil || len(*list) == 0 {
		return s
	}
	start := uint64(uintptr(p))
	first, _ := slices.BinarySearchFunc(*list, start, func(x extent, at uint64) int {
		if x.to <= at {
			return -1
		}
		return 1
	})
	for _, x := range (*list)[first:] {
		from, to := max(x.from, start), min(x.to, start+n)
		if from >= to {
			break
		}
		if to-from > s.To-s.From {
			s = Span{from - start, to - start, x.offset + from - x.from}
		}
	}
	return s
}

// state is what has become of replaced pages.
type state uint8

const (
	intact    state = iota
	protected       // all there, but not readable and writable
	moved           // not all at their addresses; some, there or elsewhere
	gone            // none is mapped, but in the arena
)

// inspect finds out what has become of the pages.
func (r *replaced) inspect() (s state, err error) {
	base := r.from()
	at, changed := base, false
	err = eachMapping(base, func(m mapped) bool {
		if m.from > at || m.inode != arenaInode || m.offset+(at-m.from) != r.offset+(at-base) {
			return false
		}
		changed = changed || m.access != "rw-s"
		at = min(m.to, base+r.size)
		return at < base+r.size
	})
	switch {
	case err != nil:
	case at == base+r.size && changed:
		s = protected
	case at < base+r.size:
		s = gone
		arena := uint64(uintptr(unsafe.Pointer(&process().mem[0])))
		err = eachMapping(0, func(m mapped) bool {
			inArena := m.from >= arena && m.from-arena < uint64(len(process().mem))
			if !inArena && m.inode == arenaInode && m.offset < r.offset+r.size && r.offset < m.offset+(m.to-m.from) {
				s = moved
			}
			return s == gone
		})
	}
	return s, err
}

// from is the address of the pages.
func (r *replaced) from() uint64 { return uint64(uintptr(r.base)) }
