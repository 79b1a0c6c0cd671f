package settings

import (
	"errors"
	"fmt"
	"path/filepath"
)

// Sources are where settings come from. The first that has one counts: the environment; the file that HCOMM_CONFIG names;
// the user's hcomm.conf; the host's.
type Sources struct {
	// Warnings are what a user should know: unknown names in files, files that were passed over.
	Warnings []string

	getenv func(string) string
	files  []*file
	err    error // of a file
}

// system is the host's file.
var system = "/etc/hcomm.conf"

// Environment is the origin of what is no file's.
const Environment = "environment"

// Open reads the files; getenv returns "" for a variable that is not set. What is wrong with them [Sources.Load] says.
func Open(getenv func(string) string) *Sources {
	s := &Sources{getenv: getenv}
	if path := getenv("HCOMM_CONFIG"); path != "" {
		f, err := readFile(path)
		s.add(f, err)
		if err != nil {
			s.fail(fmt.Errorf("HCOMM_CONFIG: %w", err))
		}
	}
	for _, path := range []string{userFile(getenv), system} {
		if path == "" {
			continue
		}
		f, err := readFile(path)
		s.add(f, err)
		var refusal *refused
		switch {
		case !errors.As(err, &refusal):
			s.fail(err)
		case !refusal.absent: // nobody has asked for this file, so it must not stop anything
			s.Warnings = append(s.Warnings, refusal.Error()+"; its settings do not count")
		}
	}
	return s
}

func (s *Sources) add(f *file, err error) {
	if err == nil {
		s.files = append(s.files, f)
		s.Warnings = append(s.Warnings, f.warnings...)
	}
}

// fail keeps the first error.
func (s *Sources) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// userFile is where the user's file is, "" if nobody says.
func userFile(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) { // a relative one is to be ignored, its specification says
		return filepath.Join(dir, "hcomm.conf")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "hcomm.conf")
	}
	return ""
}

// Lookup gives a variable's value and its origin: Environment, or a file and its line. Both are "" where it is not set.
func (s *Sources) Lookup(name string) (value, origin string) {
	if value := s.getenv(name); value != "" {
		return value, Environment
	}
	for _, f := range s.files {
		if a, ok := f.values[name]; ok {
			return a.value, f.at(a.line)
		}
	}
	return "", ""
}

// Get is a getenv that knows the files, too.
func (s *Sources) Get(name string) string {
	value, _ := s.Lookup(name)
	return value
}
