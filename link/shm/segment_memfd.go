//go:build !race

package shm

import (
	"fmt"

	"golang.org/x/sys/unix"

	"hcomm/memfd"
)

// newMemory gives zeroed memory with a descriptor.
func newMemory(size int) ([]byte, int, error) {
	fd, err := memfd.Create("hcomm", uint64(size))
	if err != nil {
		return nil, -1, err
	}
	mem, err := mapMemory(fd, size)
	if err != nil {
		memfd.Close(fd)
		return nil, -1, err
	}
	return mem, fd, nil
}

// mapMemory maps a segment after checking its size, and that this cannot change.
func mapMemory(fd, size int) ([]byte, error) {
	if n, err := memfd.Size(fd); err != nil {
		return nil, err
	} else if n != uint64(size) {
		return nil, fmt.Errorf("it has %d bytes, not %d", n, size)
	}
	mem, err := unix.Mmap(fd, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("mmap of %d bytes: %w", size, err)
	}
	// A forked child must not be able to answer in its parent's place.
	if err := unix.Madvise(mem, unix.MADV_DONTFORK); err != nil {
		unix.Munmap(mem)
		return nil, fmt.Errorf("madvise: %w", err)
	}
	return mem, nil
}

func freeMemory(mem []byte) { unix.Munmap(mem) }

func closeFD(fd int) { memfd.Close(fd) }
