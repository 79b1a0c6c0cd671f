package engine

import "hcomm/link"

// exchange is what a blocking call waits for: a send, a receive, both, or a probe.
type exchange struct {
	p       *pointToPoint
	send    *send    // nil if there is none
	receive *receive // nil if there is none
	probe   *pattern // nil if there is none
	found   *kept    // what the probe has found
	failed  *Error   // a failure that leaves the communicator usable

	intended bool // the others were told that this rank waits

	// Used again for each call.
	ownSend    send
	ownReceive receive
	ownProbe   pattern
}

var _ waited = (*exchange)(nil)

// mostToSelf bounds what a rank has sent to itself and not received.
const mostToSelf = 64 << 20

// begin starts the send and the receive, either of which may be nil, of a call. The error is one that leaves the
// communicator usable: then nothing was done.
func (x *exchange) begin(s *send, r *receive) *Error {
	p := x.p
	if e := x.alone(s, r); e != nil {
		return e
	}
	x.send, x.receive, x.failed = s, r, nil
	if r != nil {
		if e := p.post(r); e != nil {
			return p.comm.ended(e)
		}
	}
	if s != nil {
		if e := p.start(s); e != nil {
			return p.comm.ended(e)
		}
	}
	return nil
}

// alone finds the calls that would wait for ever since only this rank, which is in the call, could end them.
func (x *exchange) alone(s *send, r *receive) *Error {
	p := x.p
	me := p.comm.rank
	toSelf := s != nil && s.to == me
	direct := toSelf && r != nil && r.matches(&s.packet.envelope)
	if r != nil && (r.source == me || r.source == AnySource && p.comm.Size() == 1) {
		if k := p.find(&r.pattern); k != nil {
			direct = false
		} else if !direct {
			return errorf(InvalidUsage, "%s would wait for ever: this rank has sent itself no such message", r.describe()).on("waits-for-ever")
		}
	}
	if toSelf && !direct && p.kept[me].size+keepSize(len(s.data)) > mostToSelf {
		return errorf(InvalidUsage, "%s, to this rank itself, would wait for ever: up to %d bytes wait for a receive, and %d do already",
			s.describe(), mostToSelf, p.kept[me].size).on("waits-for-ever")
	}
	return nil
}

// post makes a receive ready: it gets a message that has been kept, or waits for one.
func (p *pointToPoint) post(r *receive) *Error {
	k := p.take(&r.pattern)
	if k == nil {
		p.posted = append(p.posted, r)
		return nil
	}
	e := p.deliver(r, &k.packet, k.body)
	p.recycle(k)
	return e
}

// start puts a send on its way.
func (p *pointToPoint) start(s *send) *Error {
	if s.to == p.comm.rank {
		return p.sendToSelf(s)
	}
	if s.packet.kind == announce {
		p.lastID++
		s.packet.id = p.lastID
		if p.comm.op.windows {
			at := shared(s.data)
			s.packet.offset, s.packet.first, s.packet.end = at.At, at.From, at.To
			s.packet.inWindow = at.From < at.To
			s.sent = s.packet.next(0)
		}
	}
	p.sends = append(p.sends, s)
	return nil
}

// sendToSelf gives a message to the receive that waits for it, or keeps it for one.
func (p *pointToPoint) sendToSelf(s *send) *Error {
	s.stage = finished
	m := s.packet
	m.kind = eager
	if r := p.match(&m.envelope); r != nil {
		return p.deliver(r, &m, s.data)
	}
	p.keep(m, s.data, true)
	return nil
}

func (x *exchange) advance() (moved bool, e *Error) {
	moved, e = x.p.advance()
	if x.probe == nil || e != nil {
		return moved, e
	}
	taken, e := x.p.takeFrom(x.probe.source)
	x.found = x.p.find(x.probe)
	return moved || taken, e
}

// wanted says whether the call probes for a message, which is then kept even where there is no room.
func (p *pointToPoint) wanted(e *envelope) bool {
	return p.call.probe != nil && p.call.probe.matches(e)
}

func (x *exchange) hasBorrowed() bool { return x.receive != nil && x.receive.borrowed }

func (x *exchange) finished() bool {
	return (x.send == nil || x.send.stage == finished) && (x.receive == nil || x.receive.stage == finished) &&
		(x.probe == nil || x.found != nil || x.failed != nil)
}

