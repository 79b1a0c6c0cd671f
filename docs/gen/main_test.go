package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcomm/plan"
)

// What is in docs is what the programs make.
func TestDocsAreCurrent(t *testing.T) {
	files, err := generate("..")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range files {
		if have, err := os.ReadFile(path); err != nil || string(have) != want {
			t.Errorf("%s is not what is made now (%v): run make docs", filepath.Base(path), err)
		}
		if len(want) > 30<<10 && strings.HasSuffix(path, ".svg") {
			t.Errorf("%s has %d bytes", path, len(want))
		}
	}
	there, err := filepath.Glob(filepath.Join("..", drawings, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if _, ok := files[path]; !ok {
			t.Errorf("%s is a drawing of nothing: run make docs", path)
		}
	}
}

func TestRun(t *testing.T) {
	docs := t.TempDir()
	for file, texts := range pages() {
		page := "# Page\n"
		for name := range texts {
			page += "<!-- made by make docs: " + name + " -->\nold\n<!-- end -->\n"
		}
		write(t, filepath.Join(docs, file), page)
	}
	if err := os.Mkdir(filepath.Join(docs, drawings), 0o777); err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(docs, drawings, "gone.svg")
	write(t, gone, "<svg/>")
	if err := run(docs); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(docs, "collectives.md"))
	if err != nil || strings.Contains(string(text), "\nold\n") || !strings.Contains(string(text), "### allreduce:direct\n") {
		t.Errorf("%v, %.200s", err, text)
	}
	text, err = os.ReadFile(filepath.Join(docs, "settings.md"))
	if err != nil || strings.Contains(string(text), "\nold\n") || !strings.Contains(string(text), "\n| `HCOMM_SLOTS` | 1 to 64, or auto; default auto | ") {
		t.Errorf("%v, %s", err, text)
	}
	if _, err := os.Stat(gone); !os.IsNotExist(err) {
		t.Errorf("the drawing of a builder that is gone is there: %v", err)
	}
	if _, err := os.Stat(filepath.Join(docs, drawings, "allreduce-direct.svg")); err != nil {
		t.Error(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestFill(t *testing.T) {
	const a, b = "<!-- made by make docs: a -->\n1\n<!-- end -->", "<!-- made by make docs: b -->\n<!-- end -->"
	for _, c := range []struct {
		page  string
		texts map[string]string
		want  string // "": an error
	}{
		{"x" + a + "y", map[string]string{"a": "2\n"}, "x<!-- made by make docs: a -->\n2\n<!-- end -->y"},
		{a + b, map[string]string{"a": "1\n", "b": ""}, a + b},
		{a, map[string]string{"a": "1\n", "b": ""}, ""},
		{a + b, map[string]string{"a": "1\n"}, ""},
		{a + a, map[string]string{"a": "1\n"}, ""},
	} {
		if got, err := fill(c.page, c.texts); (err != nil) != (c.want == "") || err == nil && got != c.want {
			t.Errorf("%q: got %q, %v", c.page, got, err)
		}
	}
}

func TestInWords(t *testing.T) {
	named := func(name string, class int) plan.Choice {
		return plan.Choice{Builder: plan.Builder{Name: name}, Class: class}
	}
	for want, all := range map[string][]plan.Choice{
		"`a`":                        {named("a", 64)},
		"`a` up to 512 B, `b` above": {named("a", 9), named("b", 64)},
		"`a` up to 1 KiB, `b` up to 32 MiB, `a` above": {named("a", 10), named("b", 25), named("a", 64)},
	} {
		if got := inWords(all); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
