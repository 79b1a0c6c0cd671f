package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var some = facts{
	"function hcommSend": "int (int)", "symbol hcommSend": "function", "library SONAME": "libhcomm.so.1",
	"struct S": "size 4, alignment 4", "field S.a": "int, 4 bytes at 0",
}

// with gives some facts and others; "" takes one away.
func with(pairs ...string) facts {
	f := maps.Clone(some)
	for i := 0; i < len(pairs); i += 2 {
		f[pairs[i]] = pairs[i+1]
		if pairs[i+1] == "" {
			delete(f, pairs[i])
		}
	}
	return f
}

// What each difference asks of the version, before 1.0.0 and after.
func TestStepThatIsNeeded(t *testing.T) {
	for _, c := range []struct {
		name         string
		now          facts
		young, grown version // the least versions after 0.2.7 and after 1.2.7
	}{
		{"nothing", with(), version{0, 2, 7}, version{1, 2, 7}},
		{"added", with("function hcommNew", "int (void)"), version{0, 3, 0}, version{1, 3, 0}},
		{"removed", with("function hcommSend", ""), version{0, 3, 0}, version{2, 0, 0}},
		{"changed", with("function hcommSend", "int (long)"), version{0, 3, 0}, version{2, 0, 0}},
		{"added and changed", with("function hcommNew", "int (void)", "struct S", "size 8, alignment 4"), version{0, 3, 0}, version{2, 0, 0}},
		{"field added", with("field S.b", "char, 1 byte at 3"), version{0, 3, 0}, version{2, 0, 0}},
		{"struct added", with("struct T", "size 4, alignment 4", "field T.b", "int, 4 bytes at 0"), version{0, 3, 0}, version{1, 3, 0}},
		{"SONAME", with("library SONAME", "libhcomm.so.2"), version{0, 3, 0}, version{2, 0, 0}},
		{"symbol version", with("symbol hcommSend", "function, version HCOMM_1"), version{0, 3, 0}, version{2, 0, 0}},
	} {
		for _, step := range []struct{ from, need version }{{version{0, 2, 7}, c.young}, {version{1, 2, 7}, c.grown}} {
			if need := needed(step.from, compare(some, c.now)); need != step.need {
				t.Errorf("%s: %s needs %s, not %s", c.name, step.from, need, step.need)
			}
		}
	}
}

func TestVersionAndRecord(t *testing.T) {
	v := func(major, minor, patch int) version { return version{major, minor, patch} }
	added, broken := with("function hcommNew", "int (void)"), with("function hcommSend", "int (long)")
	for _, c := range []struct {
		name          string
		before, now   record
		allows, check string // words of the error; "": none
	}{
		{"the same", record{v(0, 2, 0), some}, record{v(0, 2, 0), some}, "", ""},
		{"a step that is not recorded", record{v(0, 2, 0), some}, record{v(0, 2, 1), some}, "", "make abi"},
		{"backwards", record{v(0, 2, 1), some}, record{v(0, 2, 0), some}, "older than", "older than"},
		{"backwards in the major version", record{v(1, 0, 0), some}, record{v(0, 9, 9), some}, "older than", "older than"},
		{"added without a step", record{v(0, 2, 0), some}, record{v(0, 2, 0), added}, "must have version 0.3.0", "must have version 0.3.0"},
		{"added with a patch", record{v(0, 2, 0), some}, record{v(0, 2, 1), added}, "must have version 0.3.0", "must have version 0.3.0"},
		{"added with a step", record{v(0, 2, 0), some}, record{v(0, 3, 0), added}, "", "make abi"},
		{"broken with a minor step before 1.0.0", record{v(0, 2, 0), some}, record{v(0, 3, 0), broken}, "", "make abi"},
		{"broken with a minor step", record{v(1, 2, 0), some}, record{v(1, 3, 0), broken}, "must have version 2.0.0", "must have version 2.0.0"},
		{"broken with a major step", record{v(1, 2, 0), some}, record{v(2, 0, 0), broken}, "", "make abi"},
		{"added with a major step", record{v(0, 9, 0), some}, record{v(1, 0, 0), added}, "", "make abi"},
	} {
		expect(t, c.name+", to be recorded", allows(c.before, c.now), c.allows)
		expect(t, c.name+", to be checked", check(c.before, c.now), c.check)
	}
}

