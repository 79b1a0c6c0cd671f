//go:build race

package hmm

import "unsafe"

// Under the race detector no memory is replaced.

type replaced struct {
	start, n       uint64
	base           unsafe.Pointer
	size, offset   uint64
	users, senders int
	abandoned      bool
}

const turn = 16 << 20

var arenaInode uint64

func canReplace() bool { return false }

func (r *replaced) replace(*arena, []uint64) error { return nil }

func (r *replaced) restore(*arena) error { return nil }

func (r *replaced) dropAside() {}
