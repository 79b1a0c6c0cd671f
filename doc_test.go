package hcomm_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"hcomm/settings"
)

// pkg is what a package says that it may import, and what it does import, of this module.
type pkg struct {
	says    string            // "": nothing
	by      string            // who imports it
	imports map[string]string // package to a file that imports it
}

// These find a sentence, up to its end: a full stop that a space follows.
var (
	mayImport  = regexp.MustCompile(`(?s)\bMay import:\s(.*?)\.(\s|$)`)
	importedBy = regexp.MustCompile(`(?s)\bImported by:\s(.*?)\.(\s|$)`)
)

// Each package's doc.go names the packages of this module that it may import, and it imports no others; and those by which
// it is imported. Packages are written as their folders: link/shm. Tests may import anything.
func TestImportsAreNamed(t *testing.T) {
	packages := readPackages(t)
	if len(packages) < 10 {
		t.Fatalf("found only %d packages", len(packages))
	}
	for dir, p := range packages {
		if p.says == "" {
			t.Errorf(`%s: there is no doc.go that says "May import: ..."`, dir)
			continue
		}
		for other, file := range p.imports {
			if !names(p.says, other) {
				t.Errorf("%s imports %s, but the package may import: %s", file, other, p.says)
			}
			if o := packages[other]; o != nil && !names(o.by, dir) {
				t.Errorf("%s imports %s, whose doc.go says that it is imported by: %s", file, other, o.by)
			}
		}
	}
}

// names says whether a sentence names the package.
func names(sentence, dir string) bool {
	return slices.Contains(strings.FieldsFunc(sentence, func(r rune) bool { return strings.ContainsRune(" ,;()", r) }), dir)
}

// readPackages gives the module's packages by their folders.
func readPackages(t *testing.T) map[string]*pkg {
	packages := map[string]*pkg{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		name := entry.Name()
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			// As the go command does; build/ is what make makes, and releases have other people's modules in vendor/.
			if path != "." && (strings.ContainsAny(name[:1], "._") || name == "testdata" || path == "build" || path == "vendor") {
				return filepath.SkipDir
			}
			return nil
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(path))
		if packages[dir] == nil {
			packages[dir] = &pkg{imports: map[string]string{}}
		}
		packages[dir].add(path, file)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

func (p *pkg) add(path string, file *ast.File) {
	if filepath.Base(path) == "doc.go" {
		p.says, p.by = sentence(mayImport, file), sentence(importedBy, file)
	}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value) // the parser has done it before
		if other, ok := strings.CutPrefix(name, "hcomm/"); ok {
			p.imports[other] = path
		}
	}
}

// sentence is what follows the words in a file's package comment, on one line.
func sentence(words *regexp.Regexp, file *ast.File) string {
	said := words.FindStringSubmatch(file.Doc.Text())
	if said == nil {
		return ""
	}
	return strings.Join(strings.Fields(said[1]), " ")
}

// What the README shows of the examples is what is in them: each of these files ends with one of its blocks.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme := read(t, "README.md")
	for _, name := range []string{"examples/hello.c", "examples/hello_mpi.c", "examples/hello.py"} {
		text := read(t, name)
		found := false
		for _, block := range strings.Split(readme, "```") {
			_, code, _ := strings.Cut(block, "\n") // after the language
			found = found || len(code) > 100 && strings.HasSuffix(text, "\n"+code)
		}
		if !found {
			t.Errorf("README.md does not show %s", name)
		}
	}
}

// docs/mpi.md tells of each setting of libhcomm_mpi.so, and of each reason that its report may give.
func TestMPIPageIsComplete(t *testing.T) {
	page, words := read(t, "docs/mpi.md"), []string{}
	for _, s := range settings.Table {
		if strings.HasPrefix(s.Name, "HCOMM_MPI") {
			words = append(words, "`"+s.Name)
		}
	}
	reasons := regexp.MustCompile(`\[[A-Z_]+\] = "([a-z ]+)"`).FindAllStringSubmatch(read(t, "capi/mpi/report.c"), -1)
	for _, r := range reasons {
		words = append(words, "`"+r[1]+"`")
	}
	if len(words) < 15 {
		t.Fatalf("found only %q", words)
	}
	for _, word := range words {
		if word != "`not started`" && !strings.Contains(page, word) { // then there is no report
			t.Errorf("docs/mpi.md says nothing of %s", word)
		}
	}
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var link = regexp.MustCompile(`\]\(([^)#]+)`)

// Links within the project lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "bench/*.md"} {
		pages, _ := filepath.Glob(pattern)
		for _, page := range pages {
			for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
				if strings.Contains(found[1], "://") {
					continue
				}
				links++
				if _, err := os.Stat(filepath.Join(filepath.Dir(page), found[1])); err != nil {
					t.Errorf("%s: %v", page, err)
				}
			}
		}
	}
	if links < 50 {
		t.Errorf("found only %d links", links)
	}
}
