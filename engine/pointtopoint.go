package engine

import (
	"unsafe"

	"hcomm/observe"
	"hcomm/simd"
)

// TagUB is the largest tag.
const TagUB = 1<<31 - 1

// Message is one side of a call: what is sent, or where a message goes.
type Message struct {
	Buffer unsafe.Pointer
	Count  uint64
	Type   simd.Type
	Peer   int // a rank, ProcNull, or for a receive AnySource
	Tag    int // 0 to TagUB, or for a receive AnyTag
}

// Status is what a receive or probe tells of its message.
type Status struct {
	Source, Tag int
	Bytes       uint64
}

// nothing is the status of a receive from ProcNull.
var nothing = Status{Source: ProcNull, Tag: AnyTag}

func (e *envelope) status() Status { return Status{Source: e.source, Tag: int(e.tag), Bytes: e.bytes} }

// Send sends a message with a tag. It returns when the buffer may be used again: at once for a message that fits an inbox
// entry of the peer, if there is room; for others when the peer receives them. One to this rank itself is kept.
func (c *Comm) Send(m Message) error {
	bytes, e := c.checkSend(&m, &namesOfSend)
	if e != nil {
		return e
	}
	_, err := c.exchange(&m, bytes, nil, 0, tagged)
	return err
}

// Recv receives a message of a source and a tag, either of which may be a wildcard. One that is longer than the buffer is
// an error, Truncated, after which the message is gone and the communicator usable.
func (c *Comm) Recv(m Message) (Status, error) {
	bytes, e := c.checkReceive(&m, &namesOfReceive)
	if e != nil {
		return Status{}, e
	}
	return c.exchange(nil, 0, &m, bytes, tagged)
}

// Sendrecv is Send and Recv at once. The buffers must not overlap.
func (c *Comm) Sendrecv(s, r Message) (Status, error) {
	sent, e := c.checkSend(&s, &namesOfSendrecv[0])
	if e != nil {
		return Status{}, e
	}
	room, e := c.checkReceive(&r, &namesOfSendrecv[1])
	if e == nil {
		e = apart(s.Buffer, sent, r.Buffer, room)
	}
	if e != nil {
		return Status{}, e
	}
	return c.exchange(&s, sent, &r, room, tagged)
}

// SendTyped sends to a peer's RecvTyped, apart from messages with tags.
func (c *Comm) SendTyped(m Message) error {
	bytes, e := c.checkTyped(&m, &namesOfTyped[0])
	if e != nil {
		return e
	}
	_, err := c.exchange(&m, bytes, nil, 0, typed)
	return err
}

// RecvTyped receives from a peer's SendTyped. Type and count must be the same on both sides.
func (c *Comm) RecvTyped(m Message) error {
	bytes, e := c.checkTyped(&m, &namesOfTyped[1])
	if e != nil {
		return e
	}
	_, err := c.exchange(nil, 0, &m, bytes, typed)
	return err
}

// exchange does a checked call with a send, a receive, or both.
func (c *Comm) exchange(s *Message, sent uint64, r *Message, room uint64, in space) (Status, error) {
	if e := c.enter(); e != nil {
		return Status{}, e
	}
	returned := false
	defer c.leaveUnless(&returned)
	if observe.Shows(observe.Traces) {
		c.traceMessages(s, r)
	}
	x := &c.messages.call
	status, e := nothing, (*Error)(nil)
	if len(c.held) > 0 {
		status, e = c.exchangeInLine(s, sent, r, room, in)
	} else if c.port.Condemned() {
		e = c.ended(c.verdict())
	} else if e = x.begin(x.newSend(s, sent, in), x.newReceive(r, room, in)); e != nil {
		x.forget()
	} else if r := x.receive; r == nil {
		e = c.finish(x)
	} else if e = c.finish(x); e == nil {
		status, e = r.got.status(), r.failed
	}
	returned = true
	return status, c.done(e)
}

// newSend makes the send of a call, nil if there is none.
func (x *exchange) newSend(m *Message, bytes uint64, in space) *send {
	if m == nil || m.Peer == ProcNull {
		return nil
	}
	x.p.setSend(&x.ownSend, m, bytes, in)
	return &x.ownSend
}

// setSend makes a send of a checked message.
func (p *pointToPoint) setSend(s *send, m *Message, bytes uint64, in space) {
	*s = send{to: m.Peer, data: view(m.Buffer, bytes)}
	s.packet = packet{kind: eager, envelope: envelope{space: in, typ: m.Type, source: p.comm.rank, tag: int32(m.Tag), bytes: bytes}}
	if in == tagged {
		s.packet.typ = simd.Uint8
	}
	if bytes > uint64(p.comm.port.InlineBytes()) {
		s.packet.kind = announce
	}
}

// newReceive makes the receive of a call, nil if there is none.
func (x *exchange) newReceive(m *Message, bytes uint64, in space) *receive {
	if m == nil || m.Peer == ProcNull {
		return nil
	}
	x.ownReceive.set(m, bytes, in)
	return &x.ownReceive
}

// set makes a receive of a checked message.
func (r *receive) set(m *Message, bytes uint64, in space) {
	*r = receive{pattern: pattern{space: in, source: m.Peer, tag: int32(m.Tag)}, data: view(m.Buffer, bytes), typ: m.Type}
}
