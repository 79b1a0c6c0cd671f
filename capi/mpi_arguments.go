package main

/*
#include "internal.h"
*/
import "C"

import (
	"math/bits"
	"unsafe"

	"hcomm/engine"
	"hcomm/simd"
)

// inPlace is the value of HCOMM_IN_PLACE.
const inPlace = 1

// side is what a call says of sending, or of receiving: blocks of count elements.
type side struct {
	name     string // send or recv, of sendbuf, sendcount and sendtype
	buf      uintptr
	count    C.HCOMM_Count
	datatype uintptr
}

// alone is the buffer of a rank that has this side only.
func (s side) alone() (p unsafe.Pointer, t simd.Type, err error) {
	if t, err = element(s.count, s.datatype); err != nil {
		return nil, 0, s.says(err)
	}
	p, err = address(s.name+"buff", s.buf)
	return p, t, err
}

// place says where in a buffer of all ranks' blocks a call in place has a rank's other buffer.
type place func(c *engine.Comm, buf uintptr, count C.HCOMM_Count, t simd.Type) uintptr

// with is the buffers of a rank that has both sides; the other has a block for every rank, and this one may be
// HCOMM_IN_PLACE.
func (s side) with(other side, c *engine.Comm, at place) (p, q unsafe.Pointer, t simd.Type, err error) {
	if t, err = element(other.count, other.datatype); err != nil {
		return nil, nil, 0, other.says(err)
	}
	if s.buf != inPlace {
		if err = s.matches(other, t); err != nil {
			return nil, nil, 0, err
		}
	}
	p, q, err = within(s.name+"buff", s.buf, other.name+"buff", other.buf, at(c, other.buf, other.count, t), other.count)
	return p, q, t, other.says(err)
}

// matches checks that this side's blocks are as large as the other's, which are of type t.
func (s side) matches(other side, t simd.Type) error {
	own, err := element(s.count, s.datatype)
	if err != nil {
		return s.says(err)
	}
	high, low := bits.Mul64(uint64(s.count), uint64(own.Size()))
	otherHigh, otherLow := bits.Mul64(uint64(other.count), uint64(t.Size()))
	if high == otherHigh && low == otherLow {
		return nil
	}
	return badArgument("count", "%scount is %d of %s, but %scount is %d of %s: a rank gets as many bytes from each as it sends",
		s.name, s.count, own, other.name, other.count, t)
}

// words are this side's names for what the engine calls count and datatype.
func (s side) words() []string {
	if s.name == "send" {
		return sendWords
	}
	return recvWords
}

var (
	sendWords = []string{"count is", "sendcount is", "datatype is", "sendtype is"}
	recvWords = []string{"count is", "recvcount is", "datatype is", "recvtype is"}
)

// says puts this side's names into an error.
func (s side) says(err error) error { return renamed(err, s.words()...) }

// within makes pointers of two buffers of which the first may be HCOMM_IN_PLACE; then it is at place, in the second.
func within(name string, buf uintptr, otherName string, other, place uintptr, count C.HCOMM_Count) (p, q unsafe.Pointer, err error) {
	if q, err = address(otherName, other); err != nil {
		return nil, nil, err
	}
	switch {
	case count == 0:
		place = 0
	case buf == inPlace && other == 0:
		return nil, nil, badArgument(otherName, "%s is NULL, but count is %d: only a count of 0 allows it", otherName, count)
	case buf != 0 && buf == place:
		return nil, nil, notSaid(name, buf)
	}
	if buf == inPlace {
		buf = place
	}
	p, err = address(name, buf)
	return p, q, err
}

// address is buffer for an argument that cannot be HCOMM_IN_PLACE.
func address(name string, p uintptr) (unsafe.Pointer, error) {
	if p == inPlace {
		return nil, badArgument(name, "%s is HCOMM_IN_PLACE (%#x), which it cannot be here: see hcomm.h for the ranks and arguments that it is for", name, p)
	}
	return buffer(name, p)
}

func notSaid(name string, p uintptr) error {
	return badArgument(name, "%s (%#x) is the block that recvbuff and sendbuff have in common: in place is said with HCOMM_IN_PLACE", name, p)
}

// allBlocks is a place: the whole buffer.
func allBlocks(_ *engine.Comm, buf uintptr, _ C.HCOMM_Count, _ simd.Type) uintptr { return buf }

// ownBlock is a place: this rank's block. Of more blocks than can be addressed the engine will say so.
func ownBlock(c *engine.Comm, buf uintptr, count C.HCOMM_Count, t simd.Type) uintptr {
	if uint64(count) > 1<<57/uint64(c.Size()*t.Size()) {
		return buf
	}
	return buf + uintptr(c.Rank()*t.Size())*uintptr(count)
}
