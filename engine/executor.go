package engine

import (
	"hcomm/link"
	"hcomm/plan"
)

// advance does one slice of every step that is ready. It never waits. The error, which names a culprit, is one that ends
// the communicator.
func (o *operation) advance() (moved bool, e *Error) {
	if o.remote {
		moved = o.resend()
	}
	for i := o.first; i < len(o.steps); i++ {
		p := &o.steps[i]
		if p.done < o.slices && o.ready(i) {
			switch e := o.do(i); e {
			case nil:
				p.done++
				moved = true
			case comesAgain:
			default:
				return true, e
			}
		}
		if p.done == o.slices && i == o.first {
			o.first++
		}
	}
	return moved, nil
}

// finished says whether all steps are done and the peers have read what was sent in place.
func (o *operation) finished() bool {
	if o.first < len(o.steps) {
		return false
	}
	for i := range o.steps {
		if !o.wasRead(i, o.slices) {
			return false
		}
	}
	return true
}

// ready says whether step i can do its next slice now.
func (o *operation) ready(i int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	for k := range s.Operands {
		if x := &s.Operands[k]; x.Place == plan.Message && !o.comm.port.Arrived(x.From, x.Channel) {
			return false
		}
	}
	if !o.free(i) {
		return false
	}
	if len(s.To) == 0 {
		return true
	}
	slot := o.needsSlot(p, p.done)
	return (!slot || o.turn(s.Channel) == i) && o.comm.port.Room(s.To, s.Channel, slot)
}

// turn is the step that gets the next slot of a channel: of those that need one for a slice, the first for the first slice.
func (o *operation) turn(channel int) int {
	senders := o.program.Senders[channel]
	t := &o.turns[channel]
	for t.slice < o.slices {
		i := senders[t.sender]
		if p := &o.steps[i]; p.done <= t.slice && o.needsSlot(p, t.slice) {
			return i
		}
		if t.sender++; t.sender == len(senders) {
			t.sender = 0
			t.slice++
		}
	}
	return -1
}

// free says whether the steps that step i depends on have come far enough for its next slice.
func (o *operation) free(i int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	for k := range s.After {
		d := &s.After[k]
		q := &o.steps[d.Step]
		need := p.done + 1 - d.Lag
		if q.done < need || d.Read && !o.wasRead(d.Step, need) {
			return false
		}
	}
	return true
}

// wasRead says whether the peers have read those of the first n slices of step i that it sent in place. Ones that are gone
// never will.
func (o *operation) wasRead(i, n int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	if n = min(n, p.inPlace.end); n <= p.inPlace.first {
		return true
	}
	for k, t := range s.To {
		number := p.last[k] - uint64((p.done-n)*s.Stride[k])
		if o.comm.port.Released(t, s.Channel) < number && o.comm.port.Presence(t) == link.Alive {
			return false
		}
	}
	return true
}

// needsSlot says whether a sending step needs a slot for a slice.
func (o *operation) needsSlot(p *progress, slice int) bool {
	from, to := o.span(p, slice)
	return !p.inPlace.has(slice) && to-from > uint64(o.comm.port.InlineBytes())
}

// do does the next slice of a step that is ready: it computes, lets go of the messages it has read, and sends.
func (o *operation) do(i int) *Error {
	s, p := &o.program.Steps[i], &o.steps[i]
	port := o.comm.port
	from, to := o.span(p, p.done)
	bodies := o.bodies[:len(s.Operands)]
	var into sink
	if s.Store.Place != plan.Nowhere {
		into.store, into.large = o.local(s.Store, s.Part, from, to), o.large
	}
	for k := range s.Operands {
		var e *Error
		if bodies[k], e = o.operand(s, k, from, to, into.store); e != nil {
			return e
		}
	}
	if len(s.To) > 0 && o.needsSlot(p, p.done) {
		slot, stream := port.Slot(s.To, s.Channel)
		into.slot, into.stream = slot[:to-from], stream
	}
	result := o.compute(s, bodies, into)
	var e *Error
	if len(s.To) > 0 && into.slot == nil {
		e = o.send(i, from, nil, result) // the message may carry what an operand, yet to be released, holds
	}
	for k := range s.Operands {
		if x := &s.Operands[k]; x.Place == plan.Message {
			port.Release(x.From, x.Channel)
		}
	}
	if into.slot != nil {
		e = o.send(i, from, into.slot, result)
	}
	return e
}

// send posts the result of a slice, which lies in slot if that is not nil, else in result.
func (o *operation) send(i int, from uint64, slot, result []byte) *Error {
	s, p := &o.program.Steps[i], &o.steps[i]
	port := o.comm.port
	if port.Gone() > 0 {
		for _, t := range s.To {
			if port.Presence(t) != link.Alive {
				return o.missing(t)
			}
		}
	}
	switch {
	case slot != nil:
		o.header.Length = uint32(len(slot))
		port.PostSlot(s.To, s.Channel, &o.header)
	case p.inPlace.has(p.done) && len(result) > port.InlineBytes():
		o.header.Length = uint32(len(result))
		if !p.inWindow.has(p.done) {
			port.PostRemote(s.To, s.Channel, &o.header, result)
			break
		}
		block, _ := s.Reference()
		port.PostWindow(s.To, s.Channel, &o.header, o.sourceOffset(block, from), o.fresh)
	default:
		o.header.Length = uint32(len(result))
		port.PostInline(s.To, s.Channel, &o.header, result)
	}
	if !p.inPlace.empty() {
		for k, t := range s.To {
			p.last[k] = port.Posted(t, s.Channel)
		}
	}
	return nil
}

// operand is the bytes of operand k of a step, from offset from to offset to of its block. store is where the result goes,
// if anywhere here.
func (o *operation) operand(s *plan.Step, k int, from, to uint64, store []byte) ([]byte, *Error) {
	x := &s.Operands[k]
	if x.Place != plan.Message {
		return o.local(x.Location, s.Part, from, to), nil
	}
	h, body, err := o.comm.port.Receive(x.From, x.Channel)
	if !o.agrees(h) {
		return nil, o.differs(x.From, h)
	}
	if err != nil {
		return nil, errorf(InternalError, "%v", err)
	}
	if o.comm.port.Remote(x.From, x.Channel) && uint64(h.Length) == to-from {
		return o.fetch(s, k, store, to-from)
	}
	if len(body) > o.comm.port.InlineBytes() && o.comm.port.Lent(x.From, x.Channel) {
		o.borrowed = true
	}
	if uint64(len(body)) != to-from {
		return nil, errorf(InternalError, "rank %d sent %d bytes where %d belong", x.From, h.Length, to-from)
	}
	return body, nil
}
