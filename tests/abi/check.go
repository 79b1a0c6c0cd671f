package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// difference is one fact that is not what it was.
type difference struct {
	key           string
	before, after string // "": there is none
	breaks        bool   // programs that are already built
}

func (d difference) String() string {
	switch {
	case d.before == "":
		return fmt.Sprintf("added    %s: %s", d.key, d.after)
	case d.after == "":
		return fmt.Sprintf("removed  %s: %s", d.key, d.before)
	}
	return fmt.Sprintf("changed  %s: %s; it was: %s", d.key, d.after, d.before)
}

// compare gives the differences in the order of their keys.
func compare(before, after facts) []difference {
	all := maps.Clone(before)
	maps.Copy(all, after)
	var found []difference
	for _, key := range slices.Sorted(maps.Keys(all)) {
		d := difference{key: key, before: before[key], after: after[key]}
		if d.before == d.after {
			continue
		}
		// A new field breaks what was built before if the struct was there: it lies in memory that is the program's.
		owner, _, isField := strings.Cut(strings.TrimPrefix(key, "field "), ".")
		_, wasThere := before["struct "+owner]
		d.breaks = d.before != "" || isField && wasThere
		found = append(found, d)
	}
	return found
}

// needed is the least version that may follow v with these differences.
func needed(v version, found []difference) version {
	breaks := slices.ContainsFunc(found, func(d difference) bool { return d.breaks })
	switch {
	case breaks && v.major > 0:
		return version{v.major + 1, 0, 0}
	case len(found) > 0:
		return version{v.major, v.minor + 1, 0}
	}
	return v
}

// allows is an error if the version has not made the step that the differences need.
func allows(before, now record) error {
	found := compare(before.facts, now.facts)
	if now.version.less(before.version) {
		return fmt.Errorf("the version is %s, older than the recorded %s", now.version, before.version)
	}
	need := needed(before.version, found)
	if !now.version.less(need) {
		return nil
	}
	why := "Something is added"
	if slices.ContainsFunc(found, func(d difference) bool { return d.breaks }) {
		why = "Programs that are already built break"
	}
	return fmt.Errorf("not what is recorded for %s:\n%s%s: hcomm.h must have version %s at least, not %s; then record it: make abi",
		before.version, list(found), why, need, now.version)
}

// check is an error unless what is now is what is recorded.
func check(before, now record) error {
	if err := allows(before, now); err != nil {
		return err
	}
	if found := compare(before.facts, now.facts); len(found) > 0 || before.version != now.version {
		return fmt.Errorf("version %s is not recorded yet, only %s:\n%sRecord it: make abi", now.version, before.version, list(found))
	}
	return nil
}

func list(found []difference) string {
	var b strings.Builder
	for _, d := range found {
		fmt.Fprintf(&b, "  %s\n", d)
	}
	return b.String()
}

// combine adds what a library has to what its header has. Each function must be in both.
func combine(declared record, exported facts) (record, error) {
	now := record{version: declared.version, facts: maps.Clone(declared.facts)}
	maps.Copy(now.facts, exported)
	var wrong []error
	for _, key := range slices.Sorted(maps.Keys(now.facts)) {
		if name, ok := strings.CutPrefix(key, "symbol "); ok && declared.facts["function "+name] == "" {
			wrong = append(wrong, fmt.Errorf("the library exports %s, which the header does not declare", name))
		}
		if name, ok := strings.CutPrefix(key, "function "); ok && exported["symbol "+name] == "" {
			wrong = append(wrong, fmt.Errorf("the header declares %s, which the library does not export", name))
		}
	}
	want := fmt.Sprintf("libhcomm.so.%d", max(now.version.major, 1))
	if soname := exported["library SONAME"]; soname != want {
		wrong = append(wrong, fmt.Errorf("the library's SONAME is %q; for version %s it is %s", soname, now.version, want))
	}
	return now, errors.Join(wrong...)
}
