package plan

import "strings"

// Form is what a step does, whatever the data.
type Form struct{ Receives, Scales, Divides, Reduces, Copies, Sends bool }

// Form of a step.
func (s *Step) Form() Form {
	var f Form
	for _, x := range s.Operands {
		f.Receives = f.Receives || x.Place == Message
		f.Scales = f.Scales || x.Map == Scale
		f.Divides = f.Divides || x.Map == Divide
	}
	f.Reduces, f.Sends = len(s.Operands) > 1, len(s.To) > 0
	plain := !f.Reduces && !f.Scales && !f.Divides
	f.Copies = plain && s.Store.Place != Nowhere && (f.Sends || !f.Receives)
	return f
}

// String is the form's usual name, such as recv-reduce-send.
func (f Form) String() string {
	var words []string
	for _, w := range [...]struct {
		word string
		when bool
	}{
		{"recv", f.Receives}, {"scale", f.Scales}, {"divide", f.Divides},
		{"reduce", f.Reduces}, {"copy", f.Copies}, {"send", f.Sends},
	} {
		if w.when {
			words = append(words, w.word)
		}
	}
	return strings.Join(words, "-")
}
