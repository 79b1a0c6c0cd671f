//go:build !race

package shm

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

const seals = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW

// newMemory gives zeroed memory with a descriptor: it has no name, so nothing can clash and nothing can be left behind,
// and its size is sealed, so that no peer can make a reader run off its end.
func newMemory(size int) ([]byte, int, error) {
	fd, err := unix.MemfdCreate("hcomm", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil, -1, fmt.Errorf("memfd_create: %w", err)
	}
	if err = unix.Ftruncate(fd, int64(size)); err == nil {
		_, err = unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals|unix.F_SEAL_SEAL)
	}
	var mem []byte
	if err == nil {
		mem, err = mapMemory(fd, size)
	}
	if err != nil {
		unix.Close(fd)
		return nil, -1, err
	}
	return mem, fd, nil
}

// mapMemory maps a peer's segment after checking its size and that this cannot change.
func mapMemory(fd, size int) ([]byte, error) {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, fmt.Errorf("fstat: %w", err)
	}
	have, err := unix.FcntlInt(uintptr(fd), unix.F_GET_SEALS, 0)
	if err != nil || have&seals != seals {
		return nil, errors.New("it is not a sealed memfd")
	}
	if st.Size != int64(size) {
		return nil, fmt.Errorf("it has %d bytes, not %d", st.Size, size)
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

func closeFD(fd int) { unix.Close(fd) }
