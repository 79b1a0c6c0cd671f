package engine

import (
	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// advance does one slice of every step that is ready. It never waits. The error, which names a culprit, is one that ends
// the communicator.
func (o *operation) advance() (moved bool, e *Error) {
	for i := o.first; i < len(o.steps); i++ {
		p := &o.steps[i]
		if p.done < p.slices && o.ready(i) {
			if e := o.do(i); e != nil {
				return true, e
			}
			p.done++
			moved = true
		}
		if p.done == p.slices && i == o.first {
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
		if p := &o.steps[i]; p.inPlace && !o.wasRead(i, p.slices) {
			return false
		}
	}
	return true
}

// ready says whether step i can do its next slice now.
func (o *operation) ready(i int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	if s.A.Place == plan.Message && !o.comm.port.Arrived(s.A.From, s.A.Channel) ||
		s.B.Place == plan.Message && !o.comm.port.Arrived(s.B.From, s.B.Channel) {
		return false
	}
	return o.free(i) && (len(s.To) == 0 || o.comm.port.Room(s.To, s.Channel, o.needsSlot(p)))
}

// free says whether the steps that step i depends on have come far enough for its next slice.
func (o *operation) free(i int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	for _, d := range s.After {
		q := &o.steps[d.Step]
		need := p.done + 1
		if d.Whole || need > q.slices {
			need = q.slices
		}
		if q.done < need || d.Read && q.inPlace && !o.wasRead(d.Step, need) {
			return false
		}
	}
	return true
}

// wasRead says whether the peers have read the first n slices that step i sent in place. Ones that are gone never will.
func (o *operation) wasRead(i, n int) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	for _, t := range s.To {
		if o.comm.port.Outstanding(t, s.Channel) > p.done-n && o.comm.port.Presence(t) == link.Alive {
			return false
		}
	}
	return true
}

// span is the bytes of a step's next slice, as offsets into the whole buffer.
func (o *operation) span(p *progress) (from, to uint64) {
	from = p.at + uint64(p.done)*o.slice
	return from, min(from+o.slice, p.at+p.bytes)
}

func (o *operation) needsSlot(p *progress) bool {
	from, to := o.span(p)
	return !p.inPlace && to-from > uint64(o.comm.port.InlineBytes())
}

// do does the next slice of a step that is ready: it computes, lets go of the messages it has read, and sends.
func (o *operation) do(i int) *Error {
	s, p := &o.program.Steps[i], &o.steps[i]
	port := o.comm.port
	from, to := o.span(p)
	a, e := o.operand(s.A, p, from, to)
	if e != nil {
		return e
	}
	var b, store, slot []byte
	if s.B.Place != plan.Nowhere {
		if b, e = o.operand(s.B, p, from, to); e != nil {
			return e
		}
	}
	if s.Store != plan.Nowhere {
		store = o.local(s.Store, p, from, to)
	}
	if len(s.To) > 0 && o.needsSlot(p) {
		slot = port.Slot(s.Channel)[:to-from]
	}
	o.compute(s, store, slot, a, b)
	for _, x := range [...]plan.Operand{s.A, s.B} {
		if x.Place == plan.Message {
			port.Release(x.From, x.Channel)
		}
	}
	if len(s.To) > 0 {
		if store == nil {
			store = a
		}
		return o.send(s, p, from, slot, store)
	}
	return nil
}

// send posts the result of a slice, which lies in slot if that is not nil, else in result.
func (o *operation) send(s *plan.Step, p *progress, from uint64, slot, result []byte) *Error {
	port := o.comm.port
	if port.Gone() > 0 {
		for _, t := range s.To {
			if port.Presence(t) != link.Alive {
				return o.missing(t)
			}
		}
	}
	o.header.Length = uint32(len(result))
	switch {
	case slot != nil:
		port.PostSlot(s.To, s.Channel, &o.header)
	case p.inPlace:
		port.PostWindow(s.To, s.Channel, &o.header, o.sourceOffset(s)+from)
	default:
		port.PostInline(s.To, s.Channel, &o.header, result)
	}
	return nil
}

// compute makes the result from a, and b if there is one, in store, or slot, or both. What goes to a slot is streamed
// there, for another processor will read it.
func (o *operation) compute(s *plan.Step, store, slot, a, b []byte) {
	dst := store
	switch {
	case b != nil || s.Map != plan.Identity:
		if dst == nil {
			dst, slot = slot, nil
		}
		if b != nil {
			o.kernels.reduce(dst, a, b)
		} else {
			o.kernels.mapping(dst, a, o.comm.Size())
		}
		a = dst
	case dst != nil && !same(dst, a):
		simd.Copy(dst, a)
	}
	if slot != nil {
		simd.Stream(slot, a)
	}
}

// operand is the bytes of an operand, from offset from to offset to of the whole buffer.
func (o *operation) operand(x plan.Operand, p *progress, from, to uint64) ([]byte, *Error) {
	if x.Place != plan.Message {
		return o.local(x.Place, p, from, to), nil
	}
	h, body, err := o.comm.port.Receive(x.From, x.Channel)
	if !o.agrees(h) {
		return nil, o.differs(x.From, h)
	}
	if err != nil {
		return nil, errorf(InternalError, "%v", err)
	}
	if uint64(len(body)) != to-from {
		return nil, errorf(InternalError, "rank %d sent %d bytes where %d belong", x.From, len(body), to-from)
	}
	return body, nil
}

func (o *operation) local(place plan.Place, p *progress, from, to uint64) []byte {
	switch place {
	case plan.Input:
		return o.input[from:to]
	case plan.Output:
		return o.output[from:to]
	}
	return o.scratch[from-p.at : to-p.at]
}
