package topo

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// form is a generator of topologies.
type form interface {
	params() []param
	Topology() (*Topology, error)
}

// param is what may be said of a generator, as NAME=VALUE, or as VALUE alone where it has no name.
type param struct {
	name  string
	value value
	about string
}

// forms are the generators.
var forms = []struct {
	name, about, example string
	make                 func() form
}{
	{"fattree", "three levels of switches with k ports each", "fattree:k=8", newFatTree},
	{"rails", "hosts of several NICs, leaf switches of each rail, and spines", "rails:hosts=256,rails=8", newRails},
	{"zones", "groups of hosts with slow links between them", "zones:64+64", newZones},
	{"torus", "a grid, each row of it closed to a ring", "torus:4x4x4", newTorus},
	{"dragonfly", "groups of routers, all linked inside, and to all other groups", "dragonfly:p=2,a=4,h=2", newDragonfly},
}

// Parse makes the topology that is asked for: by the name of a generator with what is said of it, such as fattree:k=8 (see
// [Help]), or by the name of a file, which read reads.
func Parse(spec string, read func(file string) ([]byte, error)) (*Topology, error) {
	name, rest, colon := strings.Cut(spec, ":")
	for _, f := range forms {
		if f.name == name {
			t, err := parseForm(f.make(), rest)
			if err != nil {
				return nil, fmt.Errorf("topology %s: %w (such as %s)", spec, err, f.example)
			}
			return t, nil
		}
	}
	text, err := read(spec)
	switch {
	case err != nil && colon:
		names := strings.Join(formNames(), ", ")
		return nil, fmt.Errorf("topology %s: it is no file (%w), and %q is none of %s", spec, err, name, names)
	case err != nil:
		return nil, fmt.Errorf("topology %s: %w; it must be a file, or one of %s with its values, such as %s", spec, err,
			strings.Join(formNames(), ", "), forms[0].example)
	}
	t, err := Read(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", spec, err)
	}
	return t, nil
}

func formNames() (names []string) {
	for _, f := range forms {
		names = append(names, f.name)
	}
	return names
}

// parseForm takes what is said of a generator, and makes its topology.
func parseForm(f form, said string) (*Topology, error) {
	params, names := f.params(), []string{}
	for _, p := range params {
		if p.name != "" {
			names = append(names, p.name)
		}
	}
	seen := map[string]bool{}
	for item := range strings.SplitSeq(said, ",") {
		name, text, equals := strings.Cut(item, "=")
		if !equals {
			name, text = "", item
		}
		i := slices.IndexFunc(params, func(p param) bool { return p.name == name })
		switch {
		case item == "" && said == "":
			continue
		case i < 0:
			return nil, fmt.Errorf("%q is not known; there are %s", item, strings.Join(names, ", "))
		case seen[name]:
			return nil, fmt.Errorf("%q: it is said twice", item)
		}
		seen[name] = true
		if err := params[i].value.Set(text); err != nil {
			return nil, fmt.Errorf("%q: %w", item, err)
		}
	}
	return f.Topology()
}

// Help says what [Parse] takes: each generator, and what may be said of it, with what holds if it is not said.
func Help() string {
	var out strings.Builder
	hardware := DefaultHardware()
	common := hardware.params()
	isCommon := func(p param) bool {
		return slices.ContainsFunc(common, func(c param) bool { return c.name == p.name && c.value.String() == p.value.String() })
	}
	for _, f := range forms {
		made := f.make()
		fmt.Fprintf(&out, "%s: %s, such as %s\n\n", f.name, f.about, f.example)
		for _, p := range made.params() {
			if !isCommon(p) {
				out.WriteString(p.line())
			}
		}
		out.WriteString("\n")
	}
	out.WriteString("each of them:\n\n")
	for _, p := range common {
		out.WriteString(p.line())
	}
	return out.String()
}

func (p param) line() string {
	name, held := p.name, p.value.String()
	if name == "" {
		name = p.value.(*numbers).shape()
	}
	if held != "" {
		held = " (" + held + ")"
	}
	return fmt.Sprintf("  %-17s %s%s\n", name, p.about, held)
}
