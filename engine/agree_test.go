package engine

import (
	"encoding/binary"
	"errors"
	"maps"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/settings"
	"hcomm/tune"
)

func fixedCard(c card) []byte {
	b, err := binary.Append(nil, binary.LittleEndian, &c)
	if err != nil {
		panic(err)
	}
	return b
}

// FuzzCard gives a rank cards that no honest peer sends: what is accepted can be used.
func FuzzCard(f *testing.F) {
	good := fixedCard(card{Protocol: protocol})
	said := map[string]string{"HCOMM_SLOTS": "7", "HCOMM_ALGO": "allreduce:ring"}
	f.Add(good)
	f.Add(append(good, encodeSaid(said)...))
	f.Add(append(good, "HCOMM_SLOTS=7"...))
	f.Add(append(good, "HCOMM_RANK=7\x00"...))
	f.Add(append(good, "HCOMM_SLOT_BYTES=1000000000000\x00"...))
	f.Add(good[:len(good)-1])
	rows := []tune.Row{{First: 14, Last: 20, Algorithm: "ring", Slice: 8192}}
	encoded := tune.Table{{Key: tune.Key{Collective: plan.AllReduce, Ranks: 4}, Rows: rows}}.Encode()
	f.Add(append(append(fixedCard(card{Protocol: protocol, Encoded: uint32(len(encoded))}), encoded...), encodeSaid(said)...))
	f.Add(append(fixedCard(card{Protocol: protocol, Encoded: 1 << 31}), encoded...))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok := refusal(b); ok {
			return
		}
		k, table, said, err := decodeCard(b)
		if err != nil {
			return
		}
		k.host()
		a := arrival{rank: 1, cards: []card{k}, said: []map[string]string{said}, size: 1}
		if a.settle(table) == nil && (a.values.SlotBytes < 4096 || a.values.SlotBytes > 1<<20 || a.values.Slots < 0 || a.values.Slots > 64) {
			t.Errorf("accepted: %+v", a.values)
		}
	})
}

func TestSaidTravels(t *testing.T) {
	want := map[string]string{"HCOMM_SLOTS": "7", "HCOMM_ALGO": "allreduce:ring,reduce:chain", "HCOMM_DETERMINISTIC": "1"}
	got, err := decodeSaid(encodeSaid(want))
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
}

