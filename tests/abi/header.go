package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// names are what a header defines, by the compiler's account.
type names struct {
	functions []string
	macros    []macro
	types     []string // as C spells them: hcommComm_t, struct s
}

type macro struct {
	name       string
	parameters string // "(a, b)" if it has any
	text       string
}

// readHeader gives the interface that a header declares.
func readHeader(header string) (record, error) {
	dir, err := os.MkdirTemp("", "abi")
	if err != nil {
		return record{}, err
	}
	defer os.RemoveAll(dir)
	header, err = filepath.Abs(header)
	if err != nil {
		return record{}, err
	}
	g := &gcc{header: header, dir: dir}
	n, err := g.names()
	if err != nil {
		return record{}, err
	}
	p, err := g.probe(n)
	if err != nil {
		return record{}, err
	}
	defer p.close()
	return p.record(n)
}

// gcc compiles things that include the header.
type gcc struct {
	header, dir string
}

// run compiles C that comes after the header; it returns what the compiler prints.
func (g *gcc) run(c string, flags ...string) ([]byte, error) {
	path := filepath.Join(g.dir, "probe.c")
	if err := os.WriteFile(path, []byte(fmt.Sprintf("#include %q\n%s", g.header, c)), 0o666); err != nil {
		return nil, err
	}
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "gcc"
	}
	command := exec.Command(compiler, append(flags, path)...)
	var said bytes.Buffer
	command.Stderr = &said
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", compiler, err, said.Bytes())
	}
	return out, nil
}

func (g *gcc) names() (*names, error) {
	n := &names{}
	text, err := g.run("", "-E", "-dD")
	if err != nil {
		return nil, err
	}
	n.macros = findMacros(string(text), g.header)

	prototypes := filepath.Join(g.dir, "prototypes")
	object := filepath.Join(g.dir, "types.o")
	if _, err := g.run("", "-g", "-fno-eliminate-unused-debug-types", "-aux-info", prototypes, "-c", "-o", object); err != nil {
		return nil, err
	}
	text, err = os.ReadFile(prototypes)
	if err != nil {
		return nil, err
	}
	n.functions = findFunctions(string(text), g.header)
	n.types, err = typesIn(object, g.header)
	if err == nil && len(n.functions) == 0 {
		err = errors.New("the compiler names no function in " + g.header)
	}
	return n, err
}

var (
	lineMarker = regexp.MustCompile(`^# \d+ "([^"]*)"`)
	define     = regexp.MustCompile(`^#define (\w+)(\([^)]*\))? ?(.*)$`)
	prototype  = regexp.MustCompile(`(?m)^/\* (.*):\d+:\w+ \*/ extern .*?(\w+) \(`)
)

// findMacros finds those of the header in what gcc -E -dD prints, but for its guard, which is empty.
func findMacros(text, header string) []macro {
	var found []macro
	inside := false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n ")
		if at := lineMarker.FindStringSubmatch(line); at != nil {
			inside = at[1] == header
		}
		if m := define.FindStringSubmatch(line); m != nil && inside && m[3] != "" {
			found = append(found, macro{name: m[1], parameters: m[2], text: m[3]})
		}
	}
	return found
}

// findFunctions finds those of the header in what gcc -aux-info writes.
func findFunctions(text, header string) []string {
	var found []string
	for _, m := range prototype.FindAllStringSubmatch(text, -1) {
		if m[1] == header && !slices.Contains(found, m[2]) {
			found = append(found, m[2])
		}
	}
	return found
}

// valuesAmong finds the macros that are expressions, whose type and value can be had; the rest is text.
func (g *gcc) valuesAmong(macros []macro) map[string]bool {
	var c strings.Builder
	values := map[string]bool{}
	for _, m := range macros {
		if m.parameters == "" {
			values[m.name] = true
			c.WriteString(valueProbe(m))
		}
	}
	if _, err := g.run(c.String(), "-fsyntax-only"); err == nil {
		return values
	}
	for _, m := range macros {
		if _, err := g.run(valueProbe(m), "-fsyntax-only"); err != nil {
			delete(values, m.name)
		}
	}
	return values
}

func valueProbe(m macro) string {
	return fmt.Sprintf("const __typeof__(%s) value_%s = %s;\n", m.name, m.name, m.name)
}

// probe compiles a program that has, for everything in the header, a variable from which to learn about it.
func (g *gcc) probe(n *names) (*probe, error) {
	var c strings.Builder
	values := g.valuesAmong(n.macros)
	for _, f := range n.functions {
		fmt.Fprintf(&c, "__typeof__(%s) *function_%s;\n", f, f)
	}
	for _, m := range n.macros {
		if values[m.name] {
			c.WriteString(valueProbe(m))
		}
	}
	for i, t := range n.types {
		fmt.Fprintf(&c, "%s *type_%d; const unsigned long alignment_%d = _Alignof(%s);\n", t, i, i, t)
	}
	object := filepath.Join(g.dir, "probe.o")
	if _, err := g.run(c.String(), "-g", "-fno-eliminate-unused-debug-types", "-c", "-o", object); err != nil {
		return nil, err
	}
	return openProbe(object, g.header, values)
}

// record gathers the facts.
func (p *probe) record(n *names) (record, error) {
	r := record{facts: facts{}}
	for _, f := range n.functions {
		t, err := p.pointed("function_" + f)
		if err != nil {
			return r, err
		}
		r.facts["function "+f] = spell(t)
	}
	for _, e := range p.unnamedEnums { // also those that get a name from a typedef, below
		r.addConstants(e, "int")
	}
	for i, name := range n.types {
		t, err := p.pointed("type_" + strconv.Itoa(i))
		if err != nil {
			return r, err
		}
		alignment, err := p.number("alignment_" + strconv.Itoa(i))
		if err != nil {
			return r, err
		}
		r.addType(name, t, alignment)
	}
	return r, p.addMacros(&r, n.macros)
}

// addMacros adds the macros; those that are the version are no facts.
func (p *probe) addMacros(r *record, macros []macro) error {
	parts := map[string]*int{"HCOMM_MAJOR": &r.version.major, "HCOMM_MINOR": &r.version.minor, "HCOMM_PATCH": &r.version.patch}
	for _, m := range macros {
		fact := m.text
		if p.values[m.name] {
			t, value, err := p.value("value_" + m.name)
			if err != nil {
				return err
			}
			if part := parts[m.name]; part != nil {
				*part, err = strconv.Atoi(value)
				if err != nil {
					return fmt.Errorf("%s: %w", m.name, err)
				}
				continue
			}
			fact = value + ", " + spell(t)
		}
		if m.name != "HCOMM_VERSION_CODE" {
			r.facts["macro "+m.name+m.parameters] = fact
		}
	}
	return nil
}
