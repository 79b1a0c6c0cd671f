package simd

import "sync/atomic"

// The order of memory between processes and threads, in the terms of C11:
// what was written before a release store is seen by whoever reads its value with an acquire load.
// A release store may be overtaken by a later load of the same thread, even on amd64: who needs those two in order needs more than this package has.
// Where what is read is checked by a word that is read after it, a fence stands between the two, and another where the word is written before what it guards.
// Pointers are aligned to their size; the memory may be shared with other processes.

// LoadAcquire64 returns *p; loads and stores after it are not done before it. On amd64 it is one MOV.
func LoadAcquire64(p *uint64) uint64 {
	if dropAcquire {
		return *p
	}
	return atomic.LoadUint64(p)
}