// Rank 0's settings are everyone's; who has set one otherwise is named, with the values of both.
func TestSettle(t *testing.T) {
	own, err := settings.Load(func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	settle := func(said ...map[string]string) (*arrival, error) {
		a := &arrival{values: own, said: said, size: len(said)}
		for i := range said {
			a.cards = append(a.cards, card{PID: uint32(100 + i)})
		}
		return a, a.settle(a.table.Encode())
	}
	a, err := settle(map[string]string{"HCOMM_SLOTS": "7", "HCOMM_ALGO": "reduce:chain"}, nil, map[string]string{"HCOMM_SLOTS": "7"})
	if err != nil || a.values.Slots != 7 || len(a.rules.forced) != 1 {
		t.Errorf("adopted %+v, %v", a.values, err)
	}
	alike := map[string]string{"HCOMM_SLOT_BYTES": "065536", "HCOMM_ALGO": "reduce:flat,AllReduce:ring", "HCOMM_DETERMINISTIC": "+0"}
	if a, err = settle(map[string]string{"HCOMM_ALGO": "allreduce:ring, reduce:flat"}, alike); err != nil || a.values.SlotBytes != 65536 {
		t.Errorf("settings written in two ways: %+v, %v", a.values, err)
	}
	for _, c := range []struct {
		zero, one map[string]string
		want      []string
	}{
		{map[string]string{"HCOMM_SLOTS": "7"}, map[string]string{"HCOMM_SLOTS": "8"}, []string{"HCOMM_SLOTS", `"7" on rank 0`, `"8" on rank 1`, "pid 101"}},
		{nil, map[string]string{"HCOMM_DETERMINISTIC": "1"}, []string{"HCOMM_DETERMINISTIC", `"0" on rank 0`, `"1" on rank 1`}},
		{nil, map[string]string{"HCOMM_ALGO": "reduce:flat"}, []string{"HCOMM_ALGO", "not set on rank 0", `"reduce:flat" on rank 1`}},
	} {
		_, err := settle(c.zero, c.one)
		var e *Error
		if !errors.As(err, &e) || e.Code != Mismatch {
			t.Errorf("%v against %v: %v", c.zero, c.one, err)
			continue
		}
		for _, w := range c.want {
			if !strings.Contains(e.Text, w) {
				t.Errorf("%q lacks %q", e.Text, w)
			}
		}
	}
}

// A table is rank 0's; a file that says the same under another name is none of the differences.
func TestSettleTable(t *testing.T) {
	digest := func(n byte) (k card) { k.Table[0] = n; return k }
	file := func(name string) map[string]string { return map[string]string{"HCOMM_TUNE_FILE": name} }
	key := tune.Key{Collective: plan.AllReduce, Ranks: 2}
	table := tune.Table{{Key: key, Rows: []tune.Row{{First: 14, Last: 20, Algorithm: "ring", Slice: 8192}}}}
	settle := func(cards []card, said []map[string]string, encoded []byte) (*arrival, error) {
		a := &arrival{rank: 1, size: 2, cards: cards, said: said}
		a.cards[0].CPUs[0] = 3
		return a, a.settle(encoded)
	}
	for _, said := range [][]map[string]string{{nil, nil}, {file("a"), nil}, {file("a"), file("b")}, {nil, file("b")}} {
		a, err := settle([]card{digest(1), digest(1)}, said, table.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if b, slice := a.rules.choice(plan.AllReduce, 2, 14, false); b.Name != "ring" || slice != 8192 {
			t.Errorf("%v: %s, slices of %d", said, b.Name, slice)
		}
	}
	if _, err := settle([]card{digest(1), digest(2)}, []map[string]string{file("a"), nil}, table.Encode()); err != nil {
		t.Errorf("a rank without a file: %v", err)
	}
	for _, c := range []struct {
		said [2]string
		want string
	}{
		{[2]string{"a", "b"}, `HCOMM_TUNE_FILE is "a" on rank 0 (host , pid 0), but "b", with another table, on rank 1 (host , pid 0)`},
		{[2]string{"a", "a"}, `HCOMM_TUNE_FILE is "a" on rank 0 (host , pid 0), but "a", with another table, on rank 1 (host , pid 0)`},
	} {
		_, err := settle([]card{digest(1), digest(2)}, []map[string]string{file(c.said[0]), file(c.said[1])}, table.Encode())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v: got %v, want %s", c.said, err, c.want)
		}
	}
	if _, err := settle([]card{digest(1), digest(1)}, []map[string]string{nil, nil}, []byte("\x01\x04rnig\x01\x00\x02\x00\x01\x00\x40\x00\x01\x00")); err == nil ||
		!strings.Contains(err.Error(), `AllReduce has no algorithm "rnig"`) {
		t.Errorf("a table of another hcomm: %v", err)
	}
}

// What is forced comes before the table, the table before the model, and what a reduction must keep before all.
func TestChoice(t *testing.T) {
	row := []tune.Row{{First: 13, Last: 16, Algorithm: "ring", Slice: 8192}, {First: 17, Last: 20, Algorithm: "direct"}}
	table := tune.Table{
		{Key: tune.Key{Collective: plan.AllReduce, Ranks: 4}, Rows: row},
		{Key: tune.Key{Collective: plan.AllReduce, Ranks: 4, Crowded: true}, Rows: row[1:]},
	}
	forced := map[plan.Collective]plan.Builder{plan.AllReduce: {Name: "chain", Order: plan.LeftFold}}
	for _, c := range []struct {
		rules  rules
		ranks  int
		class  int
		narrow bool
		want   string
		slice  int
	}{
		{rules{}, 4, 13, false, "ring", 8192},
		{rules{}, 4, 12, false, "scatter-gather", 0},
		{rules{}, 4, 21, false, "scatter-gather", 0},
		{rules{}, 4, 17, false, "direct", 0},
		{rules{}, 3, 13, false, "scatter-gather", 0},
		{rules{crowded: true}, 4, 13, false, "scatter-gather", 0},
		{rules{crowded: true}, 4, 17, false, "direct", 0},
		{rules{deterministic: true}, 4, 13, false, "scatter-gather", 0},
		{rules{deterministic: true}, 4, 17, true, "direct", 0},
		{rules{forced: forced}, 4, 13, false, "chain", 0},
		{rules{forced: forced, deterministic: true}, 4, 17, true, "direct", 0},
	} {
		c.rules.table = table
		if b, slice := c.rules.choice(plan.AllReduce, c.ranks, c.class, c.narrow); b.Name != c.want || slice != c.slice {
			t.Errorf("%+v: got %s, %d", c, b.Name, slice)
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		algo          string
		deterministic bool
		want          string // part of the error
	}{
		{"", true, ""},
		{"allreduce:ring", false, ""},
		{"AllReduce:chain, reduce:flat", true, ""},
		{"alltoall:bruck", true, ""},
		{"allreduce", false, "must be collective:algorithm"},
		{"allreduce:ring,allreduce:chain", false, "there twice"},
		{"allsum:ring", false, "there are allreduce, broadcast"},
		{"allreduce:rign", false, "it has direct"},
		{"allreduce:ring", true, "it admits direct"},
		{"allreduce:ring,", false, "must be collective:algorithm"},
	} {
		_, err := newRules(c.algo, c.deterministic)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("HCOMM_ALGO=%s: error %v, want %q", c.algo, err, c.want)
		}
	}
}
