package main

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// facts are an interface: what each is about, such as "field HCOMM_Status.HCOMM_TAG", and what is so, "int at 4".
type facts map[string]string

// record is the interface of one version.
type record struct {
	version version
	facts   facts
}

type version struct{ major, minor, patch int }

func (v version) String() string { return fmt.Sprintf("%d.%d.%d", v.major, v.minor, v.patch) }

func (v version) less(w version) bool {
	return slices.Compare([]int{v.major, v.minor, v.patch}, []int{w.major, w.minor, w.patch}) < 0
}

const preamble = `# What programs built with libhcomm rely on; tests/abi/doc.go says how it is kept. Written by: make abi
`

func (r record) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sversion: %s\n", preamble, r.version)
	kind := "version"
	for _, key := range slices.Sorted(maps.Keys(r.facts)) {
		if word, _, _ := strings.Cut(key, " "); word != kind {
			b.WriteString("\n")
			kind = word
		}
		fmt.Fprintf(&b, "%s: %s\n", key, r.facts[key])
	}
	return b.String()
}

func readRecord(path string) (record, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return record{}, err
	}
	r, err := parseRecord(string(text))
	if err != nil {
		return record{}, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

func parseRecord(text string) (record, error) {
	r := record{facts: facts{}}
	for number, line := range strings.Split(text, "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, value, ok := strings.Cut(line, ": ")
		if _, twice := r.facts[key]; !ok || twice {
			return record{}, fmt.Errorf("line %d is no new fact: %q", number+1, line)
		}
		r.facts[key] = value
	}
	said, v := r.facts["version"], &r.version
	if _, err := fmt.Sscanf(said, "%d.%d.%d", &v.major, &v.minor, &v.patch); err != nil {
		return record{}, fmt.Errorf("the version is %q", said)
	}
	delete(r.facts, "version")
	return r, nil
}
