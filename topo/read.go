package topo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// MostText is how many bytes a file of a topology may have.
const MostText = 1 << 28

// Read reads a topology from JSON, as docs/topology.schema.json has it. An error names the line and the place.
func Read(r io.Reader) (*Topology, error) {
	text, err := io.ReadAll(io.LimitReader(r, MostText+1))
	if err != nil {
		return nil, err
	}
	if len(text) > MostText {
		return nil, fmt.Errorf("it has more than %d MiB", MostText>>20)
	}
	d := &decoder{text: text, json: json.NewDecoder(bytes.NewReader(text))}
	d.json.UseNumber()
	var t Topology
	if err := d.value("", reflect.ValueOf(&t).Elem()); err != nil {
		return nil, err
	}
	if _, err := d.json.Token(); err != io.EOF {
		return nil, d.fail("", "something follows the topology")
	}
	return &t, nil
}

// decoder fills in values of Go, strictly: each field is known, is there once, and, unless it may be left out, is there.
type decoder struct {
	text []byte
	json *json.Decoder
}

// fail names the place of what was read last.
func (d *decoder) fail(at, format string, args ...any) error {
	line := 1 + bytes.Count(d.text[:min(int(d.json.InputOffset()), len(d.text))], []byte("\n"))
	if at != "" {
		at += ": "
	}
	return fmt.Errorf("line %d: %s%s", line, at, fmt.Sprintf(format, args...))
}

// token reads one. at is its place, such as hosts[3].name.
func (d *decoder) token(at string) (json.Token, error) {
	token, err := d.json.Token()
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return nil, d.fail(at, "it ends too early")
	case err != nil:
		return nil, d.fail(at, "%v", err)
	}
	return token, nil
}

func (d *decoder) value(at string, v reflect.Value) error {
	token, err := d.token(at)
	if err != nil {
		return err
	}
	number, isNumber := token.(json.Number)
	word, isWord := token.(string)
	switch {
	case v.Kind() == reflect.Struct && token == json.Delim('{'):
		return d.object(at, v)
	case v.Kind() == reflect.Slice && token == json.Delim('['):
		return d.list(at, v)
	case v.Kind() == reflect.String && isWord:
		v.SetString(word)
		return nil
	case v.Kind() == reflect.Int && isNumber:
		if i, err := strconv.ParseInt(number.String(), 10, 32); err == nil {
			v.SetInt(i)
			return nil
		}
	case v.Kind() == reflect.Float64 && isNumber:
		if f, err := number.Float64(); err == nil {
			v.SetFloat(f)
			return nil
		}
	}
	kinds := map[reflect.Kind]string{
		reflect.Struct: "an object", reflect.Slice: "a list", reflect.String: "a text",
		reflect.Int: "a whole number", reflect.Float64: "a number",
	}
	return d.fail(at, "it is %.80s; it must be %s", show(token), kinds[v.Kind()])
}

// show is a token as the file has it.
func show(token json.Token) string {
	switch token := token.(type) {
	case string:
		return strconv.Quote(token)
	case nil:
		return "null"
	}
	return fmt.Sprint(token)
}

func (d *decoder) object(at string, v reflect.Value) error {
	names, have := fieldNames(v.Type()), make([]bool, v.NumField())
	for d.json.More() {
		token, err := d.token(at)
		if err != nil {
			return err
		}
		name := token.(string) // the decoder sees to it
		i := slices.Index(names, name)
		switch place := strings.TrimPrefix(at+"."+name, "."); {
		case i < 0:
			return d.fail(at, "%.80q is not known; there are %s", name, strings.Join(names, ", "))
		case have[i]:
			return d.fail(place, "it is there twice")
		default:
			if err := d.value(place, v.Field(i)); err != nil {
				return err
			}
		}
		have[i] = true
	}
	for i, name := range names {
		if !have[i] && needed(v.Type().Field(i)) {
			return d.fail(at, "%s is missing", name)
		}
	}
	_, err := d.token(at)
	return err
}

// list reads one. No list is longer than a list of links may be.
func (d *decoder) list(at string, v reflect.Value) error {
	for d.json.More() {
		n := v.Len()
		if n == MostLinks || v.Type() == reflect.TypeFor[[]Host]() && n == MostHosts {
			return d.fail(at, "it has more than %d", n)
		}
		v.Grow(1)
		v.SetLen(n + 1)
		if err := d.value(fmt.Sprintf("%s[%d]", at, n), v.Index(n)); err != nil {
			return err
		}
	}
	_, err := d.token(at)
	return err
}

// fieldNames are those of a struct in JSON.
func fieldNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

// needed says whether a field must be there.
func needed(f reflect.StructField) bool { return !strings.Contains(f.Tag.Get("json"), ",omit") }
