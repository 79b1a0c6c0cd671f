package draw

import (
	"fmt"
	"strings"

	"hcomm/cmd/hcomm/svg"
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
	d.Printf("</svg>\n")
	return d.Bytes(), nil
}

// drawing is a picture that is being written.
type drawing struct {
	Picture
	*layout
	svg.Buffer
}

const style = svg.Style + `.m{text-anchor:middle}
.q{fill:#4b5563}
.a{stroke:#334155;stroke-width:1.2;marker-end:url(#h)}
.x{stroke-dasharray:6 3}
.t{text-anchor:middle;font-size:11px;stroke:#fff;stroke-width:3px;paint-order:stroke;stroke-linejoin:round}
rect{stroke-width:1.4}
`

func (d *drawing) open(width, height int) {
	d.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	d.Printf("<title>%s</title>\n<desc>%s</desc>\n<style>%s", svg.Escape(d.Title), svg.Escape(d.About), style)
	for _, l := range d.looks() {
		dash := ""
		if l.dashed {
			dash = ";stroke-dasharray:3 2"
		}
		d.Printf(".%s{fill:%s;stroke:%s%s}\n", l.class, l.fill, l.stroke, dash)
	}
	d.Printf("</style>\n")
	d.Printf(`<marker id="h" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">` +
		`<path d="M0 0L8 4L0 8z" fill="#334155"/></marker>` + "\n")
	d.Printf(`<rect width="%d" height="%d" rx="8" fill="#fff" stroke="#d1d5db"/>`+"\n", width, height)
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
	d.Printf(`<text x="%d" y="26" font-size="15" font-weight="bold">%s</text>`+"\n", margin, svg.Escape(d.Title))
	for round := range d.rounds {
		y := d.top(round)
		d.Printf(`<rect x="%d" y="%d" width="%d" height="%d" fill="#f1f5f9"/>`, margin, y-5, d.right-margin, boxHeight+10)
		d.Printf(`<text class="q" x="%d" y="%d">round %d</text>`+"\n", margin+6, y+15, round+1)
	}
	for r, c := range d.columns {
		name := fmt.Sprintf("rank %d", r)
		if d.Collective.Rooted() && r == d.Root {
			name += ", root"
		}
		d.Printf(`<text class="m" x="%d" y="%d">%s</text>`, c.middle(), headline+16, name)
		d.Printf(`<path d="M%d %dV%d" stroke="#cbd5e1"/>`+"\n", c.middle(), headline+header, d.bottom+5)
	}
	if d.rounds == 0 {
		d.Printf(`<text class="q" x="%d" y="%d">no steps</text>`+"\n", margin+6, d.top(0)+15)
	}
}

func (d *drawing) drawArrows() {
	for _, a := range d.arrows {
		d.Printf(`<path class="%s" d="M%d %dL%d %d"/>`+"\n", arrowClass(a.channel), a.x1, a.y1, a.x2, a.y2)
	}
	for _, t := range d.tags() {
		d.Printf(`<text class="t" x="%d" y="%d">%s</text>`+"\n", t.x, t.y+4, t.label)
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
		d.Printf(`<g><title>rank %d: %s</title>`, b.at.Rank, svg.Escape(strings.Join(strings.Fields(lines[b.at.Step]), " ")))
		d.drawBox(b, b.x, b.y)
		if b.label != "" {
			d.Printf(`<text class="m" x="%d" y="%d">%s</text>`, b.x+d.boxWidth/2, b.y+15, b.label)
		}
		d.Printf("</g>\n")
	}
}

func (d *drawing) drawBox(b box, x, y int) {
	l := lookOf(b.form)
	corner := ""
	if l.round {
		corner = ` rx="10"`
	}
	d.Printf(`<rect class="%s" x="%d" y="%d" width="%d" height="%d"%s/>`, l.class, x, y, d.boxWidth, boxHeight, corner)
}
