package main

import (
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hcomm/plan"
)

func TestBenchCSV(t *testing.T) {
	t.Parallel()
	args := "bench allreduce -n 3 --bind none --max 40K --seconds 0.001 --type int8 --op max --alloc --csv"
	stdout, stderr, status := hcomm(t, strings.Fields(args)...)
	rows, err := csv.NewReader(strings.NewReader(stdout)).ReadAll()
	if status != 0 || stderr != "" || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	var sizes []string
	for _, row := range rows {
		sizes = append(sizes, strings.Join(row[:3], " "))
	}
	want := []string{"collective ranks bytes"}
	for _, size := range []string{"8", "32", "128", "512", "2048", "8192", "32768"} {
		want = append(want, "allreduce 3 "+size)
	}
	if !slices.Equal(sizes, want) {
		t.Errorf("got %q, want %q", sizes, want)
	}
}

func TestBenchJSON(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, strings.Fields("bench broadcast -n 2 --bind none --min 1K --max 1K --seconds 0.001 --json")...)
	var report struct {
		Collective string
		Ranks      int
		Type       string
		Op         *string
		Rows       []struct{ Bytes, Iterations int }
	}
	err := json.Unmarshal([]byte(stdout), &report)
	if status != 0 || stderr != "" || err != nil {
		t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
	}
	if report.Collective != "broadcast" || report.Ranks != 2 || report.Type != "float32" || report.Op != nil || len(report.Rows) != 1 ||
		report.Rows[0].Bytes != 1024 || report.Rows[0].Iterations < 7 {
		t.Errorf("got %s", stdout)
	}
}

func TestBenchTable(t *testing.T) {
	t.Parallel()
	stdout, _, status := hcomm(t, strings.Fields("bench barrier -n 1 --bind none --seconds 0.001")...)
	lines := strings.Split(stdout, "\n")
	if status != 0 || len(lines) != 4 || lines[0] != "barrier, 1 rank" || len(strings.Fields(lines[2])) != 3 {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

// Every collective, by each of its algorithms, is measured and right.
func TestBenchEachAlgorithm(t *testing.T) {
	t.Parallel()
	for _, c := range plan.Collectives() {
		for _, b := range plan.Builders(c) {
			args := []string{"bench", lower(c), "-n", "3", "--bind", "none", "--seconds", "0.001", "--algo", strings.ToUpper(b.Name), "--json"}
			if c != plan.Barrier {
				args = append(args, "--min", "1K", "--max", "64K")
			}
			stdout, stderr, status := hcomm(t, args...)
			var report struct {
				Collective, Algorithm string
				Rows                  []struct{ Bytes int }
			}
			err := json.Unmarshal([]byte(stdout), &report)
			if status != 0 || stderr != "" || err != nil || report.Collective != lower(c) || report.Algorithm != b.Name || len(report.Rows) == 0 {
				t.Errorf("%v: status %d, stderr %q, %v, stdout %s", args, status, stderr, err, stdout)
			}
		}
	}
}

// Where a buffer has a block for each rank, it is the buffer that has the usual size at most.
func TestBenchBlocks(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, strings.Fields("bench alltoall -n 3 --bind none --min 8M --seconds 0.001")...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != 0 || stderr != "" || len(lines) != 3 || !strings.HasPrefix(lines[1], " block bytes ") ||
		!strings.HasPrefix(lines[2], "     8388608 ") {
		t.Errorf("status %d, stderr %q, stdout %s", status, stderr, stdout)
	}
}

func TestBenchWrongUse(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"":                                         "which collective? Say allreduce, broadcast, barrier, reduce",
		"-n 2":                                     "which collective? Say allreduce, broadcast, barrier, reduce",
		"scan":                                     `"scan" is no collective; there are allreduce, broadcast, barrier, reduce`,
		"allreduce barrier -n 2":                   "takes one collective, not 2",
		"barrier":                                  "how many ranks?",
		"barrier -n 0":                             "-n is 0",
		"allreduce -n 2 --min x":                   `--min: "x" is no size`,
		"allreduce -n 2 --max 1.5M":                `--max: "1.5M" is no size`,
		"allreduce -n 2 --min 2":                   "--min is 2 bytes",
		"allreduce -n 2 --type float":              `--type is "float"; it must be one of int8, uint8`,
		"allreduce -n 2 --op add":                  `--op is "add"; it must be one of sum, prod`,
		"allreduce -n 2 --op xor":                  `--op is "xor", which is for integers only, but --type is float32`,
		"broadcast -n 2 --op sum":                  "--op has no meaning for broadcast",
		"gather -n 2 --op sum":                     "--op has no meaning for gather",
		"reduce -n 2 --op xor":                     `--op is "xor", which is for integers only`,
		"reduce -n 2 --algo bruck":                 `--algo: Reduce has no algorithm "bruck"; it has flat, `,
		"barrier -n 2 --op sum":                    "--op has no meaning for barrier",
		"barrier -n 2 --type int8":                 "--type has no meaning for barrier",
		"barrier -n 2 --min 8":                     "--min has no meaning for barrier",
		"barrier -n 2 --max 8":                     "--max has no meaning for barrier",
		"barrier -n 2 --alloc":                     "--alloc has no meaning for barrier",
		"allreduce -n 2 --csv --json":              "--csv and --json exclude each other",
		"allreduce -n 2 --seconds NaN":             "--seconds is NaN",
		"allreduce -n 4096 --bind core --max 1024": "--bind core needs a CPU",
	} {
		if _, stderr, status := hcomm(t, append([]string{"bench"}, strings.Fields(args)...)...); status != 125 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}
