package main

import (
	"fmt"
	"os"
	"path/filepath"

	"hcomm/topo"
	"hcomm/tune"
)

func main() {
	if err := run("docs"); err != nil {
		fmt.Fprintln(os.Stderr, "docs/gen:", err)
		os.Exit(1)
	}
}

// run writes the files that have changed, and removes drawings of builders that are gone.
func run(docs string) error {
	files, err := generate(docs)
	if err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(docs, drawings, "*.svg"))
	if err != nil {
		return err
	}
	for _, path := range old {
		if _, ok := files[path]; !ok {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	if err := os.MkdirAll(filepath.Join(docs, drawings), 0o777); err != nil {
		return err
	}
	for path, text := range files {
		if have, err := os.ReadFile(path); err == nil && string(have) == text {
			continue
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// pages gives what is between the markers of each page, by its name.
func pages() map[string]map[string]string {
	return map[string]map[string]string{"collectives.md": tables(), "settings.md": settingsTexts()}
}

// generate gives the text of each file, by path.
func generate(docs string) (map[string]string, error) {
	files := map[string]string{}
	for name, texts := range pages() {
		path := filepath.Join(docs, name)
		old, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		if files[path], err = fill(string(old), texts); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	files[filepath.Join(docs, "tune.schema.json")] = tune.Schema()
	files[filepath.Join(docs, "topology.schema.json")] = topo.Schema()
	all, err := pictures()
	for name, text := range all {
		files[filepath.Join(docs, drawings, name)] = text
	}
	return files, err
}
