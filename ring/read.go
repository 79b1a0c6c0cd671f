package ring

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Read reads costs from a file: in TSPLIB's form if it begins with one of that form's keywords, and else in CSV. Name is that
// of the file, for errors.
func Read(r io.Reader, name string) (Links, error) {
	l := newLines(r, name)
	if !l.next() {
		return Links{}, l.end(errors.New("it has no lines; it must be a matrix in CSV, or TSPLIB's EUC_2D"))
	}
	var links Links
	var err error
	if key, _ := keyword(l.text); tsplibKeys[key] {
		links, err = readTSPLIB(l)
	} else {
		links, err = readCSV(l)
	}
	if err != nil {
		return Links{}, err
	}
	return links, nil
}

// lines are those of a file that are not blank.
type lines struct {
	scanner *bufio.Scanner
	name    string
	number  int
	text    string
}

// longestLine has room for 64 characters for each node.
const longestLine = 64 * MaxNodes

func newLines(r io.Reader, name string) *lines {
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 4096), longestLine)
	return &lines{scanner: s, name: name}
}

// next goes to the next line, if there is one.
func (l *lines) next() bool {
	for l.scanner.Scan() {
		l.number++
		l.text = l.scanner.Text()
		if l.number == 1 {
			l.text = strings.TrimPrefix(l.text, "\ufeff") // some editors begin files so
		}
		if l.text = strings.TrimSpace(l.text); l.text != "" {
			return true
		}
	}
	return false
}

// wrong is an error with the place.
func (l *lines) wrong(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", l.name, l.number, fmt.Sprintf(format, args...))
}

// end is the error of a file that has ended too early: what kept it from being read, or else err.
func (l *lines) end(err error) error {
	switch cause := l.scanner.Err(); {
	case errors.Is(cause, bufio.ErrTooLong):
		return fmt.Errorf("%s:%d: the line is longer than %d characters", l.name, l.number+1, longestLine)
	case cause != nil:
		return fmt.Errorf("%s: %w", l.name, cause)
	}
	return fmt.Errorf("%s: %w", l.name, err)
}

// readCSV reads a matrix: a line for each node, with its costs to all, between commas. Nothing, or inf, is where there is no
// link. The first line may have the names of the nodes.
func readCSV(l *lines) (Links, error) {
	var links Links
	fields := split(l.text)
	n := len(fields)
	if n > MaxNodes {
		return links, l.wrong("it has %d values; a ring has %d nodes at most", n, MaxNodes)
	}
	rows, more := 0, true
	if names(fields) {
		links.Names = fields
		if twice := repeated(fields); twice != "" {
			return links, l.wrong("the name %q is there twice; a name must be of one node only", twice)
		}
		if i := slices.IndexFunc(fields, unprintable); i >= 0 {
			return links, l.wrong("the name %q must be text of characters that can be printed", shortened(fields[i]))
		}
		more = l.next()
	}
	var values []float64
	for ; more; more = l.next() {
		if rows++; rows > n {
			return links, l.wrong("it is line %d of values; there must be as many as values in each, %d", rows, n)
		}
		fields = split(l.text)
		if len(fields) != n {
			return links, l.wrong("it has %d values; it must have %d, as the first line", len(fields), n)
		}
		for i, f := range fields {
			v, err := parseCost(f)
			if err != nil {
				return links, l.wrong("value %d is %q; %v", i+1, shortened(f), err)
			}
			values = append(values, v)
		}
	}
	if rows < n || l.scanner.Err() != nil {
		return links, l.end(fmt.Errorf("it has %d lines of values; there must be as many as values in each, %d", rows, n))
	}
	links.Cost = &Matrix{n, values}
	return links, nil
}

func split(text string) []string {
	fields := strings.Split(text, ",")
	for i, f := range fields {
		fields[i] = strings.TrimSpace(f)
	}
	return fields
}

// names says whether none of the fields is a value.
func names(fields []string) bool {
	for _, f := range fields {
		if _, err := strconv.ParseFloat(f, 64); f == "" || err == nil || errors.Is(err, strconv.ErrRange) {
			return false
		}
	}
	return true
}

// unprintable says whether a name would change a terminal or a table that it is written in.
func unprintable(name string) bool {
	return !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// repeated is a field that is there twice, or "".
func repeated(fields []string) string {
	seen := make(map[string]bool, len(fields))
	for _, f := range fields {
		if seen[f] {
			return f
		}
		seen[f] = true
	}
	return ""
}

func parseCost(f string) (float64, error) {
	if f == "" {
		return NoLink, nil
	}
	v, err := strconv.ParseFloat(f, 64)
	if err != nil || !validCost(v) {
		return 0, errors.New(costRule)
	}
	return v + 0, nil // -0 becomes 0
}

// shortened is a value as errors show it.
func shortened(f string) string {
	if len(f) > 40 {
		return f[:40] + "…"
	}
	return f
}
