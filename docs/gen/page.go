package main

import (
	"fmt"
	"regexp"
	"strings"

	"hcomm/cmd/hcomm/draw"
	"hcomm/plan"
)

// drawings is their folder.
const drawings = "collectives"

var marked = regexp.MustCompile(`(?s)(<!-- made by make docs: (\S+) -->\n).*?(<!-- end -->)`)

// fill puts each text between its markers. A text without markers and markers without a text are mistakes.
func fill(page string, texts map[string]string) (string, error) {
	var err error
	used := map[string]bool{}
	page = marked.ReplaceAllStringFunc(page, func(place string) string {
		m := marked.FindStringSubmatch(place)
		text, ok := texts[m[2]]
		if !ok || used[m[2]] {
			err = fmt.Errorf("nothing is made for the markers %q, or they are there twice", m[2])
		}
		used[m[2]] = true
		return m[1] + text + m[3]
	})
	for name := range texts {
		if !used[name] {
			return "", fmt.Errorf("it has no markers for %q: <!-- made by make docs: %s --> and <!-- end -->", name, name)
		}
	}
	return page, err
}

// tables gives what is between the markers.
func tables() map[string]string {
	texts := map[string]string{"model": model(), "deterministic": deterministic()}
	for _, c := range plan.Collectives() {
		text := "\n" + table(c)
		for _, b := range plan.Builders(c) {
			text += "\n" + section(b)
		}
		texts[lower(c)] = text
	}
	return texts
}

func lower(c plan.Collective) string { return strings.ToLower(c.String()) }

// section is about one builder.
func section(b plan.Builder) string {
	var s strings.Builder
	name := lower(b.Collective) + ":" + b.Name
	fmt.Fprintf(&s, "### %s\n\n%s\n\n", name, b.About)
	if b.Collective.Reduces() {
		fmt.Fprintf(&s, "- Order kept: %v\n", b.Order)
	}
	fmt.Fprintf(&s, "- Cost: %s\n", b.Formula)
	if strings.Trim(b.Source, "-") != "" {
		fmt.Fprintf(&s, "- Source: %s\n", b.Source)
	}
	if !everChosen(b) {
		s.WriteString("- Chosen: for no size in the table above\n")
	}
	fmt.Fprintf(&s, "- Forced by: `HCOMM_ALGO=%s`\n", name)
	p := picture(b)
	fmt.Fprintf(&s, "\n![%s](%s/%s)\n", p.Title, drawings, file(b))
	return s.String()
}

func file(b plan.Builder) string { return lower(b.Collective) + "-" + b.Name + ".svg" }

// picture shows four ranks, or five where that is not a power of two for an algorithm that would like one.
func picture(b plan.Builder) draw.Picture {
	ranks, root := 4, 0
	switch b.Name {
	case "recursive-doubling", "recursive-halving", "rabenseifner", "bruck", "binomial", "double-tree", "dissemination":
		ranks = 5
	}
	p := draw.Picture{About: b.About, Collective: b.Collective}
	p.Title = fmt.Sprintf("%s:%s, %d ranks", lower(b.Collective), b.Name, ranks)
	if b.Collective.Rooted() {
		if b.Collective == plan.Reduce { // what keeps rank order has two sides
			root = 1
		}
		p.Title += fmt.Sprintf(", root %d", root)
	}
	p.Root, p.Programs = root, b.Programs(ranks, root)
	return p
}

// pictures gives the drawings by the names of their files.
func pictures() (map[string]string, error) {
	all := map[string]string{}
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			text, err := picture(b).SVG()
			if err != nil {
				return nil, fmt.Errorf("%v:%s: %w", c, b.Name, err)
			}
			all[file(b)] = string(text)
		}
	}
	return all, nil
}

// model lists plan.Host.
func model() string {
	h := plan.Host
	return fmt.Sprintf(`| letter | what it is | on one host |
|---|---|---|
| α | latency: from a post to when the receiver has seen it | %.0f ns |
| o | overhead: the work of one message, on each side | %.0f ns |
| β | copy: to write a byte for others or for oneself, or to read one that another rank has written | %.3g ns, %.3g GB/s |
| γ | reduction: to reduce one byte, once it is there | %.3g ns, %.3g GB/s |
| δ | memory: a byte's share of the memory that all ranks use | %.3g ns, %.3g GB/s |
| n | ranks | |
| m | bytes of a block | |
| L | log2 of n, rounded up | |
| K | slices of a part: at least one, of no more than %.0f KiB | |
| w | bytes of a slice | |
`, h.Latency*1e9, h.Overhead*1e9, h.Copy*1e9, 1e-9/h.Copy, h.Reduce*1e9, 1e-9/h.Reduce, h.Memory*1e9, 1e-9/h.Memory, h.Slice/1024)
}

// deterministic lists the builders that the setting admits.
func deterministic() string {
	var b strings.Builder
	b.WriteString("| collective | admitted | for floats narrower than float32 |\n|---|---|---|\n")
	for _, c := range plan.Collectives() {
		if c.Reduces() {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", lower(c), keeping(c, plan.LeftFold), keeping(c, plan.OneFold))
		}
	}
	return b.String()
}

func keeping(c plan.Collective, least plan.Order) string {
	var names []string
	for _, b := range plan.Builders(c) {
		if b.Order >= least {
			names = append(names, "`"+b.Name+"`")
		}
	}
	return strings.Join(names, ", ")
}
