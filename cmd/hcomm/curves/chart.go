package curves

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"hcomm/cmd/hcomm/svg"
)

// Chart is what is drawn.
type Chart struct {
	Title string
	X, Y  Axis
	Lines []Line
}

// Line is a curve. Points are joined in their order.
type Line struct {
	Name   string
	Points []Point
}

// Point has numbers above 0; others are left out.
type Point struct{ X, Y float64 }

// MostLines is how many can be told apart.
const MostLines = 8

// look is how a line is drawn: in colours that people who see few of them can tell apart, too (Okabe and Ito), and dashed.
var looks = [MostLines]struct{ colour, dash string }{
	{"#0072b2", ""}, {"#d55e00", ""}, {"#009e73", ""}, {"#cc79a7", ""},
	{"#56b4e9", "6 3"}, {"#e69f00", "6 3"}, {"#111827", "6 3"}, {"#6b7280", "2 3"},
}

// The places of things, in pixels. Names of lines stand below the axis.
const (
	width    = 760
	left     = 80
	right    = 36 // room for half of the last number
	top      = 52
	plotted  = 380 // height
	lineStep = 20
)

// SVG draws the chart.
func (c *Chart) SVG() ([]byte, error) {
	if len(c.Lines) > MostLines {
		return nil, fmt.Errorf("nobody could tell %d curves apart; %d can be drawn", len(c.Lines), MostLines)
	}
	d := drawing{Chart: c}
	for _, l := range c.Lines {
		for _, p := range l.Points {
			if p.drawable() {
				d.x.include(p.X)
				d.y.include(p.Y)
			}
		}
	}
	if d.x.empty() {
		return nil, errors.New("there is nothing to draw")
	}
	d.x.round(c.X)
	d.y.round(c.Y)
	d.open()
	d.grid()
	for i, l := range c.Lines {
		d.line(i, l)
	}
	d.Printf("</svg>\n")
	return d.Bytes(), nil
}

func (p Point) drawable() bool {
	return p.X > 0 && p.Y > 0 && !math.IsInf(p.X, 0) && !math.IsInf(p.Y, 0)
}

// drawing is a chart that is being written.
type drawing struct {
	*Chart
	svg.Buffer
	x, y span
}

const style = svg.Style + `.t{font-size:15px;font-weight:bold}
.m{text-anchor:middle}
.e{text-anchor:end}
.g{stroke:#e5e7eb}
.l{fill:none;stroke-width:2}
`

func (d *drawing) open() {
	height := top + plotted + 56 + lineStep*len(d.Lines)
	d.Printf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n", width, height, width, height)
	d.Printf("<title>%s</title>\n<style>%s</style>\n", svg.Escape(d.Title), style)
	d.Printf(`<rect width="%d" height="%d" rx="8" fill="#fff" stroke="#d1d5db"/>`+"\n", width, height)
	d.Printf(`<text class="t" x="%d" y="30">%s</text>`+"\n", left, svg.Escape(d.Title))
}

func (d *drawing) atX(x float64) float64 { return left + d.x.at(x)*(width-left-right) }
func (d *drawing) atY(y float64) float64 { return top + (1-d.y.at(y))*plotted }

func (d *drawing) grid() {
	bottom := top + plotted
	for _, tick := range d.x.ticks(d.X) {
		x := d.atX(tick)
		d.Printf(`<line class="g" x1="%.1f" y1="%d" x2="%.1f" y2="%d"/><text class="m" x="%.1f" y="%d">%s</text>`+"\n",
			x, top, x, bottom, x, bottom+18, d.X.name(tick))
	}
	for _, tick := range d.y.ticks(d.Y) {
		y := d.atY(tick)
		d.Printf(`<line class="g" x1="%d" y1="%.1f" x2="%d" y2="%.1f"/><text class="e" x="%d" y="%.1f">%s</text>`+"\n",
			left, y, width-right, y, left-8, y+4, d.Y.name(tick))
	}
	d.Printf(`<text class="m" x="%d" y="%d">%s</text>`+"\n", (left+width-right)/2, bottom+38, d.X.title())
}

func (d *drawing) line(i int, l Line) {
	look := looks[i]
	stroke := fmt.Sprintf(`stroke="%s"`, look.colour)
	if look.dash != "" {
		stroke += fmt.Sprintf(` stroke-dasharray="%s"`, look.dash)
	}
	var path, dots strings.Builder
	for _, p := range l.Points {
		if p.drawable() {
			fmt.Fprintf(&path, " %.1f,%.1f", d.atX(p.X), d.atY(p.Y))
			fmt.Fprintf(&dots, `<circle cx="%.1f" cy="%.1f" r="3" fill="%s"/>`, d.atX(p.X), d.atY(p.Y), look.colour)
		}
	}
	if path.Len() > 0 {
		d.Printf(`<polyline class="l" %s points="%s"/>%s`+"\n", stroke, path.String()[1:], dots.String())
	}
	y := top + plotted + 56 + lineStep*i
	d.Printf(`<line class="l" %s x1="%d" y1="%d" x2="%d" y2="%d"/><text x="%d" y="%d">%s</text>`+"\n",
		stroke, left, y, left+32, y, left+42, y+4, svg.Escape(l.Name))
}
