package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"hcomm/cmd/hcomm/man"
)

var writePages = flag.Bool("write-man", false, "write docs/man/*.1 anew, as make docs does")

// The pages in docs/man are what the commands say of themselves.
func TestManPagesAreCurrent(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "man")
	pages := man.Pages(newRoot(new(int)))
	there, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range there {
		if _, ok := pages[filepath.Base(path)]; ok {
			continue
		}
		if !*writePages {
			t.Errorf("%s is of a command that is not there: run make docs", path)
		} else if err := os.Remove(path); err != nil {
			t.Error(err)
		}
	}
	for name, want := range pages {
		path := filepath.Join(dir, name)
		if have, err := os.ReadFile(path); err == nil && string(have) == want {
			continue
		} else if !*writePages {
			t.Errorf("%s is not what the command says now (%v): run make docs", path, err)
		} else if err := os.WriteFile(path, []byte(want), 0o666); err != nil {
			t.Error(err)
		}
	}
}
