package engine

import (
	"hcomm/link"
	"hcomm/plan"
)

// slicing is how an operation is cut, and whether its messages are remote.
func (o *operation) slicing(k plan.Collective) (slice uint64, remote bool) {
	slice = uint64(o.comm.port.SlotBytes())
	if o.block >= o.cuts[k].large {
		slice = uint64(o.comm.port.LargeBytes())
	}
	if o.most > 0 { // a table says it
		slice = min(o.most, uint64(o.comm.port.LargeBytes()))
	}
	return slice, o.remotes && o.block*uint64(o.comm.Size()) >= o.cuts[k].remote
}

// fetch brings the bytes of a remote message here: to their place, if the step only copies them, else beside those of the
// other operands.
func (o *operation) fetch(s *plan.Step, k int, store []byte, n uint64) ([]byte, *Error) {
	x := &s.Operands[k]
	to := store
	if to == nil || len(s.Operands) > 1 || x.Map != plan.Identity {
		if need := uint64(len(s.Operands)) * o.slice; uint64(len(o.fetched)) < need {
			o.fetched = make([]byte, need)
		}
		to = o.fetched[uint64(k)*o.slice:][:n]
	}
	o.borrowed = true
	port := o.comm.port
	if err := port.Fetch(x.From, x.Channel, to); err != nil {
		if port.Presence(x.From) != link.Alive {
			return nil, o.missing(x.From)
		}
		port.Refuse(x.From, x.Channel)
		return nil, comesAgain
	}
	return to, nil
}

// comesAgain is no error: the message will come in a slot.
var comesAgain = &Error{}

// resend sends what peers have refused, and has the next operations do without remote messages.
func (o *operation) resend() (moved bool) {
	for i := range o.steps {
		if o.steps[i].inPlace.empty() {
			continue
		}
		s := &o.program.Steps[i]
		for k, t := range s.To {
			if number := o.comm.port.Refused(t, s.Channel); number != 0 && o.sendAgain(i, k, number) {
				moved, o.remotes = true, false
			}
		}
	}
	return moved
}

// sendAgain sends the message of this number to receiver k of step i, if it is a remote one of that step.
func (o *operation) sendAgain(i, k int, number uint64) bool {
	s, p := &o.program.Steps[i], &o.steps[i]
	later, stride := p.last[k]-number, uint64(s.Stride[k])
	if number > p.last[k] || later%stride != 0 || later/stride >= uint64(p.done) {
		return false
	}
	slice := p.done - 1 - int(later/stride)
	if !p.inPlace.has(slice) || p.inWindow.has(slice) {
		return false
	}
	from, to := o.span(p, slice)
	block, _ := s.Reference()
	return o.comm.port.Instead(s.To[k:k+1], s.Channel, number, o.local(block, s.Part, from, to))
}
