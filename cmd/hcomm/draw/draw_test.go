package draw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"hcomm/plan"
)

// each calls do with the programs of every builder for 1 to 9 ranks, with the first and the last rank as the root.
func each(t *testing.T, do func(t *testing.T, b plan.Builder, ranks, root int)) {
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			for ranks := 1; ranks <= 9; ranks++ {
				roots := []int{0}
				if c.Rooted() && ranks > 1 {
					roots = append(roots, ranks-1)
				}
				for _, root := range roots {
					t.Run(fmt.Sprintf("%v/%s/%d/root=%d", c, b.Name, ranks, root), func(t *testing.T) { do(t, b, ranks, root) })
				}
			}
		}
	}
}

func picture(b plan.Builder, ranks, root int) Picture {
	return Picture{
		Title: "<" + b.Name + ">", About: b.About, Collective: b.Collective, Root: root, Programs: b.Programs(ranks, root),
	}
}

// Whatever the programs are, a picture is XML that stands alone, has a box for each step and an arrow for each message,
// and is the same each time.
func TestPictures(t *testing.T) {
	each(t, func(t *testing.T, b plan.Builder, ranks, root int) {
		p := picture(b, ranks, root)
		text, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := p.SVG(); !bytes.Equal(text, again) {
			t.Error("two drawings differ")
		}
		got, want := count(t, text), drawn{}
		for _, program := range p.Programs {
			want.boxes += len(program.Steps)
			for _, s := range program.Steps {
				want.arrows += len(s.To)
			}
		}
		if got != want {
			t.Errorf("there are %+v, want %+v", got, want)
		}
		for _, alien := range []string{"<script", "<foreignObject", "@import", "href", "font-face"} {
			if bytes.Contains(text, []byte(alien)) {
				t.Errorf("it has %s", alien)
			}
		}
	})
}

// drawn is what a picture has.
type drawn struct{ boxes, arrows int }

func count(t *testing.T, text []byte) (n drawn) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	var root string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		if root == "" {
			root = start.Name.Local
		}
		switch class := attribute(start, "class"); {
		case start.Name.Local == "g":
			n.boxes++
		case start.Name.Local == "path" && (class == "a" || class == "a x"):
			n.arrows++
		case start.Name.Local == "svg" && !strings.HasPrefix(attribute(start, "viewBox"), "0 0 "):
			t.Errorf("its viewBox is %q", attribute(start, "viewBox"))
		}
	}
	if root != "svg" {
		t.Errorf("its root is %q", root)
	}
	return n
}

func attribute(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// Boxes lie inside the picture and not on one another, and all arrows point down.
func TestLayout(t *testing.T) {
	each(t, func(t *testing.T, b plan.Builder, ranks, root int) {
		programs := b.Programs(ranks, root)
		events, err := Trace(programs)
		if err != nil {
			t.Fatal(err)
		}
		y := newLayout(programs, events, newLabels(programs, 1, events.Messages))
		for i, b := range y.boxes {
			c := y.columns[b.at.Rank]
			if b.x < c.x || b.x+y.boxWidth > c.x+c.width || b.y+boxHeight > y.bottom {
				t.Errorf("the box of %v is at %d,%d, outside its column %+v", b.at, b.x, b.y, c)
			}
			for _, o := range y.boxes[:i] {
				if b.y == o.y && abs(b.x-o.x) < y.boxWidth {
					t.Errorf("the boxes of %v and %v overlap", b.at, o.at)
				}
			}
		}
		for i, a := range y.arrows {
			if a.y2 <= a.y1 {
				t.Errorf("the arrow of %+v does not point down: %+v", events.Messages[i], a)
			}
		}
	})
}

// The names are those of plan.Explain.
func TestForms(t *testing.T) {
	each(t, func(t *testing.T, b plan.Builder, ranks, root int) {
		for _, p := range b.Programs(ranks, root) {
			for _, p := range []plan.Program{p, p.ScaleFirst(), p.DivideLast()} {
				for j, line := range strings.Split(strings.TrimSpace(plan.Explain(p)), "\n")[1:] {
					if got, want := p.Steps[j].Form().String(), strings.Fields(line)[1]; got != want {
						t.Errorf("got %s, want %s", got, want)
					}
				}
			}
		}
	})
}

func TestAverageIsDashed(t *testing.T) {
	b, err := plan.Find(plan.AllReduce, "direct")
	if err != nil {
		t.Fatal(err)
	}
	p := picture(b, 2, 0)
	for r := range p.Programs {
		p.Programs[r] = p.Programs[r].ScaleFirst()
	}
	text, err := p.SVG()
	if err != nil || !bytes.Contains(text, []byte("recv-scale-reduce")) || !bytes.Contains(text, []byte(";stroke-dasharray")) {
		t.Errorf("%v, %s", err, text)
	}
}

// A picture of many ranks takes no longer than one can wait.
func TestLargePictures(t *testing.T) {
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			p := picture(b, 33, 0)
			text, err := p.SVG()
			if err != nil {
				t.Fatalf("%v:%s: %v", c, b.Name, err)
			}
			if n := count(t, text); n.boxes == 0 || n.arrows < 32 {
				t.Errorf("%v:%s: only %+v", c, b.Name, n)
			}
		}
	}
}

func labelsOf(t *testing.T, c plan.Collective, name string, ranks, rank int) []string {
	t.Helper()
	b, err := plan.Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	programs := b.Programs(ranks, 0)
	events, err := Trace(programs)
	if err != nil {
		t.Fatal(err)
	}
	l := newLabels(programs, c.Shape(plan.Role{Ranks: ranks}).Blocks, events.Messages)
	var all []string
	for j := range programs[rank].Steps {
		all = append(all, l.of(At{rank, j}))
	}
	return all
}

// A number is the part where there are parts, the block where there are blocks, also of what a rank only passes on, and
// nothing where there is only one of each.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		collective  plan.Collective
		builder     string
		ranks, rank int
		want        []string
	}{
		{plan.AllReduce, "direct", 3, 1, []string{"", ""}},
		{plan.AllReduce, "ring", 2, 1, []string{"1", "0", "1"}},
		{plan.AllGather, "ring", 3, 0, []string{"0", "2", "1"}},
		{plan.Gather, "binomial", 4, 2, []string{"2", "3"}},
	} {
		if got := labelsOf(t, c.collective, c.builder, c.ranks, c.rank); !slices.Equal(got, c.want) {
			t.Errorf("%v:%s: got %q, want %q", c.collective, c.builder, got, c.want)
		}
	}
}
