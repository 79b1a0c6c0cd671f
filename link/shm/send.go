package shm

import (
	"encoding/binary"

	"hcomm/link"
	"hcomm/simd"
)

// outQueue is the way to one peer on one channel.
type outQueue struct {
	ring   *ring   // in the peer's segment
	ack    *uint64 // in ours, written by the peer: how many messages it has released
	bell   *uint32
	posted uint64
	read   uint64 // the ack last seen
}

// outstanding is how many messages the peer has not released; it looks at the peer's answer only when the last one seen
// leaves more than limit.
func (q *outQueue) outstanding(limit uint64) uint64 {
	if q.posted-q.read > limit {
		q.read = simd.LoadAcquire64(q.ack)
	}
	return q.posted - q.read
}

// SlotBytes is what messages in slots usually have at most, LargeBytes what they can have.
func (p *Port) SlotBytes() int  { return p.layout.SlotBytes }
func (p *Port) LargeBytes() int { return p.layout.LargeBytes }

// InlineBytes is the largest message that travels in its inbox entry.
func (p *Port) InlineBytes() int { return inlineBytes }

// Room says whether one message can be posted now to all of to.
func (p *Port) Room(to []int, channel int, slot bool) bool {
	for _, t := range to {
		if p.out[p.queue(t, channel)].outstanding(ringEntries-1) >= ringEntries {
			return false
		}
	}
	return !slot || p.hasSlot(channel)
}

// hasSlot says whether there is a slot for one more message.
func (p *Port) hasSlot(channel int) bool {
	pool := &p.pools[channel]
	for !pool.hasRoom() {
		if p.isRead(&pool.leases[pool.first], channel) {
			pool.dropOldest()
		} else {
			return false
		}
	}
	return true
}

// isRead says whether nobody reads a message any more.
func (p *Port) isRead(l *lease, channel int) bool {
	for i, t := range l.to {
		q := &p.out[p.queue(t, channel)]
		if later := q.posted - l.numbers[i]; q.outstanding(later) > later && p.reads(t) {
			return false
		}
	}
	return true
}

// reads says whether a peer may still read what was sent to it. The slots of one that is gone are free: or else those who
// are alive would wait for each other, and none of them for the one who is gone.
func (p *Port) reads(peer int) bool { return p.Gone() == 0 || p.Presence(peer) == link.Alive }

// Slot is the memory of the next PostSlot.
func (p *Port) Slot(to []int, channel int) (slot []byte, stream bool) {
	pool := &p.pools[channel]
	at := pool.start()
	p.streamed = p.wantStream(to, channel)
	return pool.mem[at : at+pool.largest], p.streamed
}

// PostInline sends a payload of at most InlineBytes.
func (p *Port) PostInline(to []int, channel int, h *link.Header, payload []byte) {
	for _, t := range to {
		q := &p.out[p.queue(t, channel)]
		e := q.entry()
		copy(e.inline(len(payload)), payload)
		p.post(q, e, h, kindInline)
	}
}

// PostSlot sends the slot that Slot gave.
func (p *Port) PostSlot(to []int, channel int, h *link.Header) {
	lease := p.pools[channel].lend(int(h.Length), to)
	kind := uint32(kindSlot)
	if p.streamed {
		kind = kindStreamedSlot
	}
	for i, t := range to {
		q := &p.out[p.queue(t, channel)]
		e := q.entry()
		binary.LittleEndian.PutUint64(e.short[:8], uint64(lease.from))
		p.post(q, e, h, kind)
		lease.numbers[i] = q.posted
	}
}

// PostWindow sends what lies at offset of this rank's window.
func (p *Port) PostWindow(to []int, channel int, h *link.Header, offset uint64, fresh bool) {
	kind := uint32(kindWindow)
	if fresh {
		kind = kindFreshWindow
	}
	for _, t := range to {
		q := &p.out[p.queue(t, channel)]
		e := q.entry()
		binary.LittleEndian.PutUint64(e.short[:8], offset)
		p.post(q, e, h, kind)
	}
}

// Posted counts the messages posted to a peer.
func (p *Port) Posted(to, channel int) uint64 { return p.out[p.queue(to, channel)].posted }

// Released counts the messages that a peer has released.
func (p *Port) Released(to, channel int) uint64 {
	q := &p.out[p.queue(to, channel)]
	return q.posted - q.outstanding(0)
}

func (q *outQueue) entry() *entry { return &q.ring[q.posted%ringEntries] }

func (p *Port) post(q *outQueue, e *entry, h *link.Header, kind uint32) {
	e.op, e.count, e.signature = h.Op, h.Count, uint64(h.Signature)
	e.length, e.kind = h.Length, kind
	q.posted++
	p.publish(&e.flag, q.posted, q.bell)
}
