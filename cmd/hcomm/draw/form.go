package draw

import (
	"strings"

	"hcomm/plan"
)

// form is what a step does, whatever the data.
type form struct{ receives, scales, divides, reduces, copies, sends bool }

func formOf(s *plan.Step) form {
	var f form
	for _, x := range s.Operands {
		f.receives = f.receives || x.Place == plan.Message
		f.scales = f.scales || x.Map == plan.Scale
		f.divides = f.divides || x.Map == plan.Divide
	}
	f.reduces, f.sends = len(s.Operands) > 1, len(s.To) > 0
	plain := !f.reduces && !f.scales && !f.divides
	f.copies = plain && s.Store.Place != plan.Nowhere && (f.sends || !f.receives)
	return f
}

// String is the name that plan.Explain has for it.
func (f form) String() string {
	var words []string
	for _, w := range []struct {
		word string
		when bool
	}{
		{"recv", f.receives}, {"scale", f.scales}, {"divide", f.divides},
		{"reduce", f.reduces}, {"copy", f.copies}, {"send", f.sends},
	} {
		if w.when {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, "-")
}

// look is how a form's boxes are drawn.
type look struct {
	class, fill, stroke string
	round, dashed       bool
}

// look of a form: the colour says where the data comes from and whether it is reduced, round corners that it is sent, a
// dashed frame that it is averaged.
func (f form) look() look {
	l := look{round: f.sends, dashed: f.scales || f.divides}
	switch {
	case f.receives && f.reduces:
		l.class, l.fill, l.stroke = "f", "#fed7aa", "#9a3412"
	case f.reduces:
		l.class, l.fill, l.stroke = "u", "#fef08a", "#854d0e"
	case f.receives:
		l.class, l.fill, l.stroke = "r", "#bbf7d0", "#166534"
	case f.sends:
		l.class, l.fill, l.stroke = "s", "#bfdbfe", "#1e40af"
	default:
		l.class, l.fill, l.stroke = "c", "#e5e7eb", "#4b5563"
	}
	if l.dashed {
		l.class += "d"
	}
	return l
}