func expect(t *testing.T, name string, err error, words string) {
	t.Helper()
	if (err == nil) != (words == "") || err != nil && !strings.Contains(err.Error(), words) {
		t.Errorf("%s: the error is %v; it should have the words %q", name, err, words)
	}
}

func TestDifferencesAreNamed(t *testing.T) {
	now := record{version{0, 2, 0}, with("function hcommSend", "int (long)", "field S.a", "", "function hcommNew", "int (void)")}
	err := check(record{version{0, 2, 0}, some}, now)
	for _, words := range []string{
		"changed  function hcommSend: int (long); it was: int (int)", "removed  field S.a: int, 4 bytes at 0",
		"added    function hcommNew: int (void)", "already built break",
	} {
		expect(t, "the list", err, words)
	}
}

func TestHeaderAndLibraryMustFit(t *testing.T) {
	declared := record{version{0, 2, 0}, facts{"function hcommSend": "int (int)"}}
	for _, c := range []struct {
		name     string
		version  version
		exported facts
		words    string
	}{
		{"fits", version{0, 2, 0}, facts{"symbol hcommSend": "function", "library SONAME": "libhcomm.so.1"}, ""},
		{"fits, 1.0.0", version{1, 0, 0}, facts{"symbol hcommSend": "function", "library SONAME": "libhcomm.so.1"}, ""},
		{"the SONAME is kept", version{2, 0, 0}, facts{"symbol hcommSend": "function", "library SONAME": "libhcomm.so.1"}, "it is libhcomm.so.2"},
		{"no SONAME", version{0, 2, 0}, facts{"symbol hcommSend": "function"}, `SONAME is ""`},
		{"not declared", version{0, 2, 0}, facts{"symbol hcommSend": "function", "symbol hcommMore": "function", "library SONAME": "libhcomm.so.1"},
			"exports hcommMore, which the header does not declare"},
		{"not exported", version{0, 2, 0}, facts{"library SONAME": "libhcomm.so.1"}, "declares hcommSend, which the library does not export"},
	} {
		declared.version = c.version
		_, err := combine(declared, c.exported)
		expect(t, c.name, err, c.words)
	}
}

func TestRecordIsReadAsWritten(t *testing.T) {
	r := record{version{1, 20, 3}, some}
	again, err := parseRecord(r.String())
	if err != nil || again.version != r.version || !maps.Equal(again.facts, r.facts) {
		t.Errorf("%v became %v (%v)", r, again, err)
	}
	for _, bad := range []string{"", "version: one\n", "version: 1.0.0\nno fact\n", "version: 1.0.0\na: 1\na: 2\n"} {
		if _, err := parseRecord(bad); err == nil {
			t.Errorf("%q is a record", bad)
		}
	}
}

// What a real library exports: its own names only, with their kinds.
func TestLibraryIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "libx.so")
	source, versions := filepath.Join(t.TempDir(), "x.c"), filepath.Join(t.TempDir(), "x.map")
	for file, text := range map[string]string{
		source:   "#include <stdlib.h>\nint number[2];\nvoid *f(void) { return malloc(1); }\nint hidden(void) { return 1; }\n",
		versions: "X_1 { global: f; number; local: *; };\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	g := &gcc{header: source, dir: t.TempDir()}
	if _, err := g.run("", "-shared", "-fPIC", "-Wl,-soname,libx.so.3", "-Wl,--version-script="+versions, "-o", path); err != nil {
		t.Fatal(err)
	}
	want := facts{"library SONAME": "libx.so.3", "symbol f": "function, version X_1", "symbol number": "object of 8 bytes, version X_1"}
	have, err := readLibrary(path)
	if err != nil || !maps.Equal(have, want) {
		t.Errorf("found %v (%v), not %v", have, err, want)
	}
}
