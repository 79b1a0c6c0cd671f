package shm

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// processor is the one that the calling thread is on.
func processor() (number int, ok bool) {
	var cpu uint32
	_, _, errno := unix.RawSyscall(unix.SYS_GETCPU, uintptr(unsafe.Pointer(&cpu)), 0, 0)
	return int(cpu), errno == 0
}
