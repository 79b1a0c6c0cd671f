//go:build cgo

package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"hcomm/simd"
)

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		list []float64
		want float64
	}{{[]float64{3}, 3}, {[]float64{5, 1}, 3}, {[]float64{9, 1, 2}, 2}, {[]float64{8, 1, 4, 2}, 3}} {
		if got := median(c.list); got != c.want {
			t.Errorf("%v: got %v, want %v", c.list, got, c.want)
		}
	}
	list := []float64{3, 1, 2}
	median(list)
	if list[0] != 3 {
		t.Errorf("the list was sorted: %v", list)
	}
}

// The ratio is that of speeds, in pairs: its median is not the ratio of the medians.
func TestResults(t *testing.T) {
	p := &pair{mine: &contender{name: "hcomm"}, other: &contender{name: "gcc"}}
	p.mineTimes, p.otherTimes = []float64{1, 2, 8}, []float64{4, 2, 16}
	c := &contest{what: "reduce", typ: "int8", op: "sum", bytes: 64, pairs: []*pair{p}}
	want := result{"reduce", "int8", "sum", 64, "hcomm", "gcc", 0.5, 0.25, 2, 1, 4, 3}
	if got := c.results(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

var some = []result{
	{"reduce", "int8", "sum", 1 << 20, "hcomm", "gcc", 30, 9.999, 3.0003, 2.5, 3.5, 11},
	{"reduce", "float16", "sum", 1 << 20, "hcomm", "gcc", 20, 2, 10, 9, 11, 11},
	{"reduce", "float16", "sum", 1 << 20, "hcomm", "intrinsics", 21, 22, 0.95, 0.9, 1, 11},
	{"reduce", "int8", "sum", 64 << 20, "hcomm", "gcc", 7, 8, 0.875, 0.8, 0.9, 11},
	{"reduce", "int8", "sum", 64 << 20, "stream", "gcc", 9, 8, 1.125, 1.1, 1.2, 11},
}

func TestTables(t *testing.T) {
	for _, c := range []struct {
		name  string
		write func(*bytes.Buffer) error
		want  string
	}{
		{"text", func(b *bytes.Buffer) error { return writeText(b, some) }, `
reductions; buffers of 1 MiB, 64 KiB at a time
type     op   hcomm   gcc           hcomm/gcc  hcomm/intrinsics
int8     sum   30.0  10.0    3.00 (2.50-3.50)
float16  sum   20.0  2.00  10.00 (9.00-11.00)  0.95 (0.90-1.00)

reductions; buffers of 64 MiB, 64 KiB at a time
type  op   hcomm   gcc  stream         hcomm/gcc        stream/gcc
int8  sum   7.00  8.00    9.00  0.88 (0.80-0.90)  1.12 (1.10-1.20)
`},
		{"markdown", func(b *bytes.Buffer) error { return writeMarkdown(b, some[2:]) }, `
Reductions; buffers of 1 MiB, 64 KiB at a time:

| type | op | hcomm | intrinsics | hcomm/intrinsics |
|---|---|---:|---:|---:|
| float16 | sum | 21.0 | 22.0 | 0.95 (0.90-1.00) |

Reductions; buffers of 64 MiB, 64 KiB at a time:

| type | op | hcomm | gcc | stream | hcomm/gcc | stream/gcc |
|---|---|---:|---:|---:|---:|---:|
| int8 | sum | 7.00 | 8.00 | 9.00 | 0.88 (0.80-0.90) | 1.12 (1.10-1.20) |
`},
		{"CSV", func(b *bytes.Buffer) error { return writeCSV(b, some[:1]) }, `what,type,op,bytes,mine,other,mine_gbps,other_gbps,ratio,lowest,highest,rounds
reduce,int8,sum,1048576,hcomm,gcc,30.000,9.999,3.000,2.500,3.500,11
`},
	} {
		var b bytes.Buffer
		if err := c.write(&b); err != nil || b.String() != c.want {
			t.Errorf("%s: %v; got\n%s\nwant\n%s", c.name, err, &b, c.want)
		}
	}
}

func TestJSON(t *testing.T) {
	var b bytes.Buffer
	var back []result
	if err := writeJSON(&b, some); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &back); err != nil || len(back) != len(some) || back[2] != some[2] {
		t.Errorf("%v: got %+v", err, back)
	}
}

func TestFlags(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--types float", `--types has "float"; there are: all, int8, `},
		{"--ops plus", `--ops has "plus"; there are: all, sum, `},
		{"--what nothing", `--what has "nothing"; there are: all, reduce, `},
		{"--what=", "--what is empty"},
		{"--rounds 0", "--rounds is 0; it must be at least 1"},
		{"--mib 0", "--mib has 0"},
		{"--csv --json", "csv json"},
		{"stray", "stray"},
	} {
		cmd := newCommand()
		cmd.SetArgs(strings.Fields(c.args))
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
}

// One round of all that there is, on buffers of several pieces: each pair is in the results, with figures above 0.
func TestSeries(t *testing.T) {
	compiledForThis(t)
	s := series{types: allTypes, ops: simd.Ops(), sizes: []int{3 * piece}, rounds: 1}
	for _, k := range kinds {
		s.what = append(s.what, k.name)
	}
	results, err := s.run()
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := writeCSV(&b, results); err != nil {
		t.Fatal(err)
	}
	if rows, err := csv.NewReader(&b).ReadAll(); err != nil || len(rows) != len(results)+1 {
		t.Errorf("%d rows of CSV for %d results: %v", len(rows), len(results), err)
	}
	pairs := map[string]int{}
	for _, r := range results {
		pairs[r.What+" "+r.Mine+"/"+r.Other]++
		if r.MineGBps <= 0 || r.OtherGBps <= 0 || r.Ratio <= 0 || r.Rounds != 1 {
			t.Errorf("%+v", r)
		}
	}
	want := map[string]int{
		"reduce hcomm/gcc": 8*10 + 6*4, "reduce hcomm/plain": 2 * 2, "reduce hcomm/twin": 2 * 4,
		"fused hcomm/gcc": 8*10 + 6*4, "fused hcomm/apart": 8*10 + 6*4,
		"scale hcomm/gcc": 6, "convert hcomm/gcc": 2 * 4, "copy hcomm/memcpy": 1, "crc hcomm/gcc": 1,
	}
	for _, typ := range []string{"float16", "bfloat16"} {
		if intrinsics(typ) != nil {
			want["reduce hcomm/intrinsics"] += 4
			want["convert hcomm/intrinsics"] += 2
		}
	}
	for pair, n := range want {
		if pairs[pair] != n {
			t.Errorf("%s: %d results, want %d", pair, pairs[pair], n)
		}
	}
	if len(pairs) != len(want) {
		t.Errorf("got %v, want %v", pairs, want)
	}
}

// A contender with another result is found before anything is measured.
func TestVerify(t *testing.T) {
	m, err := newMemory(3 * piece)
	if err != nil {
		t.Fatal(err)
	}
	defer m.free()
	for _, c := range []struct {
		fused bool
		wrong func(dst, dst2 []byte)
	}{{false, func(dst, _ []byte) { dst[7] ^= 1 }}, {true, func(_, dst2 []byte) { dst2[7] ^= 1 }}} {
		o := m.cut(3*piece, 4, 4)
		if c.fused {
			o.dst2 = m.dst2[:len(o.dst)]
		}
		k := kernelFor(simd.Int32, simd.Sum)
		good := o.each(func(dst, dst2, a, b []byte) {
			k.reduce(dst, a, b)
			copy(dst2, dst)
		})
		test := &contest{what: "reduce", typ: "int32", op: "sum", fill: simd.Int32, operands: o}
		test.against(test.add("hcomm", good), test.add("gcc", func(from, count int) {
			good(from, count)
			if from+count == o.pieces {
				c.wrong(o.dst[2*piece:], o.dst2[min(2*piece, len(o.dst2)):])
			}
		}))
		err := test.measure(m, 1, 0)
		if want := "reduce int32 sum: at byte 131079 of 196608, gcc has"; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
