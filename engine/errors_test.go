package engine

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each page that an error names is there and has its parts, and each page that is there is named.
func TestPagesOfErrors(t *testing.T) {
	named := map[string]bool{}
	for _, page := range pageOf {
		named[page] = true
	}
	name := regexp.MustCompile(`\.on\("([a-z-]+)"\)|Page: +"([a-z-]+)"|page = [^\n]*"([a-z-]+)"|(?:docs/errors/|pages \+ ")([a-z-]+)\.md|meet\.Err\w+, \w+, "([a-z-]+)"|page := [^\n]*"([a-z-]+)"`)
	for _, pattern := range []string{"*.go", "../capi/*.go", "../capi/*.c", "../settings/*.go"} {
		files, _ := filepath.Glob(pattern)
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range name.FindAllStringSubmatch(string(text), -1) {
				named[strings.Join(found[1:], "")] = true
			}
		}
	}
	const folder = "../docs/errors/"
	for page := range named {
		text, err := os.ReadFile(folder + page + ".md")
		for _, part := range []string{"# ", "\n## Symptom\n", "\n## Cause\n", "\n## What to do\n"} {
			if err == nil && !strings.Contains(string(text), part) {
				t.Errorf("%s.md lacks %q", page, part)
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	index, err := os.ReadFile(folder + "README.md")
	if err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(folder + "*.md")
	for _, file := range files {
		page := strings.TrimSuffix(filepath.Base(file), ".md")
		if page == "README" {
			continue
		}
		if !named[page] {
			t.Errorf("no error names %s", file)
		}
		if !strings.Contains(string(index), "("+page+".md)") {
			t.Errorf("README.md does not list %s", page)
		}
	}
}
