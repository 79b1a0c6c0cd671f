package topodraw

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"hcomm/topo"
)

func parse(t *testing.T, spec string) *topo.Topology {
	t.Helper()
	topology, err := topo.Parse(spec, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	return topology
}

// inOrder is the ring of all hosts by their numbers.
func inOrder(t *topo.Topology) (hosts []int) {
	for i := range t.Hosts {
		hosts = append(hosts, i)
	}
	return hosts
}

var specs = []string{
	"fattree:k=4", "fattree:k=8", "rails:hosts=64,rails=4,oversubscription=2", "zones:16+16", "zones:1+2+3", "torus:4x4x4",
	"dragonfly:p=2,a=4,h=2", "zones:1",
}

var number = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?`)

// Whatever the topology is, a picture is XML that stands alone, has a circle for each host and switch, a line for each
// link, lies within its box, and is the same each time.
func TestPictures(t *testing.T) {
	for _, spec := range specs {
		topology := parse(t, spec)
		p := Picture{Title: "<" + spec + ">", Topology: topology, Rings: []Ring{{"a & b", inOrder(topology)}, {"back", []int{0}}}}
		text, err := p.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := p.SVG(); !bytes.Equal(text, again) {
			t.Errorf("%s: two drawings differ", spec)
		}
		check(t, spec, topology, text)
		for _, alien := range []string{"<script", "<foreignObject", "@import", "href", "NaN", "Inf"} {
			if bytes.Contains(text, []byte(alien)) {
				t.Errorf("%s: it has %s", spec, alien)
			}
		}
	}
}

func check(t *testing.T, spec string, topology *topo.Topology, text []byte) {
	t.Helper()
	circles, lines, width, height := 0, 0, 0., 0.
	for d := xml.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", spec, err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		at := map[string]string{}
		for _, a := range e.Attr {
			at[a.Name.Local] = a.Value
		}
		switch {
		case e.Name.Local == "svg":
			width, _ = strconv.ParseFloat(at["width"], 64)
			height, _ = strconv.ParseFloat(at["height"], 64)
		case e.Name.Local == "circle":
			circles++
		case e.Name.Local == "path" && strings.Contains(at["d"], "L") && at["class"] != "r":
			lines += strings.Count(at["d"], "M")
		}
		for i, n := range number.FindAllString(at["d"], -1) {
			v, _ := strconv.ParseFloat(n, 64)
			if v < 0 || i%2 == 0 && v > width || i%2 == 1 && v > height {
				t.Errorf("%s: %s is outside of %v x %v", spec, at["d"], width, height)
				return
			}
		}
	}
	if want := len(topology.Hosts) + len(topology.Switches); circles != want || lines != len(topology.Links) {
		t.Errorf("%s: %d circles and %d lines, want %d and %d", spec, circles, lines, want, len(topology.Links))
	}
}

// A ring has a part of a path for each hop between two hosts, in its colour, and a line in the legend.
func TestRings(t *testing.T) {
	topology := parse(t, "fattree:k=4")
	order := inOrder(topology)
	p := Picture{Topology: topology, Rings: []Ring{{"one", order}, {"two", []int{0, 0, 5, 5}}}}
	text, err := p.SVG()
	if err != nil {
		t.Fatal(err)
	}
	ring := regexp.MustCompile(`<g stroke="(#[0-9a-f]+)"><title>(\w+)</title><path class="r" d="([^"]*)"`)
	paths := ring.FindAllStringSubmatch(string(text), -1)
	if len(paths) != 2 || paths[0][1] != colours[0] || paths[1][1] != colours[1] || paths[0][2] != "one" {
		t.Fatalf("the rings are %q", paths)
	}
	if a, b := strings.Count(paths[0][3], "M"), strings.Count(paths[1][3], "M"); a != 16 || b != 2 {
		t.Errorf("%d and %d hops, want 16 and 2", a, b)
	}
	if !strings.Contains(string(text), ">two</text>") {
		t.Error("the legend lacks a ring")
	}
}

// Switches have their names beside them, if they are few.
func TestSwitchNames(t *testing.T) {
	for spec, want := range map[string]bool{"zones:2+2": true, "fattree:k=4": false} {
		topology := parse(t, spec)
		text, err := Picture{Topology: topology}.SVG()
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(text, []byte(">"+topology.Switches[0].Name+"</text>")); got != want {
			t.Errorf("%s: a switch is named: %v, want %v", spec, got, want)
		}
	}
}

// A switch of the lowest level stands near its hosts, and no two things are at the same place.
func TestLayout(t *testing.T) {
	for _, spec := range specs {
		topology := parse(t, spec)
		l := newLayout(topology)
		all := append(append([]point{}, l.hosts...), l.switches...)
		for i, p := range all {
			if p.length() > l.radius+1e-9 {
				t.Errorf("%s: %v is outside", spec, p)
			}
			for _, q := range all[:i] {
				if math.Hypot(p.x-q.x, p.y-q.y) < 4 {
					t.Errorf("%s: %v and %v are at the same place", spec, p, q)
				}
			}
		}
	}
	topology := parse(t, "fattree:k=8")
	l := newLayout(topology)
	for i, s := range topology.Switches {
		if s.Level != 0 {
			continue
		}
		for _, link := range topology.Links {
			if host, _, ok := strings.Cut(link.A, "/"); ok && link.B == s.Name {
				at, _ := strconv.Atoi(host[1:])
				if turn := math.Abs(l.hosts[at].angle() - l.switches[i].angle()); turn > .1 && turn < 2*math.Pi-.1 {
					t.Errorf("%s is %.2f away from %s", s.Name, turn, host)
				}
			}
		}
	}
}

func TestTooLarge(t *testing.T) {
	if _, err := (Picture{Topology: parse(t, "zones:1025")}).SVG(); err == nil || !strings.Contains(err.Error(), "1025 hosts") {
		t.Errorf("the error is %v", err)
	}
}
