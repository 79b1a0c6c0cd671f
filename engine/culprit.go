package engine

import (
	"fmt"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// describe names an operation from what travels in its messages.
func describe(h link.Header) string {
	c := plan.Collective(h.Signature.Collective())
	if c == plan.Barrier {
		switch simd.Op(h.Signature.Op()) {
		case finalize:
			return fmt.Sprintf("HCOMM_Finalize (as #%d)", h.Op)
		case leaving:
			return fmt.Sprintf("CommFinalize (as #%d)", h.Op)
		}
		return fmt.Sprintf("%s #%d", c, h.Op)
	}
	if name := purpose(h.Signature); name != "" {
		return fmt.Sprintf("%s (as #%d)", name, h.Op)
	}
	text := fmt.Sprintf("%s #%d of %d %s", c, h.Op, h.Count, simd.Type(h.Signature.Type()))
	if c.Reduces() {
		text += fmt.Sprintf(" with %s", simd.Op(h.Signature.Op()))
	}
	if c.Rooted() {
		text += fmt.Sprintf(" %s root %d", preposition(c), h.Signature.Root())
	}
	return text
}

// purpose names what an allgather of hcomm's own is for, "" if it is a user's.
func purpose(s link.Signature) string {
	if plan.Collective(s.Collective()) == plan.AllGather {
		switch simd.Op(s.Op()) {
		case forSplit:
			return "CommSplit"
		case forDup:
			return "CommDup"
		}
	}
	return ""
}

func preposition(c plan.Collective) string {
	if c == plan.Reduce || c == plan.Gather {
		return "to"
	}
	return "from"
}

// differs is the error for a peer whose message belongs to another operation.
func (o *operation) differs(peer int, h link.Header) *Error {
	c := o.comm
	return errorf(Mismatch, "ranks disagree: %s called %s, %s called %s; all ranks must make the same calls in the same order",
		c.who(c.rank), c.named(describe(o.header)), c.who(peer), describe(h))
}

// missing is the error for a peer that is gone and needed.
func (o *operation) missing(peer int) *Error {
	return o.comm.needed(peer, describe(o.header))
}

// named is what a rank does, with the communicator's name if it has one.
func (c *Comm) named(what string) string {
	if c.name == "" {
		return what
	}
	return fmt.Sprintf("%s of the communicator %q", what, c.name)
}

// needed is the error for a peer that is gone while this rank was in a call that needs it.
func (c *Comm) needed(peer int, what string) *Error {
	how, page := c.port.Presence(peer), "dead-rank"
	if how == link.Left {
		page = "left-rank"
	}
	return errorf(RemoteError, "%s %s; %s was in %s", c.who(peer), gone(how), c.who(c.rank), c.named(what)).on(page).by(peer)
}

// abandoned looks for a peer that is gone and that an unfinished step waits for. What has arrived from such a peer is
// used first: so the presences are taken before the steps get one more chance.
func (o *operation) abandoned() (moved bool, e *Error) {
	port := o.comm.port
	for q := range o.went {
		if q != o.comm.rank {
			o.went[q] = port.Presence(q)
		}
	}
	if moved, e = o.advance(); moved || e != nil {
		return moved, e
	}
	for i := o.first; i < len(o.steps); i++ {
		s, p := &o.program.Steps[i], &o.steps[i]
		if p.done == o.slices || !o.free(i) {
			continue
		}
		for _, x := range s.Operands {
			if x.Place == plan.Message && o.went[x.From] != link.Alive && !port.Arrived(x.From, x.Channel) {
				return false, o.missing(x.From)
			}
		}
		for _, t := range s.To {
			if o.went[t] != link.Alive {
				return false, o.missing(t)
			}
		}
	}
	return false, nil
}

// disagreement looks for a peer that is, or was, in another operation of the same number: one whose unread message says
// so, or who waits itself. Such peers may wait for each other without a message that either would read.
func (o *operation) disagreement() *Error {
	port := o.comm.port
	port.Intend(o.header)
	for q := range o.went {
		if q == o.comm.rank {
			continue
		}
		if h := port.Intent(q); h.Op == o.header.Op && !o.agrees(h) {
			return o.differs(q, h)
		}
		for channel := range plan.Channels {
			if !port.Arrived(q, channel) {
				continue
			}
			if h, _, _ := port.Receive(q, channel); h.Op < o.header.Op || h.Op == o.header.Op && !o.agrees(h) {
				return o.differs(q, h)
			}
		}
	}
	return nil
}

// agrees says whether a header belongs to this operation.
func (o *operation) agrees(h link.Header) bool {
	return h.Op == o.header.Op && h.Count == o.header.Count && h.Signature == o.header.Signature
}
