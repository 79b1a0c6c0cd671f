package plan

import (
	"fmt"
	"strings"
)

// Explain lists a program, one line per step: what it does in the field's terms, on which data, and after which steps.
//
//	2 recv-reduce-send  chunk 0: message from 2 op output -> output, message to 1 2 on channel 1; after 1
func Explain(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, chunks: %d\n", p.Builder, p.Chunks)
	for j := range p.Steps {
		s := &p.Steps[j]
		fmt.Fprintf(&b, "%3d %-16s  chunk %d: %s", j, s.form(), s.Chunk, s.data())
		if len(s.After) > 0 {
			fmt.Fprintf(&b, "; after %s", list("%v", s.After))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// form is the usual name of what a step does.
func (s *Step) form() string {
	var parts []string
	add := func(name string, when bool) {
		if when {
			parts = append(parts, name)
		}
	}
	receives := s.A.Place == Message || s.B.Place == Message
	sends := len(s.To) > 0
	if s.Token {
		add("await", receives)
		add("signal", sends)
		return strings.Join(parts, "-")
	}
	add("recv", receives)
	add("reduce", s.B.Place != Nowhere)
	add("scale", s.Map == Scale)
	add("divide", s.Map == Divide)
	plain := s.B.Place == Nowhere && s.Map == Identity
	add("copy", plain && s.Store != Nowhere && (sends || !receives))
	add("send", sends)
	return strings.Join(parts, "-")
}

// data says what a step reads and where the result goes.
func (s *Step) data() string {
	var b strings.Builder
	b.WriteString(s.A.String())
	if s.B.Place != Nowhere {
		b.WriteString(" op " + s.B.String())
	}
	b.WriteString(" ->")
	if s.Store != Nowhere {
		b.WriteString(" " + s.Store.String())
	}
	if len(s.To) > 0 {
		if s.Store != Nowhere {
			b.WriteByte(',')
		}
		if s.Eager {
			b.WriteString(" eager")
		}
		b.WriteString(" message to")
		for _, to := range s.To {
			fmt.Fprintf(&b, " %d", to)
		}
		if s.Channel != 0 {
			fmt.Fprintf(&b, " on channel %d", s.Channel)
		}
	}
	return b.String()
}

// String names an operand as Explain does.
func (o Operand) String() string {
	switch {
	case o.Place != Message:
		return o.Place.String()
	case o.Channel == 0:
		return fmt.Sprintf("message from %d", o.From)
	}
	return fmt.Sprintf("message from %d on channel %d", o.From, o.Channel)
}

// String names a place as Explain does.
func (p Place) String() string {
	switch p {
	case Nowhere:
		return "nowhere"
	case Input:
		return "input"
	case Output:
		return "output"
	case Scratch:
		return "scratch"
	case Message:
		return "message"
	}
	return fmt.Sprintf("place %d", uint8(p))
}

// String names a dependency as Explain does: "3", "3 whole", "3 read", "3 whole and read".
func (d Dependency) String() string {
	switch {
	case d.Whole && d.Read:
		return fmt.Sprintf("%d whole and read", d.Step)
	case d.Whole:
		return fmt.Sprintf("%d whole", d.Step)
	case d.Read:
		return fmt.Sprintf("%d read", d.Step)
	}
	return fmt.Sprint(d.Step)
}
