package topodraw

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"hcomm/cmd/hcomm/svg"
	"hcomm/topo"
)

// MostHosts is how many a picture may have; nobody could read a larger one.
const MostHosts = 1024

// Picture is what is drawn.
type Picture struct {
	Title    string
	Topology *topo.Topology
	Rings    []Ring
}

// Ring is an order of hosts, by index; the last is followed by the first. A host may follow itself, for its several ranks.
type Ring struct {
	Name  string
	Hosts []int
}

// colours are those of rings, in turn.
var colours = []string{"#dc2626", "#2563eb", "#16a34a", "#d97706", "#9333ea", "#0891b2", "#db2777", "#65a30d"}

// SVG draws it.
func (p Picture) SVG() ([]byte, error) {
	if n := len(p.Topology.Hosts); n == 0 || n > MostHosts {
		return nil, fmt.Errorf("it has %d hosts; a picture has 1 to %d", n, MostHosts)
	}
	d := &drawing{Picture: p, layout: newLayout(p.Topology)}
	d.out = d.reach() + 10
	d.open()
	d.drawLinks()
	d.drawRings()
	d.drawSwitches()
	d.drawHosts()
	d.drawLegend()
	d.Printf("</svg>\n")
	return d.Bytes(), nil
}

// drawing is a picture that is being written.
type drawing struct {
	Picture
	*layout
	svg.Buffer
	out float64 // how far the picture reaches from the middle of the circle
}

// at is a point as SVG has it.
func (d *drawing) at(p point) string {
	return fmt.Sprintf("%.1f %.1f", p.x+d.out+margin, p.y+d.out+headline)
}

const style = svg.Style + `.n{font-size:9px;fill:#374151;stroke:#fff;stroke-width:2.5px;paint-order:stroke}
path{fill:none}
.l{stroke:#94a3b8;stroke-width:.8}
.t{stroke:#475569;stroke-width:1.2}
.s{stroke-dasharray:5 3}
.r{stroke-width:2.2;stroke-linecap:round;stroke-opacity:.85}
.h{fill:#e2e8f0;stroke:#334155}
.w{fill:#fff;stroke:#334155}
`

func (d *drawing) open() {
	width := int(2*d.out) + 2*margin
	height := int(2*d.out) + headline + margin + 20*len(d.legend())
	t := d.Topology
	d.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		width, height, width, height)
	about := fmt.Sprintf("%d hosts, %d switches, %d links", len(t.Hosts), len(t.Switches), len(t.Links))
	d.Printf("<title>%s</title>\n<desc>%s</desc>\n<style>%s</style>\n", svg.Escape(d.Title), about, style)
	d.Printf(`<rect width="%d" height="%d" rx="8" fill="#fff" stroke="#d1d5db"/>`+"\n", width, height)
	d.Printf(`<text x="%d" y="26" font-size="15" font-weight="bold">%s</text>`+"\n", margin, svg.Escape(d.Title))
}

// Classes of links.
const (
	toHosts = iota
	trunks
	slow // with less than half the bandwidth of the widest link
	classes
)

var classNames = [classes]struct{ class, about string }{
	toHosts: {"l", "links of hosts"},
	trunks:  {"t", "links between switches"},
	slow:    {"t s", "links with less than half the bandwidth of others"},
}

// drawLinks draws all links of a class as one path.
func (d *drawing) drawLinks() {
	for class, lines := range d.lines() {
		if len(lines) > 0 {
			d.Printf(`<path class="%s" d="%s"/>`+"\n", classNames[class].class, strings.Join(lines, ""))
		}
	}
}

// lines are the links of each class, as parts of a path.
func (d *drawing) lines() (lines [classes][]string) {
	places := map[string]point{}
	for i, h := range d.Topology.Hosts {
		places[h.Name] = d.hosts[i]
	}
	for i, s := range d.Topology.Switches {
		places[s.Name] = d.switches[i]
	}
	widest := 0.
	for _, l := range d.Topology.Links {
		widest = max(widest, l.Bandwidth)
	}
	for _, l := range d.Topology.Links {
		a, _, atHost := strings.Cut(l.A, "/")
		b, _, toHost := strings.Cut(l.B, "/")
		class := trunks
		switch {
		case l.Bandwidth < widest/2:
			class = slow
		case atHost || toHost:
			class = toHosts
		}
		lines[class] = append(lines[class], "M"+d.at(places[a])+"L"+d.at(places[b]))
	}
	return lines
}

// Hops between near hosts go around the circle outside, and the farther the higher; all others go through it.
const (
	bulge  = 0.4  // of the way around, is how high the control point of a hop is
	widest = 0.79 // of a radius, is the longest way around: an eighth of the circle
)

