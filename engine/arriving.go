package engine

import "hcomm/simd"

// collect takes in, of every peer's messages, what a receive matches or what can be kept.
func (p *pointToPoint) collect() (moved bool, e *Error) {
	if moved, e = p.takeFrom(AnySource); moved {
		p.receives = unfinished(p.receives)
	}
	return moved, e
}

// takeFrom takes the next message of a peer, or of each, off its inbox.
func (p *pointToPoint) takeFrom(source int) (moved bool, e *Error) {
	if source != AnySource {
		return p.takeMatch(source)
	}
	for q := 0; q < len(p.ranks) && e == nil; q++ {
		var did bool
		did, e = p.takeMatch(q)
		moved = moved || did
	}
	return moved, e
}

// takeMatch takes the next message that a peer wants matched off its inbox: for a receive, or to be kept. It stays there
// if it is neither matched nor can be kept; then its sender waits.
func (p *pointToPoint) takeMatch(peer int) (moved bool, e *Error) {
	port := p.comm.port
	if peer == p.comm.rank || !port.Arrived(peer, matchChannel) {
		return false, nil
	}
	m, body, e := p.read(peer, matchChannel)
	if e != nil {
		return false, e
	}
	if r := p.match(&m.envelope); r != nil {
		e = p.deliver(r, &m, body)
	} else if p.wanted(&m.envelope) || p.kept[peer].size+keepSize(len(body)) <= p.most {
		p.keep(m, body, m.kind == eager)
	} else {
		return false, nil
	}
	port.Release(peer, matchChannel)
	return true, e
}

// read reads the packet at the head of a queue. The body of an announcement is what of the message can be read in place.
func (p *pointToPoint) read(peer, channel int) (m packet, body []byte, e *Error) {
	h, body, err := p.comm.port.Receive(peer, channel)
	if err != nil {
		return m, nil, errorf(InternalError, "%v", err)
	}
	if m, err = decode(channel, h, body); err != nil {
		return m, nil, errorf(InternalError, "%s sent %v", p.comm.who(peer), err)
	}
	m.source = peer
	if m.kind != announce {
		return m, body, nil
	}
	if body = nil; m.inWindow {
		if body, err = p.comm.port.Window(peer, m.offset, m.end-m.first); err != nil {
			return m, nil, errorf(InternalError, "%v", err)
		}
	}
	return m, body, nil
}

// deliver gives a message to the receive that it matches. The error is one that ends the communicator.
func (p *pointToPoint) deliver(r *receive, m *packet, body []byte) *Error {
	r.got, r.id, r.packet = m.envelope, m.id, *m
	p.unswept = true
	if r.space == typed && (m.typ != r.typ || m.bytes != uint64(len(r.data))) {
		return p.differs(r)
	}
	tooLong := m.bytes > uint64(len(r.data))
	if tooLong {
		r.failed = truncated(r)
	}
	switch {
	case m.kind == eager:
		if !tooLong {
			simd.Copy(r.data[:m.bytes], body)
		}
		r.stage = finished
		return nil
	case tooLong:
		r.stage, r.answer = answering, complete
	case m.inWindow:
		r.stage, r.from, r.read, r.filled = reading, body, m.first, m.next(0)
	default:
		r.stage, r.answer = answering, grant
	}
	p.receives = append(p.receives, r)
	return nil
}

// takeData takes the next packet of a transfer off a peer's inbox.
func (p *pointToPoint) takeData(peer int) (moved bool, e *Error) {
	port := p.comm.port
	if !port.Arrived(peer, dataChannel) {
		return false, nil
	}
	m, body, e := p.read(peer, dataChannel)
	if e != nil {
		return false, e
	}
	if m.kind == slice {
		e = p.fill(&m, body)
	} else {
		e = p.answered(&m)
	}
	port.Release(peer, dataChannel)
	return true, e
}

// fill stores a slice.
func (p *pointToPoint) fill(m *packet, body []byte) *Error {
	for _, r := range p.receives {
		if r.stage != granted || r.got.source != m.source || r.id != m.id {
			continue
		}
		n := uint64(len(body))
		if m.offset != r.filled || n > r.packet.run(r.filled) {
			return errorf(InternalError, "%s sent %d bytes at %d of a message of %d bytes, of which %d have come",
				p.comm.who(m.source), n, m.offset, r.got.bytes, r.filled)
		}
		simd.Copy(r.data[r.filled:r.filled+n], body)
		if r.filled = r.packet.next(r.filled + n); r.filled == r.got.bytes {
			r.stage = finished
		}
		return nil
	}
	return errorf(InternalError, "%s sent a slice of transfer %d, which was not granted", p.comm.who(m.source), m.id)
}

// answered goes on with a send, or ends it.
func (p *pointToPoint) answered(m *packet) *Error {
	for _, s := range p.sends {
		if s.stage != announced || s.to != m.source || s.packet.id != m.id {
			continue
		}
		if s.stage = finished; m.kind == grant {
			s.stage = granted
		}
		return nil
	}
	return errorf(InternalError, "%s answered transfer %d, which was not announced", p.comm.who(m.source), m.id)
}
