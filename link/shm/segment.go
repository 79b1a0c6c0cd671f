package shm

import (
	"fmt"
	"sync/atomic"

	"hcomm/simd"
)

const magic = 0x31_6d_6d_6f_63_68 // "hcomm1"

// Segment is the memory in which one rank receives, mapped by all ranks of its communicator.
type Segment struct {
	mem    []byte
	fd     int // of the owner until Close; -1 elsewhere
	layout Layout
	refs   atomic.Int32
}

// Create makes the segment of a rank.
func Create(l Layout, rank int) (*Segment, error) {
	mem, fd, err := newMemory(l.Size)
	if err != nil {
		return nil, fmt.Errorf("%d bytes of shared memory for rank %d: %w", l.Size, rank, err)
	}
	s := &Segment{mem: mem, fd: fd, layout: l}
	s.refs.Store(1)
	c := s.control()
	c.ranks, c.rank = uint32(l.Ranks), uint32(rank)
	simd.StoreRelease64(&c.magic, magic)
	return s, nil
}

// Attach maps the segment of another process's rank. The descriptor stays the caller's.
func Attach(l Layout, rank, fd int) (*Segment, error) {
	mem, err := mapMemory(fd, l.Size)
	if err != nil {
		return nil, fmt.Errorf("the segment of rank %d: %w", rank, err)
	}
	s := &Segment{mem: mem, fd: -1, layout: l}
	s.refs.Store(1)
	c := s.control()
	if m := simd.LoadAcquire64(&c.magic); m != magic || c.ranks != uint32(l.Ranks) || c.rank != uint32(rank) {
		s.Release()
		return nil, fmt.Errorf("the segment of rank %d is not one of this communicator", rank)
	}
	return s, nil
}

// Share counts another user of the segment in this process.
func (s *Segment) Share() *Segment { s.refs.Add(1); return s }

// FD is the descriptor to pass to the other ranks, until CloseFD.
func (s *Segment) FD() int { return s.fd }

// CloseFD closes the descriptor: once all ranks have mapped the segment nobody else can.
func (s *Segment) CloseFD() {
	if s.fd >= 0 {
		closeFD(s.fd)
		s.fd = -1
	}
}

// Release unmaps the segment when its last user in this process has released it.
func (s *Segment) Release() {
	if s.refs.Add(-1) == 0 {
		s.CloseFD()
		freeMemory(s.mem)
		s.mem = nil
	}
}

// State is the word in which the owner's presence stands, for whoever must mark it at the exit of the process.
func (s *Segment) State() *uint32 { return &s.control().state }