// disagreement finds a receive or probe of a call that waits for a message of a peer which cannot come: those before it
// fill the room for messages that no receive has matched, and wait for other receives.
func (x *exchange) disagreement() *Error {
	x.p.comm.port.Intend(x.intent())
	x.intended = true
	if x.receive != nil && x.receive.stage == waiting {
		x.p.refuseBlocked(x.receive)
	}
	if x.probe != nil && x.found == nil && x.p.blocked(x.probe.source) {
		x.failed = x.p.blocks(x.probe.source, x.probe.describe("Probe for a message"))
	}
	return nil
}

// refuseBlocked ends a receive whose message cannot come.
func (p *pointToPoint) refuseBlocked(r *receive) {
	if p.blocked(r.source) {
		p.withdraw(r)
		p.unswept = true
		r.stage = finished
		r.failed = p.blocks(r.source, r.describe())
	}
}

// blocked says whether the next message of a peer, or for AnySource of each that is not gone, can be neither matched nor
// kept.
func (p *pointToPoint) blocked(source int) bool {
	if source != AnySource {
		return p.isFull(source)
	}
	full := 0
	for _, q := range p.ranks {
		if q == p.comm.rank {
			continue
		}
		switch {
		case p.isFull(q):
			full++
		case p.comm.port.Presence(q) == link.Alive || p.comm.port.Arrived(q, matchChannel):
			return false
		}
	}
	return full > 0
}

// isFull says whether the next message of one peer can be neither matched nor kept.
func (p *pointToPoint) isFull(peer int) bool {
	if peer == p.comm.rank || !p.comm.port.Arrived(peer, matchChannel) {
		return false
	}
	moved, e := p.takeMatch(peer)
	return !moved && e == nil
}

// abandoned looks for a peer that is gone and that the call waits for. What has arrived from it is used first: so the
// presences are taken before that gets one more chance.
func (x *exchange) abandoned() (moved bool, e *Error) {
	p := x.p
	p.look()
	if moved, e = x.advance(); moved || e != nil {
		return moved, e
	}
	if s := x.send; s != nil && s.stage != finished && p.went[s.to] != link.Alive {
		return false, p.missing(s.to, s.describe())
	}
	if r := x.receive; r != nil && r.stage == waiting {
		return false, p.nobody(r.source, r.describe())
	} else if r != nil && r.stage != finished && p.went[r.got.source] != link.Alive {
		return false, p.missing(r.got.source, r.describe())
	}
	if x.probe != nil && x.found == nil {
		return false, p.nobody(x.probe.source, x.probe.describe("Probe for a message"))
	}
	return false, nil
}

// look takes the presences.
func (p *pointToPoint) look() {
	for q := range p.went {
		if p.went[q] = link.Alive; q != p.comm.rank {
			p.went[q] = p.comm.port.Presence(q)
		}
	}
}

// abandoned is exchange.abandoned for all messages under way; of the receives that wait for a message, for one only,
// which may be nil.
func (p *pointToPoint) abandoned(wanted *receive) (moved bool, e *Error) {
	p.look()
	if moved, e = p.advance(); moved || e != nil {
		return moved, e
	}
	for _, s := range p.sends {
		if s.stage != finished && p.went[s.to] != link.Alive {
			return false, p.missing(s.to, s.describe())
		}
	}
	for _, r := range p.receives {
		if r.stage != finished && p.went[r.got.source] != link.Alive {
			return false, p.missing(r.got.source, r.describe())
		}
	}
	if wanted != nil && wanted.stage == waiting {
		return false, p.nobody(wanted.source, wanted.describe())
	}
	return false, nil
}

// nobody is the error for a message that cannot come any more, nil if it can: one from a rank that is gone, or from any
// when one has died or all others are gone.
func (p *pointToPoint) nobody(source int, what string) *Error {
	if source != AnySource {
		if p.went[source] != link.Alive {
			return p.missing(source, what)
		}
		return nil
	}
	gone, last := 0, 0
	for q, w := range p.went {
		if w == link.Dead {
			return p.missing(q, what)
		}
		if w != link.Alive {
			gone, last = gone+1, q
		}
	}
	if gone > 0 && gone == len(p.went)-1 {
		return p.missing(last, what)
	}
	return nil
}

// forget takes out of the lists what the call has lent, and lets go of it.
func (x *exchange) forget() {
	if s := x.send; s != nil {
		s.stage, s.data = finished, nil
		x.p.sends = unfinished(x.p.sends)
	}
	if r := x.receive; r != nil {
		x.p.withdraw(r)
		r.stage, r.data, r.from = finished, nil, nil
		x.p.receives = unfinished(x.p.receives)
	}
	x.send, x.receive, x.probe = nil, nil, nil // what was found stays
	if x.intended {
		x.p.comm.port.Intend(link.Header{})
		x.intended = false
	}
}
