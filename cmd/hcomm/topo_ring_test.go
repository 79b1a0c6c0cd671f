package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// On a terminal a line says what is under way, and goes before the ring is shown; a pipe gets none.
func TestTopoRingProgress(t *testing.T) {
	t.Parallel()
	const nodes = 50
	var matrix strings.Builder
	for i := range nodes {
		for j := range nodes {
			fmt.Fprintf(&matrix, "%d,", (i*i+j*j)%97)
		}
		matrix.WriteString("\n")
	}
	text := strings.ReplaceAll(matrix.String(), ",\n", "\n")
	c := newCommand(t, "topo", "ring", "--matrix", "-")
	keyboard, terminal := pseudoTerminal(t)
	var stdout bytes.Buffer
	c.Cmd.Stdin, c.Cmd.Stdout, c.Cmd.Stderr = strings.NewReader(text), &stdout, terminal
	if err := c.Run(); err != nil || !strings.HasPrefix(stdout.String(), "order ") {
		t.Fatalf("%v, stdout %s", err, &stdout)
	}
	terminal.Close()
	screen, _ := io.ReadAll(keyboard) // until nobody has the terminal open, which is an error
	const line = "\r\x1b[K"
	if !strings.HasPrefix(string(screen), line+"  reading"+line+"  the cheapest ways: 0 %") || !strings.HasSuffix(string(screen), " %"+line) {
		t.Errorf("the screen gets %q", screen)
	}
}

func TestTopoRing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	file := write("m.csv", "a,b,c,d\n0,1,,5\n1,0,2,\n9,2,0,1\n5,,1,0\n")
	stdout, stderr, status := hcomm(t, "topo", "ring", "--matrix", file)
	want := "order         a b d c\ntotal         8\nslowest       3\nlower bound   8 (no ring is cheaper)\n" +
		"over          c: from b to d\nover          b: from c to a\ngreatest gap  from a to c no link, back 9\n"
	if status != 0 || stderr != "" || stdout != want {
		t.Errorf("status %d, stderr %q, stdout:\n%s\nwant:\n%s", status, stderr, stdout, want)
	}
	band := write("b.csv", "0,2,2,2\n2,0,2,2\n2,2,0,1\n2,2,1,0\n")
	stdout, stderr, status = hcomm(t, "topo", "ring", "--matrix", file, "--bandwidth", band, "--need", "2", "--json")
	var r shownRing
	if err := json.Unmarshal([]byte(stdout), &r); status != 0 || stderr != "" || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	if r.Gap == nil || r.Gap.Cost != nil || *r.Gap.Back != 9 || r.LowerBound > r.Total || len(r.Order) != 4 || len(r.Names) != 4 {
		t.Errorf("got %s", stdout)
	}
	for _, key := range []string{`"order"`, `"total"`, `"slowest"`, `"lower_bound"`} {
		if !strings.Contains(stdout, key) {
			t.Errorf("there is no key %s in %s", key, stdout)
		}
	}
	wrong := write("wrong.csv", "0,1\n1,no\n")
	other := write("other.csv", "a,c,b,d\n0,2,2,2\n2,0,2,2\n2,2,0,1\n2,2,1,0\n")
	apart := write("apart.csv", "x,y\n0,inf\n1,0\n")
	for args, want := range map[string]string{
		"topo":                          "hcomm topo: say one of: ring, show",
		"topo rung":                     `hcomm topo: "rung" is not known here; there are: ring, show`,
		"topo ring":                     "hcomm topo ring: --matrix is missing (see: hcomm topo ring --help)",
		"topo ring --matrix " + wrong:   "hcomm topo ring: " + wrong + `:2: value 2 is "no"; it must be 0 to 1e300, or inf where there is no link`,
		"topo ring --matrix " + apart:   "hcomm topo ring: " + apart + ": the nodes are in 2 parts, which no link joins in both directions: {x}, {y}",
		"topo ring --matrix /none/x":    "hcomm topo ring: --matrix: open /none/x: no such file or directory",
		"topo ring --matrix - --need 1": "hcomm topo ring: --bandwidth and --need have no meaning without each other",
		"topo ring --matrix - --bandwidth - --need 1":                   "hcomm topo ring: --matrix and --bandwidth cannot both be the standard input",
		"topo ring --matrix " + file + " --need 1 --bandwidth " + other: "hcomm topo ring: " + file + " and " + other + " name different nodes",
		"topo ring --matrix -":                                          "hcomm topo ring: standard input: it has no lines",
		"topo ring --matrix - --need no":                                `hcomm topo ring: --need is "no"; it must be a number`,
	} {
		if stdout, stderr, status := hcomm(t, strings.Fields(args)...); status != 125 || stdout != "" || !strings.HasPrefix(stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}
