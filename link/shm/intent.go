package shm

import (
	"sync/atomic"

	"hcomm/link"
	"hcomm/simd"
)

// Intend tells the others what this rank is waiting in.
func (p *Port) Intend(h link.Header) {
	i := &p.own.intent
	if i.op == h.Op && i.count == h.Count && i.signature == uint64(h.Signature) {
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

// Began tells that this rank is in an operation, Ended that it has come out.
func (p *Port) Began(h *link.Header) {
	a := &p.own.activity
	simd.StoreRelease64(&a.count, h.Count) // a plain store, where an atomic one of Go would be an XCHG
	simd.StoreRelease64(&a.signature, uint64(h.Signature))
	simd.StoreRelease64(&a.op, 2*h.Op+1)
}

// Ended is told of the operation that began last.
func (p *Port) Ended() {
	a := &p.own.activity
	simd.StoreRelease64(&a.op, atomic.LoadUint64(&a.op)&^1)
}

// Activity is the operation that a rank is in, or was in last; its number is 0 before the first.
func (p *Port) Activity(peer int) (h link.Header, inside bool) {
	a := &p.peers[peer].Segment.control().activity
	op := simd.LoadAcquire64(&a.op)
	return link.Header{
		Op: op / 2, Count: atomic.LoadUint64(&a.count), Signature: link.Signature(atomic.LoadUint64(&a.signature)),
	}, op%2 == 1
}
