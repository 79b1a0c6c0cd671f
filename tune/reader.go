package tune

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hcomm/settings"
)

// reader goes through a file in JSON and knows where it is. The text has been found to be JSON.
type reader struct {
	file   string
	text   string
	json   *json.Decoder
	before int // lines of the file before the text
}

// field is one that an object may have, and what reads its value; at is its place, for errors.
type field struct {
	name string
	read func(at string) error
}

// line is where the next value begins.
func (r *reader) line() int {
	at := int(r.json.InputOffset())
	for at < len(r.text) && strings.IndexByte(" \t\r\n,:", r.text[at]) >= 0 {
		at++
	}
	return r.before + 1 + strings.Count(r.text[:at], "\n")
}

// fail names the place of a mistake: of the value that was read last.
func (r *reader) fail(at, format string, args ...any) error {
	if at != "" {
		at += ": "
	}
	line := r.before + 1 + strings.Count(r.text[:min(int(r.json.InputOffset()), len(r.text))], "\n")
	return fmt.Errorf("%s:%d: %s%s", r.file, line, at, fmt.Sprintf(format, args...))
}

// object reads one whose fields are known. None is there twice, and those that are needed are there.
func (r *reader) object(at string, needed []string, fields []field) error {
	if err := r.open(at, '{', "an object"); err != nil {
		return err
	}
	var have []string
	for r.json.More() {
		token, err := r.json.Token()
		if err != nil {
			return r.fail(at, "%v", err)
		}
		name := token.(string) // the decoder sees to it
		place := strings.TrimPrefix(at+"."+name, ".")
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			return r.unknown(at, name, fields)
		}
		if slices.Contains(have, name) {
			return r.fail(place, "it is there twice")
		}
		have = append(have, name)
		if err := fields[i].read(place); err != nil {
			return err
		}
	}
	for _, name := range needed {
		if !slices.Contains(have, name) {
			return r.fail(at, "%s is missing", name)
		}
	}
	_, err := r.json.Token()
	return err
}

// unknown says which field was probably meant.
func (r *reader) unknown(at, name string, fields []field) error {
	var known []string
	for _, f := range fields {
		known = append(known, f.name)
	}
	if near, ok := settings.Closest(name, known); ok {
		return r.fail(at, "%.80q is no field: did you mean %s?", name, near)
	}
	return r.fail(at, "%.80q is no field; there are %s", name, strings.Join(known, ", "))
}

func (r *reader) list(at string, most int, each func(at string) error) error {
	if err := r.open(at, '[', "a list"); err != nil {
		return err
	}
	for i := 0; r.json.More(); i++ {
		if i == most {
			return r.fail(at, "it has more than %d entries", most)
		}
		if err := each(fmt.Sprintf("%s[%d]", at, i)); err != nil {
			return err
		}
	}
	_, err := r.json.Token()
	return err
}

func (r *reader) open(at string, want json.Delim, what string) error {
	token, err := r.json.Token()
	if err != nil {
		return r.fail(at, "%v", err)
	}
	if token != want {
		return r.fail(at, "it must be %s", what)
	}
	return nil
}

func (r *reader) skip(at string) error {
	var any json.RawMessage
	if err := r.json.Decode(&any); err != nil {
		return r.fail(at, "%v", err)
	}
	return nil
}

func (r *reader) string(at string) (string, error) {
	token, err := r.json.Token()
	if text, ok := token.(string); ok && err == nil {
		return text, nil
	}
	return "", r.fail(at, "it must be a text")
}

func (r *reader) bool(at string) (bool, error) {
	token, err := r.json.Token()
	if yes, ok := token.(bool); ok && err == nil {
		return yes, nil
	}
	return false, r.fail(at, "it must be true or false")
}

func (r *reader) whole(at string) (uint64, error) {
	token, err := r.json.Token()
	if digits, ok := token.(json.Number); ok && err == nil {
		if n, err := strconv.ParseUint(digits.String(), 10, 64); err == nil {
			return n, nil
		}
		return 0, r.fail(at, "%.40s: it must be a whole number, 0 or more", digits)
	}
	return 0, r.fail(at, "it must be a whole number")
}
