package engine

import (
	"hcomm/link"
	"hcomm/simd"
)

// How a message travels. One that fits an entry goes with its header on the match channel, and its sender is done. A
// longer one is announced there. When a receive matches it, the receiver reads what of it lies in the sender's arena, and
// answers that it is complete, if that is all; otherwise it grants the transfer, and the sender streams the rest through
// its slots, slice by slice. So no slot waits for a receive to be posted.

// pointToPoint is what a communicator keeps of messages from point to point. Each [send] and [receive] is a state machine;
// advance steps them all. There may be any number at once.
type pointToPoint struct {
	comm *Comm
	matcher
	most     uint64     // size of the messages of one peer that are kept
	sends    []*send    // under way, in the order of their calls
	receives []*receive // matched, and not finished
	unswept  bool       // some of these may be finished, and their tasks not
	lastID   uint64
	ranks    []int // 0, 1, 2, ...

	call exchange // the blocking call
	went []link.Presence

	// Of the packet being posted: what is given to a port would otherwise be allocated.
	header link.Header
	place  [windowBytes]byte
}

// stage is how far a send or a receive has come.
type stage uint8

const (
	waiting   stage = iota // a send: for room in the peer's inbox; a receive: for a message
	announced              // a send: for the answer
	granted                // slices go, or come
	reading                // a receive: from the peer's window
	answering              // a receive: for room to post the answer
	finished
)

// send is a message on its way out.
type send struct {
	stage
	packet packet // its first
	to     int
	data   []byte
	sent   uint64
}

// receive is what a message is awaited with.
type receive struct {
	stage
	pattern
	data []byte
	typ  simd.Type

	got    envelope // once matched
	id     uint64   // of the transfer
	answer packetKind
	packet packet // the message's first
	from   []byte // what is yet to be read in the peer's window
	read   uint64 // where in the message that is
	filled uint64 // where in the message the next slice begins
	failed *Error // a failure that leaves the communicator usable

	borrowed bool // it has read from the peer's window
}

// copiedAtOnce bounds what a step copies, so that the others get their turn.
const copiedAtOnce = 64 << 10

// keepMost and keepLeast bound what is kept of one peer's messages; among many ranks it is less, keepAll in all.
const keepMost, keepLeast, keepAll = 1 << 20, 64 << 10, 256 << 20

func (p *pointToPoint) init(c *Comm) {
	n := c.Size()
	p.comm, p.call.p = c, p
	p.kept = make([]keptList, n)
	p.most = uint64(max(keepLeast, min(keepMost, keepAll/n)))
	p.went = make([]link.Presence, n)
	p.ranks = make([]int, n)
	for i := range p.ranks {
		p.ranks[i] = i
	}
}

// pending is how many messages, sends and receives wait.
func (p *pointToPoint) pending() uint32 {
	return uint32(p.count + len(p.sends) + len(p.posted) + len(p.receives))
}

// active says whether anything is to be stepped.
func (p *pointToPoint) active() bool { return len(p.sends)+len(p.posted)+len(p.receives) > 0 }

// to is a list of one rank, as a port wants it.
func (p *pointToPoint) to(rank int) []int { return p.ranks[rank : rank+1 : rank+1] }

// advance does what can be done at once for all sends and receives.
func (p *pointToPoint) advance() (moved bool, e *Error) {
	for i := 0; i < len(p.sends) && e == nil; i++ {
		var did bool
		did, e = p.stepSend(i)
		moved = moved || did
	}
	if e == nil {
		var did bool
		did, e = p.takePosted()
		moved = moved || did
	}
	for i := 0; i < len(p.receives) && e == nil; i++ {
		var did bool
		did, e = p.stepReceive(p.receives[i])
		moved = moved || did
	}
	if moved {
		p.unswept = true
		p.sends = unfinished(p.sends)
		p.receives = unfinished(p.receives)
	}
	return moved, e
}

// takePosted takes messages for the receives that wait for one: where these are more than the ranks, for all of them at once.
func (p *pointToPoint) takePosted() (moved bool, e *Error) {
	did := true
	for turn := 0; len(p.posted) > len(p.ranks) && did && e == nil && turn < takenAtOnce; turn++ {
		did, e = p.takeFrom(AnySource)
		moved = moved || did
	}
	for i := 0; i < len(p.posted) && len(p.posted) <= len(p.ranks) && e == nil; i++ {
		did, e = p.takeFrom(p.posted[i].source)
		moved = moved || did
	}
	return moved, e
}

