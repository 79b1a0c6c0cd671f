package engine

import (
	"fmt"
)

func (s *send) describe() string {
	return fmt.Sprintf("Send of %s to rank %d%s", s.packet.amount(), s.to, s.packet.tagged())
}

func (r *receive) describe() string {
	e := envelope{space: r.space, typ: r.typ, tag: r.tag, bytes: uint64(len(r.data))}
	what := "Recv of "
	if r.space == tagged {
		what += "up to "
	}
	return r.pattern.describe(what + e.amount())
}

// describe says whose messages a pattern is for.
func (p *pattern) describe(what string) string {
	from := "any rank"
	if p.source != AnySource {
		from = fmt.Sprintf("rank %d", p.source)
	}
	e := envelope{space: p.space, tag: p.tag}
	return what + " from " + from + e.tagged()
}

// amount is the size of a message in the terms of its caller.
func (e *envelope) amount() string {
	if e.space == typed {
		return fmt.Sprintf("%d %s", e.bytes/uint64(e.typ.Size()), e.typ)
	}
	return fmt.Sprintf("%d bytes", e.bytes)
}

func (e *envelope) tagged() string {
	switch {
	case e.space == typed:
		return ""
	case e.tag == AnyTag:
		return " with any tag"
	}
	return fmt.Sprintf(" with tag %d", e.tag)
}

// missing is the error for a peer that is gone and needed.
func (p *pointToPoint) missing(peer int, what string) *Error {
	return p.comm.needed(peer, what)
}

// differs is the error for a message that is not what its typed receive wants.
func (p *pointToPoint) differs(r *receive) *Error {
	c := p.comm
	s := send{packet: packet{envelope: r.got}, to: c.rank}
	return errorf(Mismatch, "ranks disagree: %s called %s, %s called %s; type and count must be the same on both sides",
		c.who(c.rank), r.describe(), c.who(r.got.source), s.describe())
}

// truncated is the error for a message that is longer than the buffer of its receive.
func truncated(r *receive) *Error {
	return errorf(Truncated, "the message from rank %d%s has %d bytes, and the buffer %d; the message is dropped, the buffer was not written",
		r.got.source, r.got.tagged(), r.got.bytes, len(r.data))
}

// blocks is the error for a wait that the messages before the one waited for make endless; peer may be AnySource.
func (p *pointToPoint) blocks(peer int, what string) *Error {
	from := "the other ranks"
	var size uint64
	if peer != AnySource {
		from, size = p.comm.who(peer), p.kept[peer].size
	} else {
		for q := range p.kept {
			size += p.kept[q].size
		}
	}
	return errorf(InvalidUsage, "%s would wait for ever: what %s sent before, %d bytes, fills the room for messages that no receive has matched",
		what, from, size).on("waits-for-ever")
}
