package settings

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
)

// file is a file of settings, read.
type file struct {
	path     string
	values   map[string]assignment
	warnings []string
}

type assignment struct {
	value string
	line  int
}

// largest is how many bytes a file may have.
const largest = 1 << 20

// refused is a file that cannot be read, or whose settings must not count.
type refused struct {
	path   string
	why    error
	absent bool
}

func (r *refused) Error() string { return fmt.Sprintf("the file %s %v", r.path, r.why) }

// readFile reads a file of settings. The error is a *refused, or about a line.
func readFile(path string) (*file, error) {
	text, mode, err := readTrusted(path)
	if err != nil {
		_, there := os.Stat(path) // it may also lie in a folder that this user may not look into
		return nil, &refused{path, err, there != nil}
	}
	f := &file{path: path, values: map[string]assignment{}}
	for i, line := range strings.Split(text, "\n") {
		if err := f.read(i+1, strings.TrimSpace(line)); err != nil {
			return nil, err
		}
	}
	if a, ok := f.values["HCOMM_SECRET"]; ok && mode&0o044 != 0 {
		f.warn(a.line, "HCOMM_SECRET is in a file that others can read (its mode is %#o): chmod go= %s", mode, path)
	}
	return f, nil
}

// ReadFile reads a file that a setting names. Like one with settings it must be the user's or root's, and nobody else's to
// write.
func ReadFile(path string) (string, error) {
	text, _, err := readTrusted(path)
	if err != nil {
		err = &refused{path: path, why: err}
	}
	return text, err
}

// readTrusted reads a file that nobody else can have written.
func readTrusted(path string) (text string, mode fs.FileMode, err error) {
	cannot := func(err error) error {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err
		}
		return fmt.Errorf("cannot be read: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOCTTY, 0) // a pipe without a writer would wait
	if err != nil {
		return "", 0, cannot(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", 0, cannot(err)
	}
	if err := trusted(info, os.Geteuid()); err != nil {
		return "", 0, err
	}
	b, err := io.ReadAll(io.LimitReader(f, largest+1))
	if err != nil {
		return "", 0, cannot(err)
	}
	if len(b) > largest {
		return "", 0, fmt.Errorf("has more than %d bytes", largest)
	}
	if bytes.IndexByte(b, 0) >= 0 { // sentences with it would end there
		return "", 0, errors.New("is no text: it has a NUL byte")
	}
	return string(b), info.Mode().Perm(), nil
}

// trusted says why a file's settings must not count, for they could be somebody else's.
func trusted(info fs.FileInfo, user int) error {
	if !info.Mode().IsRegular() {
		return errors.New("is refused: it is no regular file")
	}
	if owner := int(info.Sys().(*syscall.Stat_t).Uid); owner != 0 && owner != user {
		return fmt.Errorf("is refused: it belongs to the user %d, who is neither root nor this process's user (%d)", owner, user)
	}
	if mode := info.Mode().Perm(); mode&0o002 != 0 {
		return fmt.Errorf("is refused: everybody may write to it (its mode is %#o): chmod o-w", mode)
	}
	return nil
}

// at names a line.
func (f *file) at(line int) string { return fmt.Sprintf("%s:%d", f.path, line) }

func (f *file) warn(line int, format string, args ...any) {
	f.warnings = append(f.warnings, f.at(line)+": "+fmt.Sprintf(format, args...))
}

// read takes a line: NAME=value, a comment, or nothing.
func (f *file) read(number int, line string) error {
	if line == "" || line[0] == '#' {
		return nil
	}
	name, value, ok := strings.Cut(line, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || name == "" || strings.ContainsAny(name, " \t") {
		return fmt.Errorf("%s: the line must be NAME=value, a comment that begins with #, or empty", f.at(number))
	}
	s, known := Find(name)
	if !known {
		f.warn(number, "%s", unknown(name, ""))
		return nil
	}
	if s.Place {
		return fmt.Errorf("%s: %s belongs in the environment, not in a file", f.at(number), name)
	}
	if before, twice := f.values[name]; twice {
		return fmt.Errorf("%s: %s is in line %d already", f.at(number), name, before.line)
	}
	if value != "" { // as with a variable, nothing is not set
		f.values[name] = assignment{value, number}
	}
	return nil
}
