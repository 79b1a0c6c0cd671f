package main

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// simJSON runs hcomm sim, and reads its rows.
func simJSON(t *testing.T, args string) []simulated {
	t.Helper()
	stdout, stderr, status := hcomm(t, append([]string{"sim", "--json"}, strings.Fields(args)...)...)
	var rows []simulated
	if err := json.Unmarshal([]byte(stdout), &rows); status != 0 || stderr != "" || err != nil {
		t.Fatalf("%s: status %d, stderr %q, %v, stdout %s", args, status, stderr, err, stdout)
	}
	return rows
}

// A ring of 8 on one switch takes 2(n-1) hops, of two links each.
func TestSimRing(t *testing.T) {
	t.Parallel()
	rows := simJSON(t, "--topology zones:8,bandwidth=1GB,latency=1us --algo ring --bytes 1M --processors ideal --slice 0")
	want := 14 * (2e-6 + (1<<20)/8/1e9)
	if len(rows) != 1 || math.Abs(rows[0].Seconds-want) > 1e-9*want {
		t.Fatalf("got %+v, want %v seconds", rows, want)
	}
	r := rows[0]
	if r.Collective != "allreduce" || r.Algorithm != "ring" || r.Order != "rank" || r.Lanes != 1 || r.Ranks != 8 || r.Bytes != 1<<20 ||
		r.Messages != 8*14 || r.Sent != 14<<20 || r.Traversals != (simTraversals{2, 0}) || r.Busiest == nil || r.Busiest.Bytes != 14<<17 ||
		len(r.LaneTimes) != 1 || r.LaneTimes[0] != r.Seconds {
		t.Errorf("got %+v", r)
	}
}

// Bytes are whole numbers, also where what a rank sends is no whole number of them.
func TestSimBytesAreWhole(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, strings.Fields("sim --json --topology zones:3 --algo ring --bytes 1M")...)
	for _, want := range []string{`"sent_bytes": 4194304,`, `"bytes": 1398101` + "\n"} { // 1 MiB in thirds: four from each
		if !strings.Contains(stdout, want) {
			t.Errorf("no %s in: status %d, stderr %q, stdout %s", want, status, stderr, stdout)
		}
	}
}

