package tune

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"hcomm/plan"
)

// same compares all but the origins.
func same(a, b Table) bool {
	clean := func(t Table) (all []any) {
		for _, s := range t {
			all = append(all, s.Key, append([]Row{}, s.Rows...))
		}
		return all
	}
	return reflect.DeepEqual(clean(a), clean(b))
}

func TestEncode(t *testing.T) {
	for _, table := range []Table{{}, parsed(t, sample), Default()} {
		b := table.Encode()
		got, err := Decode(b)
		if err != nil || !same(got, table) {
			t.Errorf("got %v, %v, want %v", got, err, table)
		}
		for n := 1; n < len(b); n++ {
			if short, err := Decode(b[:n]); err == nil && len(short) >= len(table) {
				t.Errorf("the first %d of %d bytes are the whole table", n, len(b))
			}
		}
	}
	if n := len(Default().Encode()); n > MostEncoded*2/3 {
		t.Errorf("the table that is built in takes %d bytes on its way: that leaves little room for a file", n)
	}
}

// A peer's bytes are refused, whatever is wrong with them.
func TestDecodeRefuses(t *testing.T) {
	const name = "\x01\x04ring"
	for text, want := range map[string]string{
		"":                            "ends in the middle",
		"\x02\x04ring":                "ends in the middle",
		name + "\x01":                 "ends in the middle",
		name + "\x63\x00\x02\x00\x00": "a section that cannot be",
		name + "\x01\x02\x02\x00\x00": "a section that cannot be",
		name + "\x01\x00\x01\x00\x00": "a section that cannot be",
		name + "\x01\x00\x02\x00\xff": "a section that cannot be",
		name + "\x01\x00\x02\x00\x01\x00\x40\x01\x01\x00":                     "algorithm 1 of 1",
		name + "\x02\x00\x02\x00\x01\x00\x40\x00\x01\x00":                     `Broadcast has no algorithm "ring"`,
		name + "\x01\x00\x02\x00\x01\x00\x41\x00\x01\x00":                     "up_to_bytes",
		name + "\x01\x00\x02\x00\x01\x05\x04\x00\x01\x00":                     "up_to_bytes",
		name + "\x01\x00\x02\x00\x01\x00\x40\x00\x01\x02":                     "slice_bytes",
		name + "\x01\x00\x02\x00\x02\x00\x05\x00\x01\x00\x05\x06\x00\x01\x00": "above_bytes",
		name + "\x01\x00\x02\x00\x00\x01\x00\x02\x00\x00":                     "out of order",
		strings.Repeat("x", MostEncoded+1):                                    "3001 bytes",
	} {
		if table, err := Decode([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, %v, want %s", text, table, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	table, err := Parse("file", sample)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(table.Encode())
	f.Add([]byte{0})
	f.Add([]byte("\x01\x04ring\x01\x00\x02\x00\x01\x00\x40\x00\x01\x00"))
	f.Fuzz(func(t *testing.T, b []byte) {
		table, err := Decode(b)
		if err != nil {
			return
		}
		for _, s := range table {
			for class := range plan.Classes {
				if r, ok := table.Find(s.Key, class); ok && (r.Slice < 0 || r.Slice > MostSlice || r.Slice%LeastSlice != 0) {
					t.Errorf("%q: %v", b, r)
				}
			}
		}
		if again, err := Decode(table.Encode()); err != nil || !same(again, table) || !bytes.Equal(again.Encode(), table.Encode()) {
			t.Errorf("%q is %v, and encoded again %v, %v", b, table, again, err)
		}
	})
}

// A table's own sections take the place of others of the same key, also when they say nothing.
func TestOver(t *testing.T) {
	key := func(c plan.Collective, ranks int) Key { return Key{c, ranks, false} }
	row := func(name string) []Row { return []Row{{Last: plan.Classes - 1, Algorithm: name}} }
	under := Table{{Key: key(plan.AllReduce, 2), Rows: row("ring"), Origin: "b"}, {Key: key(plan.Reduce, 2), Rows: row("flat"), Origin: "b"}}
	own := Table{{Key: key(plan.AllReduce, 2), Origin: "a"}, {Key: key(plan.Gather, 3), Rows: row("flat"), Origin: "a"}}
	table := own.Over(under)
	if _, ok := table.Find(key(plan.AllReduce, 2), 5); ok || len(table) != 3 {
		t.Errorf("got %v", table)
	}
	for k, want := range map[Key]string{key(plan.AllReduce, 2): "a", key(plan.Reduce, 2): "b", key(plan.Gather, 3): "a", key(plan.Gather, 2): ""} {
		if got := table.Origin(k); got != want {
			t.Errorf("%v is from %q, not %q", k, got, want)
		}
	}
}

// Blocks of up to 4 KiB belong to the path in C, which takes the direct and flat algorithms: what is built in leaves them
// alone.
func TestDefaultLeavesSmallBlocks(t *testing.T) {
	for _, s := range Default() {
		for _, r := range s.Rows {
			if s.Ranks <= 8 && r.Above() < 4096 {
				t.Errorf("%v: %v", s.Key, r)
			}
		}
	}
}

// The same call has the same bits whether or not the ranks have a processor each, for that is no setting: what is built in
// may let it change how a sum is added up only where all ways give the same.
func TestDefaultKeepsBits(t *testing.T) {
	for _, s := range Default() {
		for class := range plan.Classes {
			alone, _, _ := Default().Choose(Key{s.Collective, s.Ranks, false}, class, plan.AnyOrder)
			crowded, _, _ := Default().Choose(Key{s.Collective, s.Ranks, true}, class, plan.AnyOrder)
			if s.Collective.Reduces() && s.Ranks > 2 && alone.Name != crowded.Name && min(alone.Order, crowded.Order) < plan.LeftFold {
				t.Errorf("%d ranks, class %d: %s:%s, but crowded %s", s.Ranks, class, lower(s.Collective), alone.Name, crowded.Name)
			}
		}
	}
}
