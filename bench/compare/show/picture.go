package show

import (
	"bytes"
	"fmt"
	"image/color"
	"io"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"

	"hcomm/bench/compare/results"
)

const (
	width  = 17 * vg.Centimeter
	height = 11 * vg.Centimeter
)

// Colours that people who see few of them can tell apart, too (Okabe and Ito).
var (
	blue   = color.RGBA{0x00, 0x72, 0xb2, 0xff}
	orange = color.RGBA{0xd5, 0x5e, 0x00, 0xff}
	green  = color.RGBA{0x00, 0x9e, 0x73, 0xff}
	ink    = color.RGBA{0x11, 0x18, 0x27, 0xff}
	grey   = color.RGBA{0xcb, 0xd5, 0xe1, 0xff}
	// The page around it may be light or dark: it has a paper of its own.
	paper = color.White
)

// look is how a library's line is drawn: the colour is the library's, dashes and marks are the variant's. What hcomm serves
// has its colour.
func look(name string) (line draw.LineStyle, mark draw.GlyphStyle) {
	line = draw.LineStyle{Color: ink, Width: vg.Points(1.2)}
	mark = draw.GlyphStyle{Radius: vg.Points(2.2), Shape: draw.CircleGlyph{}}
	switch {
	case name == results.Hcomm, strings.HasSuffix(name, "-"+results.Preload):
		line.Color, line.Width, mark.Radius = blue, vg.Points(2.4), vg.Points(2.8)
	case name == results.Direct:
		line.Dashes, mark.Radius = []vg.Length{vg.Points(1.5), vg.Points(2.5)}, 0
	case strings.HasPrefix(name, "openmpi"):
		line.Color = orange
	case strings.HasPrefix(name, "mpich"):
		line.Color = green
	}
	if strings.Contains(name, "-tuned") {
		line.Dashes = []vg.Length{vg.Points(5), vg.Points(3)}
	}
	if strings.Contains(name, "-trixie") {
		mark.Shape = draw.TriangleGlyph{}
	}
	mark.Color = line.Color
	return line, mark
}

// Picture draws time over size, a line for each library, as SVG. A section with one size has no picture.
func Picture(w io.Writer, s results.Section) error {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = Heading(s.Key)
	p.Title.Padding = vg.Points(8)
	p.X.Label.Text, p.Y.Label.Text = "bytes", "time"
	p.X.Scale, p.Y.Scale = plot.LogScale{}, plot.LogScale{}
	p.X.Tick.Marker, p.Y.Tick.Marker = plot.TickerFunc(sizes), plot.TickerFunc(times)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = vg.Points(8), vg.Points(-4), vg.Points(2)
	p.Legend.ThumbnailWidth = vg.Points(28)
	for _, t := range []*font.Font{&p.Title.TextStyle.Font, &p.X.Label.TextStyle.Font, &p.Y.Label.TextStyle.Font,
		&p.X.Tick.Label.Font, &p.Y.Tick.Label.Font, &p.Legend.TextStyle.Font} {
		t.Variant = "Sans"
	}
	p.Title.TextStyle.Font.Size, p.Title.TextStyle.Font.Weight = vg.Points(12), 2 // bold
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = grey, grey
	p.Add(grid)
	for _, name := range lines(s) {
		if err := add(p, s, name); err != nil {
			return err
		}
	}
	margins(p)
	svg := vgsvg.New(width, height)
	c := draw.New(svg)
	c.SetColor(paper)
	c.Fill(c.Path())
	p.Draw(draw.Crop(c, vg.Points(8), vg.Points(-12), vg.Points(8), vg.Points(-10)))
	var b bytes.Buffer
	if _, err := svg.WriteTo(&b); err != nil {
		return err
	}
	// Few machines have the font by which the text was measured; these are as wide.
	_, err := w.Write(bytes.ReplaceAll(b.Bytes(), []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")))
	return err
}

// lines are the names of those that are drawn.
func lines(s results.Section) (names []string) {
	if s.Under == "" {
		return slices.Concat([]string{results.Hcomm}, s.Peers, []string{results.Direct})
	}
	for _, peer := range s.Peers {
		names = append(names, results.Preloaded(peer), peer)
	}
	return names
}

// add draws a library's line, and its name.
func add(p *plot.Plot, s results.Section, name string) error {
	var points plotter.XYs
	for _, l := range s.Lines {
		if us := l.Times[name]; us > 0 {
			points = append(points, plotter.XY{X: float64(l.Bytes), Y: us})
		}
	}
	if points == nil {
		return nil
	}
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	line.LineStyle, marks.GlyphStyle = look(name)
	p.Add(line)
	text := title(name)
	if name == results.Direct {
		p.Legend.Add("direct (no library)", line)
		return nil
	}
	p.Add(marks)
	p.Legend.Add(text, line, marks)
	return nil
}

// margins leaves room at the edges, and above for the legend.
func margins(p *plot.Plot) {
	p.X.Min, p.X.Max = p.X.Min/1.5, p.X.Max*1.5
	p.Y.Min, p.Y.Max = p.Y.Min/1.6, p.Y.Max*2
}

// sizes marks the powers of four, and names every other of them.
func sizes(least, most float64) (ticks []plot.Tick) {
	for bytes, i := 8, 0; float64(bytes) <= most; bytes, i = bytes*4, i+1 {
		if float64(bytes) < least {
			continue
		}
		tick := plot.Tick{Value: float64(bytes)}
		if i%2 == 0 {
			tick.Label = Size(bytes)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}

// times marks the powers of ten, with their unit.
func times(least, most float64) (ticks []plot.Tick) {
	for exponent := math.Floor(math.Log10(least)); exponent <= math.Ceil(math.Log10(most)); exponent++ {
		us := math.Pow(10, exponent)
		for digit := 1.0; digit < 10; digit++ {
			if us*digit < least || us*digit > most {
				continue
			}
			tick := plot.Tick{Value: us * digit}
			if digit == 1 {
				tick.Label = span(us)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}

func span(us float64) string {
	switch {
	case us < 1:
		return fmt.Sprintf("%.0f ns", us*1e3)
	case us < 1e3:
		return fmt.Sprintf("%.0f µs", us)
	case us < 1e6:
		return fmt.Sprintf("%.0f ms", us/1e3)
	}
	return fmt.Sprintf("%.0f s", us/1e6)
}
