package show

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"hcomm/bench/compare/results"
)

// A Report is all of a measurement.
type Report struct {
	Machine Machine
	Rows    []results.Row
}

// A Machine is where and how it was measured.
type Machine struct {
	Processor  string            `json:"processor"`
	Processors int               `json:"processors"`
	Caches     string            `json:"caches"`
	System     string            `json:"system"`
	Kernel     string            `json:"kernel"`
	Compiler   string            `json:"compiler"`
	Date       string            `json:"date"`
	Seconds    float64           `json:"seconds_per_size"`
	Versions   map[string]string `json:"versions"` // by the names of libraries
}

const (
	table   = "results.csv"
	machine = "machine.json"
	page    = "README.md"
	under   = "preload.md" // the page of what was measured under an MPI, if anything was
)

// Load reads a report from a folder.
func Load(dir string) (r Report, err error) {
	text, err := os.ReadFile(filepath.Join(dir, machine))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r.Machine); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(dir, machine), err)
	}
	f, err := os.Open(filepath.Join(dir, table))
	if err != nil {
		return r, err
	}
	defer f.Close()
	if r.Rows, err = results.Read(f); err != nil {
		return r, fmt.Errorf("%s: %w", f.Name(), err)
	}
	return r, nil
}

// Add puts the sections of the folder's report, if there is one, before those of this one, which replace them.
func (r *Report) Add(dir string) error {
	old, err := Load(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	fresh := map[results.Key]bool{}
	for _, row := range r.Rows {
		fresh[row.Key()] = true
	}
	old.Rows = slices.DeleteFunc(old.Rows, func(row results.Row) bool { return fresh[row.Key()] })
	r.Rows = append(old.Rows, r.Rows...)
	return nil
}

// Save writes a report into a folder: the rows, the machine, one or two pages of tables, and pictures. Those of an earlier
// report go.
func (r *Report) Save(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	old, _ := filepath.Glob(filepath.Join(dir, "*-ranks-*.svg"))
	for _, path := range append(old, filepath.Join(dir, under)) {
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	files, err := r.files()
	if err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// files are what Save writes.
func (r *Report) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	var b bytes.Buffer
	if err := results.Write(&b, r.Rows); err != nil {
		return nil, err
	}
	files[table] = bytes.Clone(b.Bytes())
	text, err := json.MarshalIndent(r.Machine, "", "  ")
	if err != nil {
		return nil, err
	}
	files[machine] = append(text, '\n')
	sections := results.Sections(r.Rows)
	beside, preloaded := apart(sections)
	b.Reset()
	r.page(&b, beside, preloaded != nil)
	files[page] = bytes.Clone(b.Bytes())
	if preloaded != nil {
		b.Reset()
		r.pageUnder(&b, preloaded)
		files[under] = bytes.Clone(b.Bytes())
	}
	for _, s := range sections {
		if !drawn(s) {
			continue
		}
		b.Reset()
		if err := Picture(&b, s); err != nil {
			return nil, err
		}
		files[picture(s.Key)] = bytes.Clone(b.Bytes())
	}
	return files, nil
}

// apart are the sections of hcomm beside others, and those of hcomm under an MPI.
func apart(sections []results.Section) (beside, under []results.Section) {
	for _, s := range sections {
		if s.Under == "" {
			beside = append(beside, s)
		} else {
			under = append(under, s)
		}
	}
	return beside, under
}

// drawn tells whether a section has a picture: one size makes no line.
func drawn(s results.Section) bool { return len(s.Lines) > 1 }

func picture(k results.Key) string {
	name := fmt.Sprintf("%s-%d-ranks-%s", k.Collective, k.Ranks, k.Memory)
	if k.Under != "" {
		name += "-" + k.Under
	}
	return name + ".svg"
}

const explanation = `Times are medians in µs. The ratio is hcomm's time by that of the library named beside it, the one that does best: the
median of the ratios of runs that followed each other (and the range of these). Below 1, hcomm is faster. *near* and *far*
are the same of the pairs in which the processors of two ranks shared a cache and did not, and how many pairs these were.
*direct* is the limit: bare shared memory in C, without a library, in the *way* that was fastest.
`

func (r *Report) page(w io.Writer, sections []results.Section, more bool) {
	fmt.Fprintf(w, "# Measured\n\nWritten by `make bench`; how it is measured is in bench/README.md.\n\n")
	if more {
		fmt.Fprintf(w, "[MPI programs that hcomm serves](%s) are on a page of their own.\n\n", under)
	}
	r.Machine.markdown(w)
	fmt.Fprintf(w, "\n%s", explanation)
	tables(w, sections)
}

func tables(w io.Writer, sections []results.Section) {
	for _, s := range sections {
		heading := Heading(s.Key)
		fmt.Fprintf(w, "\n## %s\n\n", strings.ToUpper(heading[:1])+heading[1:])
		if drawn(s) {
			fmt.Fprintf(w, "![time over size](%s)\n\n", picture(s.Key))
		}
		fmt.Fprintf(w, "%s:\n\n", strings.ToUpper(made(s)[:1])+made(s)[1:])
		markdown(w, s)
	}
}

func (m *Machine) markdown(w io.Writer) {
	fmt.Fprintln(w, "| | |\n|---|---|")
	for _, row := range m.lines() {
		fmt.Fprintf(w, "| %s | %s |\n", row[0], row[1])
	}
}

// Text describes the machine on a terminal.
func (m *Machine) Text(w io.Writer) {
	for _, row := range m.lines() {
		fmt.Fprintf(w, "%-12s %s\n", row[0], row[1])
	}
}

// libraries are those that were measured, with their versions.
func (m *Machine) libraries() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(m.Versions)) {
		list = append(list, title(name)+" "+m.Versions[name])
	}
	return strings.Join(list, ", ")
}

func (m *Machine) lines() (lines [][2]string) {
	return [][2]string{
		{"processor", m.Processor},
		{"processors", fmt.Sprintf("%d", m.Processors)},
		{"caches", m.Caches},
		{"system", m.System},
		{"kernel", m.Kernel},
		{"compiler", m.Compiler},
		{"libraries", m.libraries()},
		{"date", m.Date},
		{"time", fmt.Sprintf("%g s for each size and run", m.Seconds)},
	}
}
