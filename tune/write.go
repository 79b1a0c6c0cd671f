package tune

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hcomm/plan"
)

// Format writes a table as a file has it, a row in a line; about is a sentence for people.
func (t Table) Format(about string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  %q: %d,\n  %q: %s,\n  %q: [", fieldVersion, Version, fieldAbout, quoted(about), fieldTables)
	for i, s := range t {
		fmt.Fprintf(&b, "%s\n    {%q: %q, %q: %d, %q: %t, %q: [", comma(i), fieldCollective, lower(s.Collective),
			fieldRanks, s.Ranks, fieldCrowded, s.Crowded, fieldRows)
		for k, r := range s.Rows {
			fmt.Fprintf(&b, "%s\n      {%s}", comma(k), r.fields())
		}
		if len(s.Rows) > 0 {
			b.WriteString("\n    ")
		}
		b.WriteString("]}")
	}
	if len(t) > 0 {
		b.WriteString("\n  ")
	}
	b.WriteString("]\n}\n")
	return b.String()
}

func (r Row) fields() string {
	text := ""
	if above := r.Above(); above > 0 {
		text += fmt.Sprintf("%q: %d, ", fieldAbove, above)
	}
	if upTo, bounded := r.UpTo(); bounded {
		text += fmt.Sprintf("%q: %d, ", fieldUpTo, upTo)
	}
	text += fmt.Sprintf("%q: %q", fieldAlgorithm, r.Algorithm)
	if r.Slice > 0 {
		text += fmt.Sprintf(", %q: %d", fieldSlice, r.Slice)
	}
	return text
}

// Above is how many bytes a block of the row is larger than.
func (r Row) Above() uint64 {
	if r.First == 0 {
		return 0
	}
	return 1 << (r.First - 1)
}

// UpTo is how many bytes a block of the row has at most, if there is a bound.
func (r Row) UpTo() (bytes uint64, bounded bool) {
	return 1 << r.Last, r.Last < plan.Classes-1
}

func quoted(text string) string {
	b, _ := json.Marshal(text) // a string always has a form
	return string(b)
}

func comma(i int) string {
	if i > 0 {
		return ","
	}
	return ""
}

// Write puts a table into a file, which is whole at every moment. What could not be read again is not written.
func (t Table) Write(path, about string) error {
	text := t.Format(about)
	if _, err := parseOwn(path, text); err != nil {
		return err
	}
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // or else the link would be gone, and who reads its target would have the old table
	}
	mode := fs.FileMode(0o644)
	if old, err := os.Stat(path); err == nil {
		mode = old.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Chmod(mode)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
