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
)

// pkg is what a package says that it may import, and what it does import, of this module.
type pkg struct {
	says    string            // "": nothing
	imports map[string]string // package to a file that imports it
}

// mayImport finds the sentence, up to its end: a full stop that a space follows, unlike the ones in golang.org.
var mayImport = regexp.MustCompile(`(?s)\b[Mm]ay import:?\s(.*?)\.(\s|$)`)

// Each package's documentation names the packages of this module that it may import, and it imports no others. Packages
// are written as their folders: link/shm. Tests may import anything.
func TestImportsAreNamed(t *testing.T) {
	packages := readPackages(t)
	if len(packages) < 10 {
		t.Fatalf("found only %d packages", len(packages))
	}
	for dir, p := range packages {
		if p.says == "" {
			t.Errorf(`%s: no file's package comment says "May import: ..."`, dir)
			continue
		}
		named := strings.FieldsFunc(p.says, func(r rune) bool { return strings.ContainsRune(" \n,;'", r) })
		for other, file := range p.imports {
			if !slices.Contains(named, other) {
				t.Errorf("%s imports %s, but the package may import: %s", file, other, p.says)
			}
		}
	}
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
	if said := mayImport.FindStringSubmatch(file.Doc.Text()); said != nil {
		p.says = strings.Join(strings.Fields(said[1]), " ")
	}
	for _, spec := range file.Imports {
		name, _ := strconv.Unquote(spec.Path.Value) // the parser has done it before
		if other, ok := strings.CutPrefix(name, "hcomm/"); ok {
			p.imports[other] = path
		}
	}
}

// What the README shows of the examples is what is in them: each of these files ends with one of its blocks.
func TestReadmeShowsTheExamples(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"examples/hello.c", "examples/hello_mpi.c", "examples/hello.py"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, block := range strings.Split(string(readme), "```") {
			_, code, _ := strings.Cut(block, "\n") // after the language
			found = found || len(code) > 100 && strings.HasSuffix(string(text), "\n"+code)
		}
		if !found {
			t.Errorf("README.md does not show %s", name)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)#]+)`)

// Links within the project lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	links := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "bench/*.md"} {
		pages, _ := filepath.Glob(pattern)
		for _, page := range pages {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, found := range link.FindAllStringSubmatch(string(text), -1) {
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
