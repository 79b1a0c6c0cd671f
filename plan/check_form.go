package plan

import (
	"fmt"
	"slices"
)

// mostParts bounds what a check has to look at. Builders make no more parts than ranks, or a few.
const mostParts = 1 << 14

// wellFormed checks what can be seen without running the programs.
func wellFormed(programs []Program, c Collective, root int, o CheckOptions) error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, a...))
	}
	switch {
	case len(programs) == 0:
		return bad("no ranks")
	case c == 0 || c >= collectives:
		return bad("%v is unknown", c)
	case c.Rooted() && (root < 0 || root >= len(programs)):
		return bad("root %d of %d ranks", root, len(programs))
	case o.Slices < 1 || o.Slots < 1:
		return bad("checked with %d slices and %d slots; at least 1 of each is needed", o.Slices, o.Slots)
	case !c.Reduces() && o.Average != Identity:
		return bad("%v has no average", c)
	}
	for r := range programs {
		p := &programs[r]
		if p.Parts < 1 || p.Parts > mostParts || p.Parts != programs[0].Parts {
			return bad("rank %d has %d parts, rank 0 has %d; 1 to %d are possible", r, p.Parts, programs[0].Parts, mostParts)
		}
		f := newForm(p, c, Role{Rank: r, Ranks: len(programs), Root: root})
		if what := f.sendersFlaw(); what != "" {
			return bad("rank %d, %s", r, what)
		}
		for j := range p.Steps {
			if kind, what := f.flaw(j); kind != nil {
				return fmt.Errorf("%w: rank %d, step %d (%s), every slice: %s", kind, r, j, p.Steps[j].Form(), what)
			}
		}
	}
	return nil
}

// form is one rank's program while its steps are looked at.
type form struct {
	*Program
	role  Role
	shape Shape
	sends map[end]int // the steps that send on each queue
	seen  map[end]int // the last step that named it, and one
}

// end is where a queue begins or ends.
type end struct {
	peer, channel int
	sending       bool
}

func newForm(p *Program, c Collective, r Role) *form {
	f := &form{Program: p, role: r, shape: c.Shape(r), sends: map[end]int{}, seen: map[end]int{}}
	for j := range p.Steps {
		for _, to := range p.Steps[j].To {
			f.sends[end{to, p.Steps[j].Channel, true}]++
		}
	}
	return f
}

// again says whether step j has named this end of a queue before.
func (f *form) again(j int, e end) bool {
	seen := f.seen[e] == j+1
	f.seen[e] = j + 1
	return seen
}

// flaw is what is wrong with step j, if anything is.
func (f *form) flaw(j int) (kind error, what string) {
	s := &f.Steps[j]
	switch {
	case s.Part < 0 || s.Part >= f.Parts:
		return ErrMalformed, fmt.Sprintf("part %d of %d", s.Part, f.Parts)
	case len(s.Operands) == 0:
		return ErrMalformed, "no operand"
	case s.Store.Place == Input:
		return ErrInputChanged, "it stores to the input"
	case s.Store.Place > Scratch:
		return ErrMalformed, fmt.Sprintf("it stores to %v", s.Store.Place)
	case s.Store.Place == Nowhere && len(s.To) == 0:
		return ErrMalformed, "the result is neither stored nor sent"
	case s.Store.Place != Nowhere && !f.has(s.Store):
		return ErrMalformed, fmt.Sprintf("it stores to %v, which this rank does not have", s.Store)
	}
	for _, x := range s.Operands {
		if what := f.operandFlaw(j, x); what != "" {
			return ErrMalformed, what
		}
	}
	if what := f.sendingFlaw(j); what != "" {
		return ErrMalformed, what
	}
	for _, d := range s.After {
		if what := d.flaw(j, len(f.Steps)); what != "" {
			return ErrMalformed, what
		}
	}
	return nil, ""
}

// has says whether the rank has a block of its own memory.
func (f *form) has(l Location) bool {
	if l.Place == Scratch {
		return l.Block >= 0 && l.Block < f.Scratch
	}
	return f.shape.holds(l, f.role.Rank)
}

// holds says whether the rank has a block of the user's memory.
func (s Shape) holds(l Location, rank int) bool {
	e := None
	switch l.Place {
	case Input:
		e = s.Input
	case Output:
		e = s.Output
	}
	return e == All && l.Block >= 0 && l.Block < s.Blocks || e == Own && l.Block == rank
}

func (f *form) operandFlaw(j int, x Operand) string {
	switch {
	case x.Map > Divide:
		return fmt.Sprintf("map %d is unknown", x.Map)
	case x.Place == Nowhere || x.Place > Message:
		return fmt.Sprintf("an operand from %v", x.Place)
	case x.Place != Message:
		if !f.has(x.Location) {
			return fmt.Sprintf("an operand from %v, which this rank does not have", x.Location)
		}
		return ""
	case x.Block != 0:
		return fmt.Sprintf("block %d of a message", x.Block)
	}
	if what := f.peerFlaw(x.From, x.Channel); what != "" {
		return "a message from " + what
	}
	if f.again(j, end{x.From, x.Channel, false}) {
		return fmt.Sprintf("two messages from rank %d on channel %d", x.From, x.Channel)
	}
	return ""
}

func (f *form) sendingFlaw(j int) string {
	s := &f.Steps[j]
	if len(s.Stride) != len(s.To) {
		return fmt.Sprintf("%d strides for %d peers", len(s.Stride), len(s.To))
	}
	for i, to := range s.To {
		e := end{to, s.Channel, true}
		if what := f.peerFlaw(to, s.Channel); what != "" {
			return "a message to " + what
		}
		if f.again(j, e) {
			return fmt.Sprintf("two messages to rank %d", to)
		}
		if s.Stride[i] != f.sends[e] {
			return fmt.Sprintf("stride %d, but %d steps send to rank %d on channel %d", s.Stride[i], f.sends[e], to, s.Channel)
		}
	}
	return ""
}

// sendersFlaw is what is wrong with the list of who takes slots.
func (f *form) sendersFlaw() string {
	var want [Channels][]int
	for j := range f.Steps {
		if c := f.Steps[j].Channel; len(f.Steps[j].To) > 0 && c >= 0 && c < Channels {
			want[c] = append(want[c], j)
		}
	}
	for c := range want {
		if !slices.Equal(f.Senders[c], want[c]) {
			return fmt.Sprintf("senders %v of channel %d, but steps %v send on it", f.Senders[c], c, want[c])
		}
	}
	return ""
}

func (f *form) peerFlaw(peer, channel int) string {
	switch {
	case peer == f.role.Rank:
		return "itself"
	case peer < 0 || peer >= f.role.Ranks:
		return fmt.Sprintf("rank %d of %d", peer, f.role.Ranks)
	case channel < 0 || channel >= Channels:
		return fmt.Sprintf("rank %d on channel %d of %d", peer, channel, Channels)
	}
	return ""
}

// flaw is what is wrong with a dependency of step j.
func (d Dependency) flaw(j, steps int) string {
	switch {
	case d.Lag != 0 && d.Lag != 1:
		return fmt.Sprintf("it waits for step %d with lag %d", d.Step, d.Lag)
	case d.Step < 0 || d.Step >= steps:
		return fmt.Sprintf("it waits for step %d of %d", d.Step, steps)
	case d.Step == j:
		return "it waits for itself"
	case d.Lag == 0 && d.Step > j:
		return fmt.Sprintf("it waits for step %d, which is a later one", d.Step)
	}
	return ""
}
