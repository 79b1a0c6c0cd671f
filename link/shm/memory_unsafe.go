package shm

import (
	"unsafe"

	"hcomm/link"
)

// control is the first page of a segment.
type control struct {
	magic    uint64
	ranks    uint32
	rank     uint32
	_        [48]byte
	bell     uint32 // armed while the owner sleeps; any peer disarms it
	seat     uint32 // one more than the processor that the owner was on lately, 0 if it has not said; for capi/small.c
	_        [56]byte
	state    uint32 // a presence; written by the owner, or at its exit
	_        [60]byte
	notices  uint32 // bit 0: a verdict stands; above: how many peers have gone. Written by anybody, by atomic addition
	_        [60]byte
	intent   intent
	_        [32]byte
	activity activity
	_        [40]byte
	verdict  verdict // rank 0's is everyone's
	proposal proposal
	shown    shown
}

// intent is what the owner waited in when it last waited for long. version is odd while it is written.
type intent struct {
	version, op, count, signature uint64
}

// activity is the operation that the owner is in, or was in last.
type activity struct {
	op        uint64 // twice its number, and 1 while the owner is in it
	count     uint64
	signature uint64
}

// shown is a line of text. version is odd while it is written.
type shown struct {
	version, length uint64
	text            [maxShown / 8]uint64
}

const maxShown = 256

type verdict struct {
	stage    uint32 // 0 free, 1 being written, 2 stands
	code     uint32
	length   uint32
	text     [maxVerdict]byte
	culprits [maxRanks / 8]byte
}

const maxVerdict = 1024

// proposal is whom the owner would leave behind. All of it is read while it may be written.
type proposal struct {
	stage uint32 // a link.Stage, and four times the number of the attempt; stored last
	made  int64  // nanoseconds on the monotonic clock
	out   [maxRanks / 64]uint64
	note  [noteBytes / 8]uint64
}

const noteBytes = len(link.Proposal{}.Note)

// maxRanks bounds the ranks that a proposal has room for.
const maxRanks = 4096

var _ [page - unsafe.Sizeof(control{})]byte // it fits

// entry is one message in an inbox.
type entry struct {
	flag      uint64 // the message's number on its queue, from 1; stored last
	op        uint64
	count     uint64
	signature uint64
	length    uint32
	kind      uint32
	short     [shortBytes]byte  // a payload that fits the line, or in the first 8 bytes where the payload lies
	long      [inlineBytes]byte // a longer one
}

// inline is where a payload of n bytes is in an entry.
func (e *entry) inline(n int) []byte {
	if n <= shortBytes {
		return e.short[:]
	}
	return e.long[:]
}

// ring is the inbox for one peer and channel.
type ring [ringEntries]entry

// The three views of a segment's bytes. Offsets come from the layout, which all ranks compute alike; the slice
// expressions keep them inside the segment.

func (s *Segment) control() *control {
	return (*control)(unsafe.Pointer(&s.mem[:unsafe.Sizeof(control{})][0]))
}

func (s *Segment) ring(peer, channel int) *ring {
	at := s.layout.ring(peer, channel)
	return (*ring)(unsafe.Pointer(&s.mem[at : at+int(unsafe.Sizeof(ring{}))][0]))
}

func (s *Segment) ack(peer, channel int) *uint64 {
	at := s.layout.ack(peer, channel)
	return (*uint64)(unsafe.Pointer(&s.mem[at : at+8][0]))
}

// beside is a word of an acknowledgement's line, in which there is nothing else.
func beside(ack *uint64, word uintptr) *uint64 {
	return (*uint64)(unsafe.Add(unsafe.Pointer(ack), word*8))
}
