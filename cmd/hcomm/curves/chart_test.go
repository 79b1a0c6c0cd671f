package curves

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func chart() *Chart {
	return &Chart{Title: "a & b", X: Bytes, Y: Seconds, Lines: []Line{
		{"first <1>", []Point{{1 << 10, 1e-6}, {1 << 20, 1e-3}, {2 << 20, 0}, {math.Inf(1), 1}}},
		{"second", []Point{{1 << 10, 2e-6}}},
	}}
}

// A chart is well-formed, the same every time, and has a dot for each point that can be drawn, where it belongs.
func TestSVG(t *testing.T) {
	text, err := chart().SVG()
	if err != nil {
		t.Fatal(err)
	}
	again, _ := chart().SVG()
	if !bytes.Equal(text, again) {
		t.Error("a second time it is something else")
	}
	d := xml.NewDecoder(bytes.NewReader(text))
	var dots []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == "circle" {
			dots = append(dots, e.Attr[0].Value+","+e.Attr[1].Value)
		}
	}
	// The axes go from 1 KiB to 1 MiB and from 1 µs to 1 ms.
	want := []string{
		fmt.Sprintf("%d.0,%d.0", left, top+plotted), fmt.Sprintf("%d.0,%d.0", width-right, top),
		fmt.Sprintf("%d.0,%.1f", left, top+plotted*(1-math.Log10(2)/3)),
	}
	if fmt.Sprint(dots) != fmt.Sprint(want) {
		t.Errorf("dots at %v, not at %v", dots, want)
	}
	for _, word := range []string{"a &amp; b", "first &lt;1&gt;", ">second<", ">1 KiB<", ">1 MiB<", ">1 µs<", ">1 ms<", ">bytes<"} {
		if !strings.Contains(string(text), word) {
			t.Errorf("there is no %q", word)
		}
	}
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		axis        Axis
		least, most float64
		want        string
	}{
		{Ranks, 128, 4096, "[128 256 512 1024 2048 4096]"},
		{Ranks, 100, 100, "[64 128]"},
		{Ranks, 64, 64, "[64 128]"},
		{Seconds, 3e-7, 0.2, "[100 ns 1 µs 10 µs 100 µs 1 ms 10 ms 100 ms 1 s]"},
		{Seconds, 3e-2, 6e-2, "[10 ms 20 ms 50 ms 100 ms]"},
		{Seconds, 9e-3, 6e-2, "[1 ms 2 ms 5 ms 10 ms 20 ms 50 ms 100 ms]"},
		{Bytes, 8, 1 << 30, "[8 64 512 4 KiB 32 KiB 256 KiB 2 MiB 16 MiB 128 MiB 1 GiB]"},
	} {
		s := span{c.least, c.most}
		s.round(c.axis)
		var names []string
		for _, tick := range s.ticks(c.axis) {
			names = append(names, c.axis.name(tick))
		}
		if fmt.Sprint(names) != c.want {
			t.Errorf("%v to %v: %v, not %s", c.least, c.most, names, c.want)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	if _, err := (&Chart{Lines: []Line{{"", []Point{{0, 1}}}}}).SVG(); err == nil {
		t.Error("a chart without points is drawn")
	}
	if _, err := (&Chart{Lines: make([]Line, MostLines+1)}).SVG(); err == nil || !strings.Contains(err.Error(), "8 can be drawn") {
		t.Errorf("nine lines: %v", err)
	}
}
