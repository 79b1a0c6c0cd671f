package shm

import (
	"sync/atomic"

	"hcomm/link"
)

// Intend tells the others which operation this rank is waiting in.
func (p *Port) Intend(h link.Header) {
	i := &p.own.intent
	if i.op == h.Op {
		return
	}
	atomic.AddUint64(&i.version, 1)
	atomic.StoreUint64(&i.op, h.Op)
	atomic.StoreUint64(&i.count, h.Count)
	atomic.StoreUint64(&i.signature, uint64(h.Signature))
	atomic.AddUint64(&i.version, 1)
}

// Intent is what a peer has told last; its operation is 0 when that is nothing, or is being written.
func (p *Port) Intent(peer int) link.Header {
	i := &p.peers[peer].Segment.control().intent
	version := atomic.LoadUint64(&i.version)
	h := link.Header{
		Op: atomic.LoadUint64(&i.op), Count: atomic.LoadUint64(&i.count),
		Signature: link.Signature(atomic.LoadUint64(&i.signature)),
	}
	if version%2 != 0 || atomic.LoadUint64(&i.version) != version {
		return link.Header{}
	}
	return h
}
