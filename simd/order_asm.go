//go:build (amd64 || arm64) && !race && !purego

package simd

// StoreRelease64 stores v in *p; loads and stores before it are not done after it. On amd64 it is one MOV, which sync/atomic has no name for (its store is an XCHG).
//
//go:noescape
func StoreRelease64(p *uint64, v uint64)

// StoreRelease32 is StoreRelease64 for 32 bits.
//
//go:noescape
func StoreRelease32(p *uint32, v uint32)

// FenceAcquire: loads before it are done before loads and stores after it. On amd64 they always are.
func FenceAcquire()

// FenceRelease: loads and stores before it are done before stores after it. On amd64 they always are.
func FenceRelease()

// Pause tells the processor n times that the caller spins (PAUSE; YIELD on arm64). It cannot be preempted: keep n below some hundreds. n below 1 does nothing.
func Pause(n int)

// WaitChange64 spins until *p, loaded with acquire order, is not old, or spins PAUSEs have been made, and returns the last value loaded:
//
//	v := LoadAcquire64(p)
//	for ; v == old && spins > 0; spins-- { Pause(1); v = LoadAcquire64(p) }
//	return v
//
// It cannot be preempted: choose spins for at most 20 µs. A PAUSE takes 10 to 150 cycles, depending on the processor.
//
//go:noescape
func WaitChange64(p *uint64, old uint64, spins int) uint64
