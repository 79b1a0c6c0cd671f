package plan

import (
	"fmt"
	"strings"
)

// Explain lists a program, one line per step: what it does in the field's terms, on which data, and after which steps.
//
//	2 recv-reduce-send  part 0: message from 2 op input 1 -> output 1, message to 1 2 on channel 1; after 1, 4 lag 1
func Explain(p Program) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, parts: %d", p.Builder, p.Parts)
	if p.Scratch > 0 {
		fmt.Fprintf(&b, ", scratch: %d", p.Scratch)
	}
	if p.Apart {
		b.WriteString(", apart")
	}
	b.WriteByte('\n')
	for j := range p.Steps {
		s := &p.Steps[j]
		fmt.Fprintf(&b, "%3d %-16s  part %d: %s", j, s.Form(), s.Part, s.data())
		if len(s.After) > 0 {
			fmt.Fprintf(&b, "; after %s", list("%v", s.After))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// data says what a step reads and where the result goes.
func (s *Step) data() string {
	var b strings.Builder
	for i, x := range s.Operands {
		if i > 0 {
			b.WriteString(" op ")
		}
		b.WriteString(x.String())
	}
	b.WriteString(" ->")
	if s.Store.Place != Nowhere {
		b.WriteString(" " + s.Store.String())
	}
	if len(s.To) > 0 {
		if s.Store.Place != Nowhere {
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
func (x Operand) String() string {
	text := x.Location.String()
	if x.Place == Message {
		text = fmt.Sprintf("message from %d", x.From)
		if x.Channel != 0 {
			text += fmt.Sprintf(" on channel %d", x.Channel)
		}
	}
	switch x.Map {
	case Identity:
		return text
	case Scale:
		return "scale(" + text + ")"
	case Divide:
		return "divide(" + text + ")"
	}
	return fmt.Sprintf("map %d(%s)", uint8(x.Map), text)
}

// String names a location as Explain does: "output 2".
func (l Location) String() string { return fmt.Sprintf("%v %d", l.Place, l.Block) }

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

// String names a dependency as Explain does: "3", "3 lag 1", "3 read".
func (d Dependency) String() string {
	text := fmt.Sprint(d.Step)
	if d.Lag != 0 {
		text += fmt.Sprintf(" lag %d", d.Lag)
	}
	if d.Read {
		text += " read"
	}
	return text
}
