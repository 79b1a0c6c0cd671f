package shm

import (
	"encoding/binary"
	"sync/atomic"

	"hcomm/link"
)

var _ link.Display = (*Port)(nil)

// Show puts up a line for the others, in place of the last one.
func (p *Port) Show(text string) {
	s := &p.own.shown
	var line [maxShown]byte
	n := copy(line[:], text)
	atomic.AddUint64(&s.version, 1)
	for i := range s.text {
		atomic.StoreUint64(&s.text[i], binary.NativeEndian.Uint64(line[8*i:]))
	}
	atomic.StoreUint64(&s.length, uint64(n))
	atomic.AddUint64(&s.version, 1)
}

// Shown is the line of a peer, "" when there is none.
func (p *Port) Shown(peer int) string {
	s := &p.peers[peer].Segment.control().shown
	var line [maxShown]byte
	for range 1000 { // it may be changing; a peer that stops in the midst of that shows nothing
		version := atomic.LoadUint64(&s.version)
		n := min(atomic.LoadUint64(&s.length), maxShown)
		if n == 0 && version%2 == 0 {
			return ""
		}
		for i := range s.text {
			binary.NativeEndian.PutUint64(line[8*i:], atomic.LoadUint64(&s.text[i]))
		}
		if version%2 == 0 && atomic.LoadUint64(&s.version) == version {
			return printable(line[:n])
		}
	}
	return ""
}
