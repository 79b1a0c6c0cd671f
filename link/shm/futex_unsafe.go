package shm

import (
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	futexOpWait = 0
	futexOpWake = 1
)

// futexWait sleeps while *addr is v, for d at most. The word may be shared with other processes.
func futexWait(addr *uint32, v uint32, d time.Duration) {
	ts := unix.NsecToTimespec(int64(d))
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), futexOpWait, uintptr(v),
		uintptr(unsafe.Pointer(&ts)), 0, 0)
}

// futexWake wakes all sleepers: beside the caller in a wait, the worker that sees to requests may sleep.
func futexWake(addr *uint32) {
	unix.Syscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(addr)), futexOpWake, math.MaxInt32, 0, 0, 0)
}
