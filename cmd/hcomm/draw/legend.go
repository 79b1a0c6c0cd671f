package draw

import (
	"fmt"
	"slices"

	"hcomm/cmd/hcomm/svg"
	"hcomm/plan"
)

// legend explains what the picture has, below it.
type legend struct {
	entries       []entry
	right, bottom int
}

// entry is a sample and its words.
type entry struct {
	x, y    int
	text    string
	box     *box // a step's
	channel int  // a message's, if there is no box; -1: words only
}

// legend lists each form and each channel once, in lines as wide as the picture.
func (d *drawing) legend(numbers string) legend {
	var all []entry
	forms := map[plan.Form]bool{}
	for i := range d.boxes {
		if b := &d.boxes[i]; !forms[b.form] {
			forms[b.form] = true
			all = append(all, entry{text: b.form.String(), box: b})
		}
	}
	for channel := range plan.Channels {
		if slices.ContainsFunc(d.arrows, func(a arrow) bool { return a.channel == channel }) {
			all = append(all, entry{text: messageText(channel), channel: channel})
		}
	}
	if numbers != "" && len(d.boxes) > 0 {
		all = append(all, entry{text: numbers, channel: -1})
	}
	return d.arrange(all)
}

func messageText(channel int) string {
	if channel == 0 {
		return "message"
	}
	return fmt.Sprintf("message on channel %d", channel)
}

// arrange places the entries in lines.
func (d *drawing) arrange(all []entry) legend {
	most := max(d.right, 420)
	l := legend{right: margin + len(d.Title)*9, bottom: d.bottom + 20} // a bold title's letters are wide
	x, y := margin, d.bottom+22
	for i := range all {
		e := &all[i]
		width := d.boxWidth + 8 + digit*len(e.text) + 14
		if x > margin && x+width > most {
			x, y = margin, y+boxHeight+8
		}
		e.x, e.y = x, y
		x += width
		l.right = max(l.right, x)
		l.bottom = y + boxHeight
	}
	l.entries = all
	return l
}

func (d *drawing) drawLegend(l legend) {
	for _, e := range l.entries {
		x := e.x + d.boxWidth + 8
		switch {
		case e.box != nil:
			d.drawBox(*e.box, e.x, e.y)
		case e.channel >= 0:
			// No class of its own: what counts arrows must not count this one.
			d.Printf(`<path class="k %s" d="M%d %dH%d"/>`, arrowClass(e.channel), e.x, e.y+boxHeight/2, e.x+d.boxWidth)
		default:
			x = e.x
		}
		d.Printf(`<text x="%d" y="%d">%s</text>`+"\n", x, e.y+15, svg.Escape(e.text))
	}
}
