package plan

import "fmt"

// wellFormed checks what can be seen without running the programs.
func wellFormed(programs []Program, c Collective, root int, o CheckOptions) error {
	bad := func(format string, a ...any) error {
		return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, a...))
	}
	switch {
	case len(programs) == 0:
		return bad("no ranks")
	case c != AllReduce && c != Broadcast && c != Barrier:
		return bad("%v is unknown", c)
	case c == Broadcast && (root < 0 || root >= len(programs)):
		return bad("root %d of %d ranks", root, len(programs))
	case o.Slices < 1 || o.Slots < 1:
		return bad("checked with %d slices and %d slots; at least 1 of each is needed", o.Slices, o.Slots)
	case c != AllReduce && o.Average != Identity:
		return bad("%v has no average", c)
	}
	for r := range programs {
		p := &programs[r]
		if p.Chunks < 1 || p.Chunks != programs[0].Chunks {
			return bad("rank %d has %d chunks, rank 0 has %d", r, p.Chunks, programs[0].Chunks)
		}
		for j := range p.Steps {
			kind, what := p.Steps[j].flaw(j, r, len(programs), p.Chunks)
			if kind != nil {
				return fmt.Errorf("%w: rank %d, step %d (%s), every slice: %s", kind, r, j, p.Steps[j].form(), what)
			}
		}
	}
	return nil
}

// flaw is what is wrong with step j of a rank, if anything is.
func (s *Step) flaw(j, rank, ranks, chunks int) (kind error, what string) {
	switch {
	case s.Chunk < 0 || s.Chunk >= chunks:
		return ErrMalformed, fmt.Sprintf("chunk %d of %d", s.Chunk, chunks)
	case s.A.Place == Nowhere && s.B.Place != Nowhere:
		return ErrMalformed, "B without A"
	case s.A.Place == Nowhere:
		return ErrMalformed, "no operand"
	case s.B.Place != Nowhere && s.Map != Identity:
		return ErrMalformed, "a map of two operands"
	case s.Map > Divide:
		return ErrMalformed, fmt.Sprintf("map %d is unknown", s.Map)
	case s.A.Place == Message && s.A == s.B:
		return ErrMalformed, "both operands are the next message of one queue"
	case s.Store == Input:
		return ErrInputChanged, "it stores to the input"
	case s.Store != Nowhere && s.Store != Output && s.Store != Scratch:
		return ErrMalformed, fmt.Sprintf("it stores to place %d", s.Store)
	case s.Store == Nowhere && len(s.To) == 0:
		return ErrMalformed, "the result is neither stored nor sent"
	}
	for _, operand := range [...]Operand{s.A, s.B} {
		if operand.Place > Message {
			return ErrMalformed, fmt.Sprintf("an operand from place %d", operand.Place)
		}
		if operand.Place == Message {
			if what := peerFlaw(operand.From, operand.Channel, rank, ranks); what != "" {
				return ErrMalformed, "a message from " + what
			}
		}
	}
	for i, to := range s.To {
		if what := peerFlaw(to, s.Channel, rank, ranks); what != "" {
			return ErrMalformed, "a message to " + what
		}
		for _, other := range s.To[:i] {
			if to == other {
				return ErrMalformed, fmt.Sprintf("two messages to rank %d", to)
			}
		}
	}
	for _, d := range s.After {
		if d.Step < 0 || d.Step >= j {
			return ErrMalformed, fmt.Sprintf("it waits for step %d, which is not an earlier one", d.Step)
		}
	}
	return nil, ""
}

func peerFlaw(peer, channel, rank, ranks int) string {
	switch {
	case peer == rank:
		return "itself"
	case peer < 0 || peer >= ranks:
		return fmt.Sprintf("rank %d of %d", peer, ranks)
	case channel < 0 || channel >= Channels:
		return fmt.Sprintf("rank %d on channel %d of %d", peer, channel, Channels)
	}
	return ""
}
