package tune

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"hcomm/plan"
)

// sample has all that a file may have.
const sample = `{
  "version": 1,
  "about": "of a test",
  "tables": [
    {"collective": "reduce", "ranks": 4096, "crowded": true, "rows": []},
    {"collective": "allreduce", "ranks": 4, "rows": [
      {"up_to_bytes": 1024, "algorithm": "direct"},
      {"above_bytes": 4096, "up_to_bytes": 65536, "algorithm": "ring", "slice_bytes": 8192},
      {"above_bytes": 65536, "algorithm": "scatter-gather", "slice_bytes": 1048576}
    ]},
    {"collective": "barrier", "ranks": 2, "rows": [{"algorithm": "binomial"}]}
  ]
}`

func parsed(t *testing.T, text string) Table {
	t.Helper()
	table, err := Parse("file", text)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func TestParse(t *testing.T) {
	table := parsed(t, sample)
	four := Key{plan.AllReduce, 4, false}
	for _, c := range []struct {
		key   Key
		bytes uint64
		want  string // "": nothing
	}{
		{four, 0, "direct 0"}, {four, 1024, "direct 0"}, {four, 1025, ""}, {four, 4096, ""}, {four, 4097, "ring 8192"},
		{four, 65536, "ring 8192"}, {four, 65537, "scatter-gather 1048576"}, {four, 1 << 63, "scatter-gather 1048576"},
		{Key{plan.AllReduce, 4, true}, 8192, ""}, {Key{plan.AllReduce, 3, false}, 8192, ""},
		{Key{plan.Reduce, 4096, true}, 8192, ""}, {Key{plan.Barrier, 2, false}, 0, "binomial 0"}, {Key{plan.Gather, 2, false}, 8, ""},
	} {
		got := ""
		if r, ok := table.Find(c.key, plan.ClassOf(c.bytes)); ok {
			got = fmt.Sprintf("%s %d", r.Algorithm, r.Slice)
		}
		if got != c.want {
			t.Errorf("%v, %d bytes: got %q, want %q", c.key, c.bytes, got, c.want)
		}
	}
}

// wrong are files, and what is said of each. form says that a schema can tell.
var wrong = []struct {
	form       bool
	text, want string
}{
	{true, ``, "file:1: this is no JSON"},
	{true, "{\n\"version\": 1,\n\"tables\": [}", "file:3: this is no JSON"},
	{true, `[]`, "file:1: it must be an object"},
	{true, `7`, "file:1: it must be an object"},
	{true, `{}`, "version is missing: it must be 1"},
	{true, `{"version": 1}`, "tables is missing"},
	{true, `{"version": 0, "tables": []}`, "version is 0: it must be 1"},
	{true, `{"version": 1.5, "tables": []}`, "version is 1.5: it must be 1"},
	{true, `{"tabels": [], "version": 2}`, "version is 2: a newer hcomm has written it; this one reads 1"},
	{true, `{"version": "1", "tables": []}`, `version is "1": it must be 1`},
	{true, `{"version": 1, "tables": []} {}`, "this is no JSON"},
	{false, `{"version": 1, "tables": [], "tables": []}`, "tables: it is there twice"},
	{true, `{"version": 1, "tables": {}}`, "tables: it must be a list"},
	{true, `{"version": 1, "about": 5, "tables": []}`, "about: it must be a text"},
	{true, "{\"version\": 1,\n\n\"tabels\": []}", `file:3: "tabels" is no field: did you mean tables?`},
	{true, `{"version": 1, "zzz": 0, "tables": []}`, `"zzz" is no field; there are version, about, tables`},
	{true, `{"version": 1, "tables": [5]}`, "tables[0]: it must be an object"},
	{true, `{"version": 1, "tables": [{}]}`, "tables[0]: collective is missing"},
	{true, section(`"collective": "scan", "ranks": 2`), `tables[0].collective: "scan" is no collective; there are allreduce`},
	{true, section(`"collective": "AllReduce", "ranks": 2`), `tables[0].collective: "AllReduce" must be in lower case`},
	{true, section(`"collective": 4, "ranks": 2`), "tables[0].collective: it must be a text"},
	{true, section(`"collective": "reduce", "ranks": 1`), "tables[0].ranks: 1: it must be 2 to 4096"},
	{true, section(`"collective": "reduce", "ranks": 4097`), "tables[0].ranks: 4097: it must be 2 to 4096"},
	{true, section(`"collective": "reduce", "ranks": -2`), "tables[0].ranks: -2: it must be a whole number"},
	{true, section(`"collective": "reduce", "ranks": 99999999999999999999999`), "it must be a whole number"},
	{true, section(`"collective": "reduce", "ranks": "2"`), "tables[0].ranks: it must be a whole number"},
	{true, section(`"collective": "reduce", "ranks": 2, "crowded": 1`), "tables[0].crowded: it must be true or false"},
	{true, section(`"collective": "reduce", "rank": 2`), `tables[0]: "rank" is no field: did you mean ranks?`},
	{true, rows(`5`), "tables[0].rows[0]: it must be an object"},
	{true, rows(`{}`), "tables[0].rows[0]: algorithm is missing"},
	{true, rows(`{"algorithm": "rnig"}`), `tables[0].rows[0].algorithm: AllReduce has no algorithm "rnig"; it has direct`},
	{true, rows(`{"algorithm": "` + strings.Repeat("x", 5000) + `"}`), `xx"; it has direct`},
	{true, section(`"collective": "` + strings.Repeat("x", 5000) + `", "ranks": 2`), `xx" is no collective`},
	{true, section(`"` + strings.Repeat("x", 5000) + `": 2`), `xx" is no field`},
	{true, rows(`{"algorithm": "bruck"}`), `AllReduce has no algorithm "bruck"`}, // another collective's
	{true, rows(`{"algorithm": "ring", "slize_bytes": 4096}`), `"slize_bytes" is no field: did you mean slice_bytes?`},
	{true, rows(`{"algorithm": "ring", "slice_bytes": 0}`), "tables[0].rows[0].slice_bytes: 0: it must be 4096 to 1048576, a multiple of 4096"},
	{true, rows(`{"algorithm": "ring", "slice_bytes": 5000}`), "slice_bytes: 5000: it must be"},
	{true, rows(`{"algorithm": "ring", "slice_bytes": 2097152}`), "slice_bytes: 2097152: it must be"},
	{true, rows(`{"algorithm": "ring", "slice_bytes": 18446744073709551616}`), "it must be a whole number"},
	{true, rows(`{"algorithm": "ring", "above_bytes": 3}`), "above_bytes: 3: it must be a power of two, or 0"},
	{false, rows(`{"algorithm": "ring", "above_bytes": 64, "up_to_bytes": 64}`), "up_to_bytes: it must be more than above_bytes"},
	{false, rows("{\"algorithm\": \"ring\", \"up_to_bytes\": 64},\n{\"algorithm\": \"ring\", \"above_bytes\": 32}"),
		"file:2: tables[0].rows[1].above_bytes: a row before it has these sizes already, up to 64 bytes"},
	{false, rows(`{"algorithm": "ring"}, {"algorithm": "ring"}`), "a row before it has these sizes already"},
	{false, `{"version": 1, "tables": [{"collective": "reduce", "ranks": 2, "rows": []},` + "\n" +
		`{"ranks": 2, "collective": "reduce", "crowded": false, "rows": []}]}`, "file:2: tables[1]: reduce of 2 ranks is in line 1 already"},
	{true, `{"version": 1, "tables": [` + strings.Repeat(`{"collective": "reduce", "ranks": 2, "rows": []},`, 600) + `{}]}`, "is in line 1 already"},
	{false, many(500), "the table takes 7513 bytes on its way to other ranks, and there is room for 3000"},
	{true, strings.Repeat("[", 100_000), "this is no JSON"},
}

func section(fields string) string {
	return `{"version": 1, "tables": [{` + fields + `, "rows": []}]}`
}

func rows(text string) string {
	return `{"version": 1, "tables": [{"collective": "allreduce", "ranks": 2, "rows": [` + text + `]}]}`
}

// many is a table with so many sections.
func many(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"collective": "allreduce", "ranks": %d, "rows": [{"up_to_bytes": 4096, "algorithm": "direct"}, {"above_bytes": 4096, "algorithm": "ring"}]}`, i+2))
	}
	return `{"version": 1, "tables": [` + strings.Join(list, ",") + `]}`
}

func TestParseRefuses(t *testing.T) {
	for _, c := range wrong {
		if _, err := Parse("file", c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.200s:\n  got %v, want %s", c.text, err, c.want)
		} else if n := len(err.Error()); n > 500 {
			t.Errorf("%.200s: an error of %d characters", c.text, n)
		}
	}
}

// The schema says the same of a file as Parse, as far as it can.
func TestSchema(t *testing.T) {
	var schema any
	if err := json.Unmarshal([]byte(Schema()), &schema); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{sample, builtIn, parsed(t, sample).Format("again")} {
		if err := validate(schema, text); err != nil {
			t.Errorf("%.100s: the schema refuses it: %v", text, err)
		}
	}
	for _, c := range wrong {
		if validate(schema, c.text) == nil == c.form {
			t.Errorf("%.200s: the schema should refuse it: %t", c.text, c.form)
		}
	}
}

// What is written is read again; the file is replaced as a whole, and nothing else is left behind.
func TestWrite(t *testing.T) {
	table := parsed(t, sample)
	path := filepath.Join(t.TempDir(), "table.json")
	for i := range 2 {
		if err := table.Write(path, `with "quotes"`); err != nil {
			t.Fatal(err)
		}
		got, err := Open(path)
		for i := range got {
			got[i].Origin = "file"
		}
		if err != nil || !reflect.DeepEqual(got, table) {
			t.Errorf("time %d: got %v, %v, want %v", i, got, err, table)
		}
	}
	if all, err := os.ReadDir(filepath.Dir(path)); err != nil || len(all) != 1 {
		t.Errorf("%d files, %v", len(all), err)
	}
	if err := table.Write(filepath.Join(path, "x"), ""); err == nil {
		t.Error("written into what is no folder")
	}
}

// A link stays one, and its target has the table; a file that others must not read stays so.
func TestWriteThroughLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "table.json"), filepath.Join(dir, "link")
	if err := os.WriteFile(path, []byte(sample), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("table.json", link); err != nil {
		t.Fatal(err)
	}
	if err := (Table{}).Write(link, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := Open(path); err != nil || len(got) != 0 {
		t.Errorf("the link's target has %v, %v", got, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode().Type() != os.ModeSymlink {
		t.Errorf("the link is %v, %v", info, err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode() != 0o600 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// large is a table of so many bytes at least, for ranks that nothing is built in for.
func large(bytes int) (t Table) {
	for ranks := 1000; len(t.Encode()) < bytes; ranks++ {
		t = append(t, Section{Key: Key{plan.AllReduce, ranks, false}, Rows: []Row{{Last: plan.Classes - 1, Algorithm: "ring"}}})
	}
	return t
}

// A file must leave room for what is built in: all of that goes to the other ranks.
func TestRoomForBuiltIn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.json")
	if err := os.WriteFile(path, []byte(large(MostEncoded-20).Format("")), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string) (Table, error){"Open": Open, "Load": Load} {
		if _, err := read(path); err == nil || !strings.Contains(err.Error(), "leave out some sections") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got, err := Decode(large(MostEncoded - 20).Encode()); err != nil || len(got) == 0 {
		t.Errorf("without what is built in: %v, %v", got, err)
	}
}

// What could not be read again is not written: the file keeps what it has.
func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.json")
	if err := (Table{}).Write(path, ""); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(path)
	one := Section{Key: Key{plan.AllReduce, 2, false}}
	for want, table := range map[string]Table{"already": {one, one}, "leave out some sections": large(MostEncoded - 20)} {
		if err := table.Write(path, ""); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
			t.Errorf("%s: the file has %q, %v", want, after, err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "table.json")
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "table.json cannot be read: no such file") {
		t.Errorf("no file: %v", err)
	}
	if err := os.WriteFile(path, []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); err == nil || !strings.Contains(err.Error(), "everybody may write to it") {
		t.Errorf("a file that everybody may write to: %v", err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("a folder: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample)
	for _, c := range wrong {
		if len(c.text) < 1000 {
			f.Add(c.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		table, err := Parse("file", text)
		if err != nil {
			return
		}
		again, err := Parse("file", table.Format("x"))
		if err != nil || !reflect.DeepEqual(again, table) {
			t.Errorf("%q is %v, and written and read again %v, %v", text, table, again, err)
		}
		if again, err := Decode(table.Encode()); err != nil || !same(again, table) {
			t.Errorf("%q is %v, and on its way %v, %v", text, table, again, err)
		}
	})
}
