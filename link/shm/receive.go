package shm

import (
	"encoding/binary"
	"fmt"

	"hcomm/link"
	"hcomm/simd"
)

// inQueue is the way from one peer on one channel.
type inQueue struct {
	ring     *ring
	ack      *uint64 // in the peer's segment
	bell     *uint32
	slots    []byte // the peer's slots of this channel
	window   []byte // the memory that the peer sends from in place
	released uint64
}

// Where a payload lies.
const (
	kindInline = iota
	kindSlot
	kindWindow
	kindStreamed // inline, stored past the caches; see capi/small.c
	kindStreamedSlot
	kindFreshWindow // of bytes that may be in the sender's caches
	kindRemote      // where the sender has it
)

// Arrived says whether a message is at the head of a queue.
func (p *Port) Arrived(from, channel int) bool {
	queue := p.queue(from, channel)
	q := &p.in[queue]
	return simd.LoadAcquire64(&q.ring[q.released%ringEntries].flag) == q.released+1 && !p.awaitsSlot(queue)
}

// Receive returns the message at the head.
func (p *Port) Receive(from, channel int) (link.Header, []byte, error) {
	q := &p.in[p.queue(from, channel)]
	e := &q.ring[q.released%ringEntries]
	h := link.Header{Op: e.op, Count: e.count, Signature: link.Signature(e.signature), Length: e.length}
	kind := e.kind
	body, err := q.payload(e, kind, uint64(h.Length))
	if (kind == kindSlot || kind == kindFreshWindow) && len(body) >= simd.LatencyBytes {
		p.look(p.queue(from, channel), body)
	}
	if err != nil {
		err = fmt.Errorf("rank %d sent a message %w", from, err)
	}
	return h, body, err
}

// Lent says whether the message at the head lies in the peer's window.
func (p *Port) Lent(from, channel int) bool {
	q := &p.in[p.queue(from, channel)]
	kind := q.ring[q.released%ringEntries].kind
	return kind == kindWindow || kind == kindFreshWindow
}

// payload finds the bytes of a message. What the peer says is checked against the memory it may send from; a hostile
// peer can send nonsense but not make this rank read elsewhere.
func (q *inQueue) payload(e *entry, kind uint32, n uint64) ([]byte, error) {
	offset := binary.LittleEndian.Uint64(e.short[:8])
	memory := q.slots
	switch kind {
	case kindInline, kindStreamed:
		memory, offset = e.inline(int(n)), 0
	case kindWindow, kindFreshWindow:
		memory = q.window
	case kindSlot, kindStreamedSlot:
	case kindRemote:
		return nil, nil
	default:
		return nil, fmt.Errorf("of the unknown kind %d", kind)
	}
	return part(memory, offset, n)
}

// Window is n bytes at offset of the window that a peer sends from.
func (p *Port) Window(from int, offset, n uint64) ([]byte, error) {
	b, err := part(p.peers[from].Window, offset, n)
	if err != nil {
		err = fmt.Errorf("rank %d announced a message %w", from, err)
	}
	return b, err
}

// part is n bytes at offset of memory.
func part(memory []byte, offset, n uint64) ([]byte, error) {
	if size := uint64(len(memory)); offset > size || n > size-offset {
		return nil, fmt.Errorf("of %d bytes at offset %d of %d", n, offset, size)
	}
	return memory[offset : offset+n : offset+n], nil
}

// Release takes the message off its queue.
func (p *Port) Release(from, channel int) {
	q := &p.in[p.queue(from, channel)]
	q.released++
	p.publish(q.ack, q.released, q.bell)
}