// takenAtOnce bounds the messages of one peer that a step takes.
const takenAtOnce = 64

func (s stage) isFinished() bool { return s == finished }

// unfinished drops what is finished from a list, in place.
func unfinished[T interface{ isFinished() bool }](list []T) []T {
	n := 0
	for _, x := range list {
		if !x.isFinished() {
			list[n] = x
			n++
		}
	}
	clear(list[n:])
	return list[:n]
}

// stepSend advances the i-th send.
func (p *pointToPoint) stepSend(i int) (moved bool, e *Error) {
	s := p.sends[i]
	switch s.stage {
	case waiting:
		if p.overtakes(i) {
			return false, nil
		}
		return p.postFirst(s)
	case announced:
		return p.takeData(s.to)
	case granted:
		return p.postSlice(s)
	}
	return false, nil
}

// overtakes says whether an earlier send to the same peer waits for room.
func (p *pointToPoint) overtakes(i int) bool {
	for _, s := range p.sends[:i] {
		if s.stage == waiting && s.to == p.sends[i].to {
			return true
		}
	}
	return false
}

// postFirst posts a message, or its announcement, if there is room.
func (p *pointToPoint) postFirst(s *send) (moved bool, e *Error) {
	port := p.comm.port
	to := p.to(s.to)
	if !port.Room(to, matchChannel, false) {
		return false, nil
	}
	if port.Gone() > 0 && port.Presence(s.to) != link.Alive {
		return false, p.missing(s.to, s.describe())
	}
	if s.packet.kind == eager {
		p.header = s.packet.header(len(s.data))
		port.PostInline(to, matchChannel, &p.header, s.data)
		s.stage = finished
		return true, nil
	}
	body := s.packet.place(p.place[:])
	p.header = s.packet.header(len(body))
	port.PostInline(to, matchChannel, &p.header, body)
	s.stage = announced
	return true, nil
}

// postSlice posts the next slice of a granted send, if there is room.
func (p *pointToPoint) postSlice(s *send) (moved bool, e *Error) {
	port := p.comm.port
	to := p.to(s.to)
	left := s.data[s.sent : s.sent+s.packet.run(s.sent)]
	next := packet{kind: slice, id: s.packet.id, offset: s.sent}
	n := min(len(left), port.SlotBytes())
	inline := n <= port.InlineBytes()
	if !port.Room(to, dataChannel, !inline) {
		return false, nil
	}
	p.header = next.header(n)
	if inline {
		port.PostInline(to, dataChannel, &p.header, left[:n])
	} else {
		slot, stream := port.Slot(to, dataChannel)
		sink{slot: slot[:n], stream: stream}.fillSlot(left[:n])
		port.PostSlot(to, dataChannel, &p.header)
	}
	if s.sent = s.packet.next(s.sent + uint64(n)); s.sent == uint64(len(s.data)) {
		s.stage = finished
	}
	return true, nil
}

// stepReceive advances a receive that has been matched.
func (p *pointToPoint) stepReceive(r *receive) (moved bool, e *Error) {
	switch r.stage {
	case reading:
		n := min(uint64(len(r.from)), copiedAtOnce)
		r.borrowed = true
		simd.Copy(r.data[r.read:r.read+n], r.from[:n])
		r.read, r.from = r.read+n, r.from[n:]
		if len(r.from) == 0 {
			r.stage, r.answer = answering, grant
			if r.filled == r.got.bytes {
				r.answer = complete
			}
		}
		return true, nil
	case answering:
		return p.postAnswer(r)
	case granted:
		return p.takeData(r.got.source)
	}
	return false, nil
}

// postAnswer grants a transfer, or says that it is complete, if there is room. A peer that is gone needs no answer.
func (p *pointToPoint) postAnswer(r *receive) (moved bool, e *Error) {
	port := p.comm.port
	peer := r.got.source
	here := port.Gone() == 0 || port.Presence(peer) == link.Alive
	if here && !port.Room(p.to(peer), dataChannel, false) {
		return false, nil
	}
	if !here && r.answer == grant {
		return false, p.missing(peer, r.describe())
	}
	if here {
		a := packet{kind: r.answer, id: r.id}
		p.header = a.header(0)
		port.PostInline(p.to(peer), dataChannel, &p.header, nil)
	}
	if r.stage = finished; r.answer == grant {
		r.stage = granted
	}
	return true, nil
}