// Lists and ranges make a row for each combination, in order.
func TestSimTable(t *testing.T) {
	t.Parallel()
	args := strings.Fields("sim --topology fattree:k=4 --algo ring,chain --collective reduce --root 1 --bytes 1K,4K..8K --ranks 4..16 --order rank,random:3,ring")
	if _, stderr, status := hcomm(t, args...); status != 125 || !strings.Contains(stderr, `Reduce has no algorithm "ring"`) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
	args[4] = "binomial,chain"
	stdout, stderr, status := hcomm(t, args...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != 0 || stderr != "" || len(lines) != 1+3*3*2*3 {
		t.Fatalf("status %d, stderr %q, %d lines:\n%s", status, stderr, len(lines), stdout)
	}
	for i, want := range map[int]string{
		0: "algorithm order lanes ranks bytes time traversals trunk messages busiest",
		1: "reduce:binomial rank 1 4 1 KiB ", 2: "reduce:binomial rank 1 4 4 KiB", 3: "reduce:binomial rank 1 4 8 KiB",
		4: "reduce:chain rank 1 4 1 KiB", 7: "reduce:binomial random:3 1 4", 13: "reduce:binomial ring 1 4", 54: "reduce:chain ring 1 16 8 KiB",
	} {
		if line := strings.Join(strings.Fields(lines[i]), " "); !strings.HasPrefix(line, want) {
			t.Errorf("line %d is %q, not %q", i, line, want)
		}
	}
	if again, _, _ := hcomm(t, args...); again != stdout {
		t.Error("a second run says something else")
	}
}

// The order ring is the one that is built: in two zones it is faster than any, and goes over fewer links.
func TestSimOrders(t *testing.T) {
	t.Parallel()
	rows := simJSON(t, "--topology zones:8+8 --algo ring --bytes 1M --order ring,random,random:1,random:2")
	if len(rows) != 4 || rows[0].Seconds > 0.61*rows[1].Seconds || rows[0].Traversals.Trunk != 2./16 {
		t.Errorf("got %+v", rows)
	}
	if rows[1].Seconds != rows[2].Seconds || rows[1].Seconds == rows[3].Seconds {
		t.Errorf("the seeds say nothing: %+v", rows)
	}
}

// Several ranks of a host pass data on inside it.
func TestSimPerHost(t *testing.T) {
	t.Parallel()
	rows := simJSON(t, "--topology zones:4 --algo ring --bytes 1M --per-host 2 --ranks 8,2")
	if len(rows) != 2 || rows[0].Traversals.All != 1 || rows[1].Traversals.All != 0 {
		t.Errorf("got %+v", rows)
	}
	rows = simJSON(t, "--topology zones:4 --collective barrier --algo dissemination")
	if len(rows) != 1 || rows[0].Ranks != 4 || rows[0].Sent != 0 || rows[0].Messages != 8 || rows[0].Seconds == 0 {
		t.Errorf("a barrier: %+v", rows)
	}
}

// Lanes go over rails of their own: two take half the time of one.
func TestSimLanes(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"rank", "ring", "random"} {
		rows := simJSON(t, "--topology fattree:k=4,rails=2 --algo ring --bytes 64M --processors ideal --order "+order)
		two := simJSON(t, "--topology fattree:k=4,rails=2 --algo ring --bytes 64M --processors ideal --lanes rails --order "+order)
		if order != "random" && math.Abs(two[0].Seconds/rows[0].Seconds-0.5) > 0.01 || len(two[0].LaneTimes) != 2 || two[0].Lanes != 2 {
			t.Errorf("order %s: %+v, and one lane %+v", order, two, rows)
		}
	}
}

func TestSimSVG(t *testing.T) {
	t.Parallel()
	for args, want := range map[string][]string{
		"--bytes 1K..1M --ranks 4,8": {">allreduce on 2 zones<", ">ring, 4 ranks<", ">ring, 8 ranks<", ">bytes<", ">1 MiB<"},
		"--bytes 1K..1M --ranks 4":   {">allreduce on 2 zones, 4 ranks<", ">ring<"},
		"--bytes 1M --ranks 2..8":    {">allreduce of 1 MiB on 2 zones<", ">ring<", ">ranks<", ">8<"},
	} {
		all := append(strings.Fields("sim --topology zones:4+4 --algo ring --svg"), strings.Fields(args)...)
		stdout, stderr, status := hcomm(t, all...)
		d := xml.NewDecoder(strings.NewReader(stdout))
		var err error
		for err == nil {
			_, err = d.Token()
		}
		if status != 0 || stderr != "" || !errors.Is(err, io.EOF) {
			t.Errorf("%s: status %d, stderr %q, %v", args, status, stderr, err)
		}
		for _, word := range want {
			if !strings.Contains(stdout, word) {
				t.Errorf("%s: there is no %q in %.300s", args, word, stdout)
			}
		}
	}
}

func TestSimExport(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	stdout, stderr, status := hcomm(t, append(strings.Fields("sim --topology zones:2+2 --algo ring --bytes 1K --export simgrid"), dir)...)
	if status != 0 || stderr != "" || !strings.Contains(stdout, "allreduce:ring") {
		t.Errorf("status %d, stderr %q, stdout %s", status, stderr, stdout)
	}
	if _, err := os.Stat(filepath.Join(dir, "platform.xml")); err != nil {
		t.Error(err)
	}
}

