package draw

import "hcomm/plan"

// look is how a form's boxes are drawn.
type look struct {
	class, fill, stroke string
	round, dashed       bool
}

// lookOf a form: the colour says where the data comes from and whether it is reduced, round corners that it is sent, a
// dashed frame that it is averaged.
func lookOf(f plan.Form) look {
	l := look{round: f.Sends, dashed: f.Scales || f.Divides}
	switch {
	case f.Receives && f.Reduces:
		l.class, l.fill, l.stroke = "f", "#fed7aa", "#9a3412"
	case f.Reduces:
		l.class, l.fill, l.stroke = "u", "#fef08a", "#854d0e"
	case f.Receives:
		l.class, l.fill, l.stroke = "r", "#bbf7d0", "#166534"
	case f.Sends:
		l.class, l.fill, l.stroke = "s", "#bfdbfe", "#1e40af"
	default:
		l.class, l.fill, l.stroke = "c", "#e5e7eb", "#4b5563"
	}
	if l.dashed {
		l.class += "d"
	}
	return l
}
