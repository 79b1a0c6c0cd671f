package chaos

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hcomm/link"
)

// Port is the end of one rank; see [link.Port]. Its bell never rings: a test steps the ranks instead of letting them sleep.
type Port struct {
	world *World
	rank  int
	pools []pool
}

var _ link.Port = (*Port)(nil)

// pool is the slots of a channel, used in turn.
type pool struct {
	slots []slot
	next  int
}

type slot struct {
	bytes   []byte
	to      []int
	numbers []uint64
}

// SlotBytes is the usual size of a slot, LargeBytes the largest message in one, InlineBytes the largest that needs none.
func (p *Port) SlotBytes() int   { return p.world.o.SlotBytes }
func (p *Port) LargeBytes() int  { return max(p.world.o.SlotBytes, p.world.o.LargeBytes) }
func (p *Port) InlineBytes() int { return p.world.o.InlineBytes }

// Room says whether a message can be posted.
func (p *Port) Room(to []int, channel int, slot bool) bool {
	for _, t := range to {
		if p.Posted(t, channel)-p.Released(t, channel) >= uint64(p.world.o.Depth) {
			return false
		}
	}
	s := &p.pools[channel].slots[p.pools[channel].next]
	for i, t := range s.to {
		if slot && p.Released(t, channel) < s.numbers[i] {
			return false
		}
	}
	return true
}

// Slot is the memory of the next PostSlot.
func (p *Port) Slot(_ []int, channel int) (slot []byte, stream bool) {
	pool := &p.pools[channel]
	poison(pool.slots[pool.next].bytes)
	return pool.slots[pool.next].bytes, p.world.o.Random.IntN(2) == 0
}

// PostInline takes a copy at once, PostSlot and PostWindow when the pieces come.
func (p *Port) PostInline(to []int, channel int, h *link.Header, payload []byte) {
	for _, t := range to {
		p.world.post(p.rank, t, channel, *h, slices.Clone(payload), false)
	}
}

// PostSlot sends the slot.
func (p *Port) PostSlot(to []int, channel int, h *link.Header) {
	pool := &p.pools[channel]
	s := &pool.slots[pool.next]
	pool.next = (pool.next + 1) % len(pool.slots)
	s.to, s.numbers = to, s.numbers[:0]
	for _, t := range to {
		p.world.post(p.rank, t, channel, *h, s.bytes[:h.Length], p.world.o.Random.IntN(2) == 0)
		s.numbers = append(s.numbers, p.Posted(t, channel))
	}
}

// PostWindow sends from the window.
func (p *Port) PostWindow(to []int, channel int, h *link.Header, offset uint64, _ bool) {
	for _, t := range to {
		p.world.post(p.rank, t, channel, *h, p.world.o.Window[offset:offset+uint64(h.Length)], p.world.o.Random.IntN(2) == 0).lent = true
	}
}

// Far is as it happens.
func (p *Port) Far([]int, int) bool { return p.world.o.Random.IntN(2) == 0 }

// PostRemote sends what is read when the receiver fetches it.
func (p *Port) PostRemote(to []int, channel int, h *link.Header, memory []byte) {
	for _, t := range to {
		p.world.post(p.rank, t, channel, *h, memory[:h.Length:h.Length], true).remote = true
	}
}

// Posted and Released count messages to a peer.
func (p *Port) Posted(to, channel int) uint64 { return p.world.queue(p.rank, to, channel).posted }
func (p *Port) Released(to, channel int) uint64 {
	return p.world.queue(p.rank, to, channel).released
}

// Arrived says whether all pieces of the message at the head are there.
func (p *Port) Arrived(from, channel int) bool {
	q := p.world.queue(from, p.rank, channel)
	return len(q.messages) > 0 && q.messages[0].arrived() && !q.messages[0].refuse
}

// Receive returns the message at the head.
func (p *Port) Receive(from, channel int) (link.Header, []byte, error) {
	m := p.world.queue(from, p.rank, channel).messages[0]
	if m.remote {
		return m.header, nil, nil
	}
	if m.direct {
		return m.header, m.source, nil
	}
	return m.header, m.body, nil
}

// Lent says whether the message at the head was sent from the window.
func (p *Port) Lent(from, channel int) bool {
	return p.world.queue(from, p.rank, channel).messages[0].lent
}

// Remote says whether the message at the head is to be fetched; Fetch copies it.
func (p *Port) Remote(from, channel int) bool {
	return p.world.queue(from, p.rank, channel).messages[0].remote
}
func (p *Port) Fetch(from, channel int, to []byte) error {
	if p.world.o.Random.IntN(4) == 0 {
		return errors.New("chaos: no")
	}
	copy(to, p.world.queue(from, p.rank, channel).messages[0].source)
	return nil
}

// Refuse asks for the message at the head in another form, Refused says which one that is, and Instead sends it.
func (p *Port) Refuse(from, channel int) {
	p.world.queue(from, p.rank, channel).messages[0].refuse = true
}
func (p *Port) Refused(to, channel int) uint64 {
	q := p.world.queue(p.rank, to, channel)
	if len(q.messages) == 0 || !q.messages[0].refuse {
		return 0
	}
	return q.posted - uint64(len(q.messages)) + 1
}
func (p *Port) Instead(to []int, channel int, _ uint64, memory []byte) bool {
	m := p.world.queue(p.rank, to[0], channel).messages[0]
	m.refuse, m.remote, m.direct, m.body = false, false, false, slices.Clone(memory)
	return true
}

// Window is a part of the window, which is the same for all ranks.
func (p *Port) Window(_ int, offset, n uint64) ([]byte, error) {
	window := p.world.o.Window
	if size := uint64(len(window)); offset > size || n > size-offset {
		return nil, fmt.Errorf("chaos: %d bytes at offset %d of %d", n, offset, size)
	}
	return window[offset : offset+n], nil
}

// Release takes the message at the head off. The sender hears of it later.
func (p *Port) Release(from, channel int) {
	q := p.world.queue(from, p.rank, channel)
	poison(q.messages[0].body)
	q.messages = q.messages[1:]
	p.world.pending = append(p.world.pending, event{queue: q})
}

// Nobody goes.
func (p *Port) Presence(int) link.Presence { return link.Alive }
func (p *Port) Gone() int                  { return 0 }
func (p *Port) Leave()                     {}

// Intents are not told.
func (p *Port) Intend(link.Header)               {}
func (p *Port) Intent(int) link.Header           { return link.Header{} }
func (p *Port) Began(*link.Header)               {}
func (p *Port) Ended()                           {}
func (p *Port) Activity(int) (link.Header, bool) { return link.Header{}, false }

// The verdict is the world's.
func (p *Port) Condemned() bool { return p.world.verdict != nil }
func (p *Port) Verdict() link.Verdict {
	return *p.world.verdict
}
func (p *Port) Condemn(v link.Verdict) {
	if p.world.verdict == nil {
		p.world.verdict = &v
	}
}

// The bell.
func (p *Port) Arm()                {}
func (p *Port) Disarm()             {}
func (p *Port) Doze(time.Duration)  {}
func (p *Port) Sync()               {}
func (p *Port) Wake()               {}
func (p *Port) Sleep(time.Duration) { panic("chaos: nobody would wake this rank") }
