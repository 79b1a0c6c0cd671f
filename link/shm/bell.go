package shm

import (
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// A rank that is about to sleep arms its bell and then looks once more for what it waits for. The peer stores a flag and
// then looks at the bell. The processor may let the peer's load pass its store, so one of the two must have a barrier
// between them. It is the sleeper who pays: membarrier makes every processor that runs a registered process pass one.

const armed = 1

// The commands of membarrier(2).
const (
	membarrierQuery                   = 0
	membarrierGlobalExpedited         = 1 << 1
	membarrierRegisterGlobalExpedited = 1 << 2
)

// Barrier registers this process for membarrier and says whether the kernel has it. A rank for which it says no must
// tell the others, whose ports then are fenced.
func Barrier() bool {
	have, _, errno := unix.Syscall(unix.SYS_MEMBARRIER, membarrierQuery, 0, 0)
	if errno != 0 || have&membarrierGlobalExpedited == 0 || have&membarrierRegisterGlobalExpedited == 0 {
		return false
	}
	_, _, errno = unix.Syscall(unix.SYS_MEMBARRIER, membarrierRegisterGlobalExpedited, 0, 0)
	return errno == 0
}

// Arm announces that this rank is about to sleep.
func (p *Port) Arm() {
	atomic.SwapUint32(&p.own.bell, armed) // as in publish
	p.Sync()
}

// Sync makes every processor that runs one of the ranks pass a barrier, unless they all store their flags with one.
func (p *Port) Sync() {
	if !p.fenced {
		unix.Syscall(unix.SYS_MEMBARRIER, membarrierGlobalExpedited, 0, 0)
	}
}

// Disarm takes the announcement back.
func (p *Port) Disarm() { atomic.StoreUint32(&p.own.bell, 0) }

// Sleep waits until the bell is rung, or for d.
func (p *Port) Sleep(d time.Duration) {
	futexWait(&p.own.bell, armed, d)
	p.Disarm()
}

// Doze is Sleep that leaves the bell armed, for another who may sleep on it.
func (p *Port) Doze(d time.Duration) { futexWait(&p.own.bell, armed, d) }

// Wake ends the sleeps of this rank, also those that began before the bell was disarmed.
func (p *Port) Wake() {
	atomic.StoreUint32(&p.own.bell, 0)
	futexWake(&p.own.bell)
}

// wakeOwner wakes the owner of a bell if it sleeps.
func wakeOwner(bell *uint32) {
	if atomic.CompareAndSwapUint32(bell, armed, 0) {
		futexWake(bell)
	}
}
