package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"hcomm/plan"
	"hcomm/settings"
)

// Version is that of the form of a file.
const Version = 1

// The fields of a file. docs/tune.schema.json is made from the same names.
const (
	fieldVersion    = "version"
	fieldAbout      = "about"
	fieldTables     = "tables"
	fieldCollective = "collective"
	fieldRanks      = "ranks"
	fieldCrowded    = "crowded"
	fieldRows       = "rows"
	fieldAbove      = "above_bytes"
	fieldUpTo       = "up_to_bytes"
	fieldAlgorithm  = "algorithm"
	fieldSlice      = "slice_bytes"
)

// Open reads the table in a file.
func Open(path string) (Table, error) {
	text, err := settings.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseOwn(path, text)
}

// parseOwn reads a table that goes to the other ranks together with what is built in, for which it must leave room.
func parseOwn(file, text string) (Table, error) {
	t, err := Parse(file, text)
	if err != nil {
		return nil, err
	}
	if err := t.Over(Default()).checkRoom(); err != nil {
		return nil, fmt.Errorf("%s: with what is built in for others, %w", file, err)
	}
	return t, nil
}

// Parse reads a table. The error names the file, the line, the field and the rule.
func Parse(file, text string) (Table, error) {
	r := &reader{file: file, text: text, json: json.NewDecoder(strings.NewReader(text))}
	r.json.UseNumber()
	if err := r.checkVersion(); err != nil {
		return nil, err
	}
	t := Table{}
	err := r.object("", []string{fieldVersion, fieldTables}, []field{
		{fieldVersion, r.skip},
		{fieldAbout, func(at string) error { _, err := r.string(at); return err }},
		{fieldTables, func(at string) (err error) { t, err = r.sections(at); return err }},
	})
	if err != nil {
		return nil, err
	}
	t.sort()
	if err := t.checkRoom(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return t, nil
}

// checkVersion looks at the version before all else, for another one may have other fields.
func (r *reader) checkVersion() error {
	var head struct {
		Version json.RawMessage `json:"version"`
	}
	err := json.Unmarshal([]byte(r.text), &head)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return fmt.Errorf("%s:%d: this is no JSON: %v", r.file, 1+strings.Count(r.text[:min(int(syntax.Offset), len(r.text))], "\n"), err)
	case err != nil:
		return nil // the fields' own rules say it better
	case head.Version == nil:
		return fmt.Errorf("%s: %s is missing: it must be %d", r.file, fieldVersion, Version)
	}
	n, err := strconv.Atoi(string(head.Version))
	switch {
	case err != nil || n < 1:
		return fmt.Errorf("%s: %s is %.80s: it must be %d", r.file, fieldVersion, head.Version, Version)
	case n > Version:
		return fmt.Errorf("%s: %s is %d: a newer hcomm has written it; this one reads %d", r.file, fieldVersion, n, Version)
	}
	return nil
}

// sections are the table; no two of them are for the same.
func (r *reader) sections(at string) (Table, error) {
	t := Table{}
	lines := map[Key]int{}
	err := r.list(at, mostSections, func(at string) error {
		line := r.line()
		s, err := r.section(at)
		if err != nil {
			return err
		}
		if before, twice := lines[s.Key]; twice {
			return r.fail(at, "%v is in line %d already", s.Key, before)
		}
		lines[s.Key] = line
		t = append(t, s)
		return nil
	})
	return t, err
}

func (r *reader) section(at string) (s Section, err error) {
	s.Origin = r.file
	var rows json.RawMessage // read last: their rules depend on the collective
	rowsLine := 0
	err = r.object(at, []string{fieldCollective, fieldRanks, fieldRows}, []field{
		{fieldCollective, func(at string) error {
			name, err := r.string(at)
			if err != nil {
				return err
			}
			if s.Collective, err = plan.ParseCollective(name); err != nil {
				return r.fail(at, "%v", err)
			}
			if name != lower(s.Collective) {
				return r.fail(at, "%q must be in lower case", name)
			}
			return nil
		}},
		{fieldRanks, func(at string) error {
			n, err := r.whole(at)
			if err == nil && (n < 2 || n > MostRanks) {
				err = r.fail(at, "%d: %s", n, ranksRule)
			}
			s.Ranks = int(min(n, MostRanks))
			return err
		}},
		{fieldCrowded, func(at string) (err error) { s.Crowded, err = r.bool(at); return err }},
		{fieldRows, func(at string) error {
			rowsLine = r.line()
			if err := r.json.Decode(&rows); err != nil {
				return r.fail(at, "%v", err)
			}
			return nil
		}},
	})
	if err == nil {
		inner := &reader{file: r.file, text: string(rows), json: json.NewDecoder(bytes.NewReader(rows)), before: rowsLine - 1}
		inner.json.UseNumber()
		s.Rows, err = inner.rows(at+"."+fieldRows, s.Collective)
	}
	return s, err
}

func (r *reader) rows(at string, c plan.Collective) (rows []Row, err error) {
	last := -1
	err = r.list(at, plan.Classes, func(at string) error {
		row, err := r.row(at)
		if err != nil {
			return err
		}
		if f := row.check(c, last); f != nil {
			return r.fail(at+"."+f.field, "%s", f.why)
		}
		last = row.Last
		rows = append(rows, row)
		return nil
	})
	return rows, err
}

func (r *reader) row(at string) (row Row, err error) {
	row.Last = plan.Classes - 1
	return row, r.object(at, []string{fieldAlgorithm}, []field{
		{fieldAbove, func(at string) error {
			n, err := r.size(at)
			row.First = plan.ClassOf(n)
			if n > 0 {
				row.First++
			}
			return err
		}},
		{fieldUpTo, func(at string) error {
			n, err := r.size(at)
			row.Last = plan.ClassOf(n)
			return err
		}},
		{fieldAlgorithm, func(at string) (err error) { row.Algorithm, err = r.string(at); return err }},
		{fieldSlice, func(at string) error {
			n, err := r.whole(at)
			if err == nil && (n == 0 || n > MostSlice) {
				err = r.fail(at, "%d: %s", n, sliceRule)
			}
			row.Slice = int(min(n, MostSlice))
			return err
		}},
	})
}

// size reads a bound of a range: a power of two, or 0.
func (r *reader) size(at string) (uint64, error) {
	n, err := r.whole(at)
	if err == nil && n != 0 && bits.OnesCount64(n) != 1 {
		err = r.fail(at, "%d: it must be a power of two, or 0", n)
	}
	return n, err
}
