package tuner

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"hcomm/plan"
	"hcomm/tune"
)

func TestCells(t *testing.T) {
	p := Plan{Collectives: []plan.Collective{plan.Reduce, plan.Barrier}, From: 8, To: 32}
	want := []cell{{plan.Reduce, 8}, {plan.Reduce, 16}, {plan.Reduce, 32}, {plan.Barrier, 0}}
	if got := p.cells(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// Slices that make no difference are not compared.
func TestCandidates(t *testing.T) {
	for _, c := range []struct {
		bytes uint64
		slot  int
		want  string // of direct, whose parts are whole, and of scatter-gather, whose parts are quarters
	}{
		{4096, 64 << 10, "direct; scatter-gather"},
		{16 << 10, 64 << 10, "direct; direct, 8 KiB; direct, 4 KiB; scatter-gather"},
		{128 << 10, 64 << 10, "direct; direct, 32 KiB; direct, 16 KiB; direct, 8 KiB; direct, 4 KiB; " +
			"scatter-gather; scatter-gather, 16 KiB; scatter-gather, 8 KiB; scatter-gather, 4 KiB"},
		{64 << 10, 8 << 10, "direct; direct, 4 KiB; scatter-gather; scatter-gather, 4 KiB"},
		{64 << 10, 12 << 10, "direct; scatter-gather"},
	} {
		var got []string
		for _, choice := range (cell{plan.AllReduce, c.bytes}).candidates(4, c.slot) {
			if choice.Algorithm == "direct" || choice.Algorithm == "scatter-gather" {
				got = append(got, choice.String())
			}
		}
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%d bytes, slots of %d: got %s, want %s", c.bytes, c.slot, strings.Join(got, "; "), c.want)
		}
	}
}

// timed is a candidate with times.
func timed(name string, times ...float64) candidate {
	return candidate{Choice: Choice{Algorithm: name}, times: times}
}

func TestDrop(t *testing.T) {
	all := []candidate{timed("model", 9, 9), timed("fast", 3, 3), timed("slow", 5, 5), timed("near", 3.5, 3.5)}
	drop(all, 1.3)
	for i, want := range []bool{false, false, true, false} {
		if all[i].out != want {
			t.Errorf("%s is out: %t", all[i].Algorithm, all[i].out)
		}
	}
}

// What the model takes is kept unless another is surely faster; among those, what the size before took, or the simplest.
func TestNewResult(t *testing.T) {
	model := timed("model", 10, 20, 10, 20) // the machine's speed drifts
	out := timed("out", 1)
	out.out = true
	for _, c := range []struct {
		others []candidate
		before string
		want   string
	}{
		{nil, "", "model"},
		{[]candidate{timed("a", 9.8, 19.6, 9.8, 19.6)}, "", "model"}, // noise
		{[]candidate{timed("a", 9, 18, 9, 18)}, "", "a"},
		{[]candidate{timed("a", 2, 25, 12, 2)}, "", "model"}, // not sure
		{[]candidate{timed("a", 8.2, 16.4, 8.2, 16.4), timed("b", 8, 16, 8, 16)}, "", "a"},
		{[]candidate{timed("a", 8.2, 16.4, 8.2, 16.4), timed("b", 8, 16, 8, 16)}, "b", "b"},
		{[]candidate{timed("a", 9, 18, 9, 18), timed("b", 8, 16, 8, 16)}, "a", "b"},
		{[]candidate{out, timed("a", 9, 18, 9, 18)}, "out", "a"},
	} {
		var before *Result
		if c.before != "" {
			before = &Result{Chosen: Measured{Choice: Choice{Algorithm: c.before}}}
		}
		r := newResult(cell{plan.Reduce, 8192}, append([]candidate{model}, c.others...), before)
		if r.Chosen.Algorithm != c.want || r.Model.Algorithm != "model" || r.Model.Ratio != 1 {
			t.Errorf("%v after %q: got %+v, want %s", c.others, c.before, r.Chosen, c.want)
		}
	}
}

func TestTable(t *testing.T) {
	result := func(c plan.Collective, bytes uint64, name string, slice int) Result {
		return Result{collective: c, Bytes: bytes, Chosen: Measured{Choice: Choice{Algorithm: name, Slice: slice}}}
	}
	got := table([]Result{
		result(plan.AllReduce, 8<<10, "direct", 0), result(plan.AllReduce, 16<<10, "direct", 0), result(plan.AllReduce, 32<<10, "direct", 8192),
		result(plan.Reduce, 4<<20, "flat", 0), result(plan.Reduce, 8<<20, "chain", 0), result(plan.Barrier, 0, "binomial", 0),
	}, 4, true)
	var lines []string
	for _, s := range got {
		for _, r := range s.Rows {
			lines = append(lines, fmt.Sprintf("%v: %d-%d %s %d", s.Key, r.First, r.Last, r.Algorithm, r.Slice))
		}
	}
	want := []string{
		"allreduce of 4 ranks, crowded: 13-14 direct 0", "allreduce of 4 ranks, crowded: 15-15 direct 8192",
		"reduce of 4 ranks, crowded: 22-22 flat 0", "reduce of 4 ranks, crowded: 23-64 chain 0", "barrier of 4 ranks, crowded: 0-64 binomial 0",
	}
	if !reflect.DeepEqual(lines, want) {
		t.Errorf("got %q\nwant %q", lines, want)
	}
	if _, err := tune.Parse("file", got.Format("")); err != nil {
		t.Error(err)
	}
}