func (d *drawing) drawRings() {
	for k, r := range d.Rings {
		d.Printf(`<g stroke="%s"><title>%s</title><path class="r" d="`, colours[k%len(colours)], svg.Escape(r.Name))
		for i, from := range r.Hosts {
			if to := r.Hosts[(i+1)%len(r.Hosts)]; to != from {
				d.Printf("%s", d.hop(d.hosts[from], d.hosts[to], k))
			}
		}
		d.Printf("\"/></g>\n")
	}
}

// hop is a part of the path of ring k. It takes another way than that of other rings between the same hosts.
func (d *drawing) hop(from, to point, k int) string {
	turn := turn(from, to)
	if turn > widest {
		bend := .6 - .08*float64(k%len(colours))
		return fmt.Sprintf("M%sQ%s %s", d.at(from), d.at(between(from, to, .5).times(bend)), d.at(to))
	}
	a, top, b := d.around(from, to, turn, k)
	return fmt.Sprintf("M%sL%sQ%s %sL%s", d.at(from), d.at(a), d.at(top), d.at(b), d.at(to))
}

// around has the points above both ends of a hop outside of the circle, and the control point between them.
func (l *layout) around(from, to point, turn float64, k int) (a, top, b point) {
	above := 8 + 5*float64(k)
	a, b = from.outwards(above), to.outwards(above)
	return a, between(a, b, .5).outwards(bulge * turn * l.radius), b
}

// turn is how far it is around the circle.
func turn(from, to point) float64 {
	t := math.Abs(from.angle() - to.angle())
	return min(t, 2*math.Pi-t)
}

// reach is how far hosts and hops go from the middle of the circle.
func (d *drawing) reach() float64 {
	reach := d.radius + 5
	for k, r := range d.Rings {
		for i, host := range r.Hosts {
			from, to := d.hosts[host], d.hosts[r.Hosts[(i+1)%len(r.Hosts)]]
			if t := turn(from, to); from != to && t <= widest {
				a, top, _ := d.around(from, to, t, k)
				reach = max(reach, a.length(), top.length())
			}
		}
	}
	return reach
}

// fewSwitches are so many that their names find room.
const fewSwitches = 12

// drawSwitches draws each, with its name above it if there are few.
func (d *drawing) drawSwitches() {
	for i, s := range d.Topology.Switches {
		x, y, _ := strings.Cut(d.at(d.switches[i]), " ")
		d.Printf(`<circle class="w" cx="%s" cy="%s" r="4.5"><title>switch %s</title></circle>`, x, y, svg.Escape(s.Name))
		if len(d.Topology.Switches) <= fewSwitches {
			d.Printf(`<text class="n" text-anchor="middle" x="%s" y="%s" dy="-8">%s</text>`, x, y, svg.Escape(s.Name))
		}
		d.Printf("\n")
	}
}

// drawHosts draws each, with its name if there are few; its zone is in what a pointer shows.
func (d *drawing) drawHosts() {
	hosts := d.Topology.Hosts
	for i, h := range hosts {
		x, y, _ := strings.Cut(d.at(d.hosts[i]), " ")
		about := "host " + h.Name
		if h.Zone != "" {
			about += " of " + h.Zone
		}
		d.Printf(`<circle class="h" cx="%s" cy="%s" r="5"><title>%s</title></circle>`, x, y, svg.Escape(about))
		if len(hosts) <= 128 {
			d.label(d.hosts[i].outwards(-9), h.Name)
		}
		d.Printf("\n")
	}
}

// label writes a text that ends at a point of the circle from inside, or on the left begins there.
func (d *drawing) label(p point, text string) {
	degrees, anchor := p.angle()*180/math.Pi-90, "end"
	if degrees > 90 {
		degrees, anchor = degrees-180, "start"
	}
	x, y, _ := strings.Cut(d.at(p), " ")
	d.Printf(`<text class="n" text-anchor="%s" dy="3" transform="translate(%s %s) rotate(%.1f)">%s</text>`,
		anchor, x, y, degrees, svg.Escape(text))
}

// entry is a sample of a line and its words.
type entry struct{ class, colour, about string }

func (d *drawing) legend() (all []entry) {
	for class, lines := range d.lines() {
		if len(lines) > 0 {
			all = append(all, entry{class: classNames[class].class, about: classNames[class].about})
		}
	}
	for k, r := range d.Rings {
		all = append(all, entry{"r", colours[k%len(colours)], r.Name})
	}
	return slices.Clip(all)
}

func (d *drawing) drawLegend() {
	for i, e := range d.legend() {
		y := int(2*d.out) + headline + 20*i + 6 // and half a pixel, for a thin line is pale between two
		colour := ""
		if e.colour != "" {
			colour = fmt.Sprintf(` stroke="%s"`, e.colour)
		}
		d.Printf(`<path class="%s"%s d="M%d %d.5h36"/>`, e.class, colour, margin, y)
		d.Printf(`<text x="%d" y="%d">%s</text>`+"\n", margin+46, y+4, svg.Escape(e.about))
	}
}
