package plan

// order fills in what each step has to wait for: the earlier steps that touch the same bytes, at least one of the two
// writing, slice by slice, and the earlier steps that use the same message queue or the same slots, as a whole. A queue
// keeps the order of the steps; and if a later send could take the slots of an earlier one, ranks could wait in a circle
// for each other's next message.
func (p Program) order() Program {
	for j := range p.Steps {
		s := &p.Steps[j]
		s.After = nil
		for i := range j {
			if d, ok := dependency(&p.Steps[i], s); ok {
				d.Step = i
				s.After = append(s.After, d)
			}
		}
		s.After = reduced(s.After, p.Steps)
	}
	return p
}

func dependency(before, s *Step) (d Dependency, ok bool) {
	d.Whole = sharesQueue(before, s) || before.Token || s.Token
	if before.Chunk != s.Chunk {
		return d, d.Whole
	}
	for _, m := range [...]memory{user, scratch} {
		reads, writes := before.reads(m), before.writes(m)
		if writes && (s.reads(m) || s.writes(m)) || reads && s.writes(m) {
			ok = true
		}
		// A peer may read in place what before sent from the user's buffers.
		sent := len(before.To) > 0 && !before.Eager && m == user && (writes || reads && before.Store == Nowhere)
		if sent && s.writes(m) {
			d.Read = true
		}
	}
	return d, ok || d.Whole
}

// memory is what may be overwritten: both of the user's buffers are one, for they may be in place.
type memory uint8

const (
	user memory = iota
	scratch
)

func (m memory) has(p Place) bool {
	if m == scratch {
		return p == Scratch
	}
	return p == Input || p == Output
}

func (s *Step) reads(m memory) bool  { return m.has(s.A.Place) || m.has(s.B.Place) }
func (s *Step) writes(m memory) bool { return m.has(s.Store) }

// sharesQueue says whether both steps send on one channel, to whomever, or both receive from one rank on one channel.
func sharesQueue(a, b *Step) bool {
	if len(a.To) > 0 && len(b.To) > 0 && a.Channel == b.Channel {
		return true
	}
	for _, x := range [...]Operand{a.A, a.B} {
		for _, y := range [...]Operand{b.A, b.B} {
			if x.Place == Message && x == y {
				return true
			}
		}
	}
	return false
}

// reduced drops the plain dependencies that another one of the list implies: in a chain of folds each step then waits
// for the one before it only.
func reduced(after []Dependency, steps []Step) []Dependency {
	var kept []Dependency
	for i, d := range after {
		implied := false
		for _, e := range after[i+1:] {
			for _, t := range steps[e.Step].After {
				implied = implied || t.Step == d.Step && (t.Whole || !d.Whole) && (t.Read || !d.Read)
			}
		}
		if !implied {
			kept = append(kept, d)
		}
	}
	return kept
}
