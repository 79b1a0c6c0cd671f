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
		return nil, errorf(InternalError, "the memory of %s cannot be read: %v; HCOMM_CMA=off does without", o.comm.who(x.From), err)
	}
	return to, nil
}
