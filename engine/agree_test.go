package engine

import (
	"encoding/binary"
	"errors"
	"maps"
	"strings"
	"testing"

	"hcomm/settings"
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
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, ok := refusal(b); ok {
			return
		}
		k, said, err := decodeCard(b)
		if err != nil {
			return
		}
		k.host()
		a := arrival{cards: []card{k}, said: []map[string]string{said}, size: 1}
		if a.settle() == nil && (a.values.SlotBytes < 4096 || a.values.SlotBytes > 1<<20 || a.values.Slots < 0 || a.values.Slots > 64) {
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
		return a, a.settle()
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
