//go:build (amd64 || arm64) && !race && !purego

package simd

// StoreRelease64 stores v in *p; loads and stores before it are not done after it. On amd64 it is one MOV, which sync/atomic has no name for (its store is an XCHG).
//
//go:noescape
func StoreRelease64(p *uint64, v uint64)

// FenceAcquire: loads before it are done before loads and stores after it. On amd64 they always are.
func FenceAcquire()

// FenceRelease: loads and stores before it are done before stores after it. On amd64 they always are.
func FenceRelease()

// Pause tells the processor n times that the caller spins (PAUSE; YIELD on arm64). It cannot be preempted: keep n below some hundreds. n below 1 does nothing.
func Pause(n int)