func TestSimWrongUse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "one.json")
	if err := os.WriteFile(file, []byte(`{"hosts": []}`), 0o666); err != nil {
		t.Fatal(err)
	}
	zones, ring := "--topology zones:4+4 ", "--topology zones:4+4 --algo ring --bytes 1M "
	for args, want := range map[string]string{
		"":                           "--topology is missing (see: hcomm sim --help)",
		"--topology zones:8":         "--algo is missing",
		zones + "--bytes 1M --algo=": "--algo names no algorithm",
		ring + "--order= --svg":      "--order names no order",
		"--topology zones:16384 --algo direct --bytes 1M": "lane 0: more than 16777216 pairs of ranks would send to each other",
		zones + "--algo ring":                             "--bytes is missing",
		ring + "--collective add":                         `--collective: "add" is no collective`,
		zones + "--algo add --bytes 1":                    `--algo: AllReduce has no algorithm "add"; it has direct`,
		ring + "--root 1":                                 "--root has no meaning for allreduce",
		ring + "--json --svg":                             "--json and --svg exclude each other",
		ring + "--ranks 1,2,3,4,5,6,7,8 --bytes 1,2 --order rank,ring --svg": "--svg would draw 16 curves; nobody could tell more than 8 apart",
		ring + "more":                             `"more": only flags may follow`,
		ring + "--export simgrid":                 "--export simgrid needs the name of one folder, and 0 follow",
		ring + "--export ns3 dir":                 `--export is "ns3"; it must be simgrid`,
		ring + "--export simgrid --ranks 2,4 dir": "--export writes one simulation; these would be 2",
		ring + "--lanes 0":                        `--lanes is "0"; it must be a number from 1 on, rails or numa`,
		ring + "--order up":                       `--order is "up"; it must be rank, random, random:SEED or ring`,
		ring + "--order rank:1":                   `--order is "rank:1"; it must be`,
		ring + "--order random:x":                 `--order is "random:x"; a seed must be a whole number`,
		ring + "--processors gpu":                 `--processors is "gpu"; it must be host or ideal`,
		ring + "--slice 1":                        "--slice is 1 bytes; it must be 64 or more, or 0",
		ring + "--grain -1":                       "--grain is -1; it must be in seconds, 0 or more",
		ring + "--ranks 9":                        "--ranks is 9; the 8 hosts with 1 on each hold 8",
		ring + "--ranks 4..2":                     `--ranks is "4..2"; it must be 1 to 16384, and a range from the smaller number`,
		ring + "--ranks two":                      `--ranks: "two" is no whole number`,
		ring + "--per-host 0":                     "--per-host is 0; it must be 1 to 16384",
		ring + "--bytes 1X":                       `--bytes: "1X" is no size`,
		zones + "--collective barrier --algo direct --bytes 1":                             "--bytes has no meaning for a barrier",
		zones + "--collective reduce --algo flat --bytes 1 --root 8":                       "--root is 8; with --ranks 8 it must be 0 to 7",
		"--algo ring --bytes 1M --topology nowhere:3":                                      `"nowhere" is none of fattree, rails`,
		"--algo ring --bytes 1M --topology " + file:                                        "there are no hosts",
		ring + "--bytes 1..1G --ranks 1..8 --order " + strings.Repeat("ring,", 9) + "rank": "these would be 1240 simulations; 1000 are allowed",
	} {
		if stdout, stderr, status := hcomm(t, append([]string{"sim"}, strings.Fields(args)...)...); status != 125 || stdout != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}

// On a terminal a line says how far it is, and goes when it is done.
func TestSimProgress(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	p := simProgress{progress: progress{w: &out}, of: 2}
	p.begin("one")
	p.show(0.001)
	p.show(0.5)
	p.begin("two")
	p.clear()
	const line = "\r\x1b[K"
	if want := line + "  1 of 2: one: 0 %" + line + "  1 of 2: one: 50 %" + line + "  2 of 2: two: 0 %" + line; out.String() != want {
		t.Errorf("%q, not %q", out.String(), want)
	}
}
