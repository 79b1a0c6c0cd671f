package draw

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"strings"

	"hcomm/plan"
)

// Picture is what is drawn.
type Picture struct {
	Title, About string
	Collective   plan.Collective
	Root         int
	Programs     []plan.Program // of all ranks
}

// SVG draws it.
func (p Picture) SVG() ([]byte, error) {
	events, err := Trace(p.Programs)
	if err != nil {
		return nil, err
	}
	role := plan.Role{Ranks: len(p.Programs), Root: p.Root}
	labels := newLabels(p.Programs, p.Collective.Shape(role).Blocks, events.Messages)
	d := &drawing{Picture: p, layout: newLayout(p.Programs, events, labels)}
	legend := d.legend(labels.meaning())
	d.open(max(d.right, legend.right)+margin, legend.bottom+margin)
	d.frame()
	d.drawArrows()
	d.drawBoxes()
	d.drawLegend(legend)
	d.printf("</svg>\n")
	return d.Bytes(), nil
}

// drawing is a picture that is being written.
type drawing struct {
	Picture
	*layout
	bytes.Buffer
}

func (d *drawing) printf(format string, a ...any) { fmt.Fprintf(d, format, a...) }

// escaped is text as XML has it.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text)) // a Builder takes everything
	return b.String()
}

// style has a paper of its own, for the page around it may be light or dark.
const style = `svg{font-family:sans-serif;font-size:12px}
text{fill:#111827}
.m{text-anchor:middle}
.q{fill:#4b5563}
.a{stroke:#334155;stroke-width:1.2;marker-end:url(#h)}
.x{stroke-dasharray:6 3}
.t{text-anchor:middle;font-size:11px;stroke:#fff;stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
rect{stroke-width:1.4}
`

func (d *drawing) open(width, height int) {
	d.printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	d.printf("<title>%s</title>\n<desc>%s</desc>\n<style>%s", escaped(d.Title), escaped(d.About), style)
	for _, l := range d.looks() {
		dash := ""
		if l.dashed {
			dash = ";stroke-dasharray:3 2"
		}
		d.printf(".%s{fill:%s;stroke:%s%s}\n", l.class, l.fill, l.stroke, dash)
	}
	d.printf("</style>\n")
	d.printf(`<marker id="h" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path d="M0 0L8 4L0 8z" fill="#334155"/></marker>` + "\n")
	d.printf(`<rect width="%d" height="%d" rx="8" fill="#fff" stroke="#d1d5db"/>`+"\n", width, height)
}

// looks are those that the picture needs, each once.
func (d *drawing) looks() []look {
	var all []look
	seen := map[string]bool{}
	for _, b := range d.boxes {
		if l := lookOf(b.form); !seen[l.class] {
			seen[l.class] = true
			all = append(all, l)
		}
	}
	return all
}

// frame draws the title, a line down for each rank, and a band for each round.
func (d *drawing) frame() {
	d.printf(`<text x="%d" y="26" font-size="15" font-weight="bold">%s</text>`+"\n", margin, escaped(d.Title))
	for round := range d.rounds {
		y := d.top(round)
		d.printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="#f1f5f9"/>`, margin, y-5, d.right-margin, boxHeight+10)
		d.printf(`<text class="q" x="%d" y="%d">round %d</text>`+"\n", margin+6, y+15, round+1)
	}
	for r, c := range d.columns {
		name := fmt.Sprintf("rank %d", r)
		if d.Collective.Rooted() && r == d.Root {
			name += ", root"
		}
		d.printf(`<text class="m" x="%d" y="%d">%s</text>`, c.middle(), headline+16, name)
		d.printf(`<path d="M%d %dV%d" stroke="#cbd5e1"/>`+"\n", c.middle(), headline+header, d.bottom+5)
	}
	if d.rounds == 0 {
		d.printf(`<text class="q" x="%d" y="%d">no steps</text>`+"\n", margin+6, d.top(0)+15)
	}
}

func (d *drawing) drawArrows() {
	for _, a := range d.arrows {
		d.printf(`<path class="%s" d="M%d %dL%d %d"/>`+"\n", arrowClass(a.channel), a.x1, a.y1, a.x2, a.y2)
	}
	for _, t := range d.tags() {
		d.printf(`<text class="t" x="%d" y="%d">%s</text>`+"\n", t.x, t.y+4, t.label)
	}
}

func arrowClass(channel int) string {
	if channel == 0 {
		return "a"
	}
	return "a x"
}

// drawBoxes draws each step, with what plan.Explain says of it for those who point at it.
func (d *drawing) drawBoxes() {
	var lines []string
	for _, b := range d.boxes {
		if b.at.Step == 0 {
			lines = strings.Split(plan.Explain(d.Programs[b.at.Rank]), "\n")[1:]
		}
		d.printf(`<g><title>rank %d: %s</title>`, b.at.Rank, escaped(strings.Join(strings.Fields(lines[b.at.Step]), " ")))
		d.drawBox(b, b.x, b.y)
		if b.label != "" {
			d.printf(`<text class="m" x="%d" y="%d">%s</text>`, b.x+d.boxWidth/2, b.y+15, b.label)
		}
		d.printf("</g>\n")
	}
}

func (d *drawing) drawBox(b box, x, y int) {
	l := lookOf(b.form)
	corner := ""
	if l.round {
		corner = ` rx="10"`
	}
	d.printf(`<rect class="%s" x="%d" y="%d" width="%d" height="%d"%s/>`, l.class, x, y, d.boxWidth, boxHeight, corner)
}
