//go:build !race

package hmm

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sys/unix"

	"hcomm/forked"
	"hcomm/memfd"
)

// largest bounds an arena, for 128 processes that map each other's have 2^47 bytes of addresses.
const largest = 512 << 30

// reserve makes the arena: a memfd twice the size of the host's memory, so that there is room for addresses to fragment.
func reserve() ([]byte, int, error) {
	var info unix.Sysinfo_t
	if err := unix.Sysinfo(&info); err != nil {
		return nil, -1, fmt.Errorf("sysinfo: %w", err)
	}
	size := min(2*info.Totalram*uint64(info.Unit), largest) &^ (page - 1)
	size = min(size, memfd.Limit()&^(page-1))
	if size == 0 {
		return nil, -1, errors.New("the limit on the size of files (ulimit -f) leaves no shared memory")
	}
	fd, err := memfd.Create("hcomm-arena", size)
	if err != nil {
		return nil, -1, err
	}
	mem, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		memfd.Close(fd)
		return nil, -1, fmt.Errorf("mmap of an arena of %d bytes: %w", size, err)
	}
	removes = tryRemoving(mem[:page])
	return mem, readOnly(fd), nil
}

// removes says whether MADV_REMOVE does what it says: an emulator may take it for a wish and do nothing.
var removes bool

func tryRemoving(page []byte) bool {
	page[0] = 1
	gone := unix.Madvise(page, unix.MADV_REMOVE) == nil && page[0] == 0
	page[0] = 0
	return gone
}

// readOnly turns the descriptor into one that cannot be mapped for writing: it is what the peers get. (The seal that
// does this, F_SEAL_FUTURE_WRITE, would keep freed pages from being given back, too.)
func readOnly(fd int) int {
	ro, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return fd // no /proc here; the peers are of one user and have proved that they belong
	}
	memfd.Close(fd)
	forked.Track(ro)
	return ro
}

// attached are the arenas of other processes that are mapped here, each once, however many communicators use it.
var attached struct {
	sync.Mutex
	by map[identity]*mapping
}

type identity struct{ dev, ino uint64 }

type mapping struct {
	identity
	mem   []byte
	users int
}

// Attach maps a peer's arena for reading, until as many calls of Detach. The descriptor stays the caller's.
func Attach(fd int) ([]byte, error) {
	size, err := memfd.Size(fd)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, err
	}
	id := identity{uint64(st.Dev), st.Ino}
	attached.Lock()
	defer attached.Unlock()
	if m := attached.by[id]; m != nil {
		m.users++
		return m.mem, nil
	}
	mem, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ, unix.MAP_SHARED|unix.MAP_NORESERVE)
	if err != nil {
		return nil, err
	}
	if attached.by == nil {
		attached.by = map[identity]*mapping{}
	}
	attached.by[id] = &mapping{id, mem, 1}
	return mem, nil
}

// Detach undoes Attach.
func Detach(mem []byte) {
	if mem == nil {
		return
	}
	attached.Lock()
	defer attached.Unlock()
	for id, m := range attached.by {
		if &m.mem[0] != &mem[0] {
			continue
		}
		if m.users--; m.users == 0 {
			delete(attached.by, id)
			unix.Munmap(m.mem)
		}
		return
	}
}

const hugePage = 2 << 20

// populate brings the pages in. Where the kernel is too old for that (before 5.14) they come at first use.
func populate(mem []byte) error {
	if len(mem) >= hugePage {
		unix.Madvise(mem, unix.MADV_HUGEPAGE) // a wish
	}
	if err := unix.Madvise(mem, unix.MADV_POPULATE_WRITE); err != nil && err != unix.EINVAL {
		return err
	}
	return nil
}

// release gives the pages back; they read as zeros from then on, here and at the peers.
func release(a *arena, p piece) {
	mem := a.mem[p.offset : p.offset+p.size]
	if !removes || unix.Madvise(mem, unix.MADV_REMOVE) != nil {
		clear(mem)
	}
}

func privatePages(n uint64) ([]byte, error) {
	if n > math.MaxInt {
		return nil, unix.ENOMEM
	}
	mem, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, err
	}
	if err := populate(mem); err != nil {
		unix.Munmap(mem)
		return nil, err
	}
	return mem, nil
}

func freePages(mem []byte) error { return unix.Munmap(mem) }
