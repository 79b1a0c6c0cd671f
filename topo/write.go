package topo

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// Write writes the topology as JSON, with a line for each host, switch and link.
func (t *Topology) Write(w io.Writer) error {
	out := writer{to: bufio.NewWriter(w)}
	out.text("{\n")
	if t.Name != "" {
		out.text("  \"name\": ")
		out.value(t.Name)
		out.text(",\n")
	}
	writeList(&out, "hosts", t.Hosts)
	if len(t.Switches) > 0 {
		out.text(",\n")
		writeList(&out, "switches", t.Switches)
	}
	if len(t.Links) > 0 {
		out.text(",\n")
		writeList(&out, "links", t.Links)
	}
	out.text("\n}\n")
	if out.err != nil {
		return out.err
	}
	return out.to.Flush()
}

// writer keeps the first error.
type writer struct {
	to  *bufio.Writer
	err error
}

func (w *writer) text(s string) {
	if w.err == nil {
		_, w.err = w.to.WriteString(s)
	}
}

func (w *writer) value(v any) {
	var line bytes.Buffer
	e := json.NewEncoder(&line)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil && w.err == nil {
		w.err = err
	}
	w.text(string(bytes.TrimSpace(line.Bytes())))
}

func writeList[T any](w *writer, name string, list []T) {
	w.text("  \"" + name + "\": [")
	for i, v := range list {
		if i > 0 {
			w.text(",")
		}
		w.text("\n    ")
		w.value(v)
	}
	w.text("\n  ]")
}
