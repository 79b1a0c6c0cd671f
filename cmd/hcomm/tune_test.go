package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hcomm/cmd/hcomm/tuner"
	"hcomm/tune"
)

// A short look at every collective ends, says what it has found, and writes a table that can be read.
func TestTune(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "table.json")
	stdout, stderr, status := hcomm(t, "tune", "-n", "2", "--bind", "none", "--from", "8K", "--to", "16K", "--seconds", "0.1", "-o", path, "--json")
	var report struct {
		Ranks int
		Rows  []tuner.Result
	}
	err := json.Unmarshal([]byte(stdout), &report)
	if status != 0 || stderr != "" || err != nil || report.Ranks != 2 || len(report.Rows) != 8*2+1 {
		t.Fatalf("status %d, stderr %q, %v, stdout %s", status, stderr, err, stdout)
	}
	for _, r := range report.Rows {
		if r.Chosen.Time <= 0 || r.Model.Ratio != 1 || r.Chosen.Ratio > 1 || len(r.Candidates) == 0 {
			t.Errorf("%+v", r)
		}
	}
	if table, err := tune.Open(path); err != nil || len(table) != 9 {
		t.Errorf("%v, %v", table, err)
	}
}

func TestTuneTable(t *testing.T) {
	t.Parallel()
	stdout, stderr, status := hcomm(t, strings.Fields("tune -n 3 --bind none --collective broadcast --from 8K --to 16K --seconds 0.05")...)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if status != 0 || !strings.Contains(stderr, "this will take about") || len(lines) != 4 ||
		!strings.HasPrefix(lines[0], "3 ranks") || !strings.HasPrefix(lines[2], "broadcast        8 KiB  ") {
		t.Errorf("status %d, stderr %q, stdout %s", status, stderr, stdout)
	}
}

func TestTuneShow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.json")
	text := `{"version": 1, "tables": [{"collective": "reduce", "ranks": 6, "rows": [
	  {"above_bytes": 64, "up_to_bytes": 4096, "algorithm": "chain", "slice_bytes": 4096}, {"above_bytes": 65536, "algorithm": "double-tree"}]}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	show := func(args ...string) string {
		t.Helper()
		stdout, stderr, status := hcomm(t, append([]string{"tune", "--show", "--json", "--collective", "reduce"}, args...)...)
		var rows []shownRow
		if err := json.Unmarshal([]byte(stdout), &rows); status != 0 || stderr != "" || err != nil {
			t.Fatalf("status %d, stderr %q, %v", status, stderr, err)
		}
		var lines []string
		for _, r := range rows {
			if r.Ranks == 6 && !r.Crowded {
				b, _ := json.Marshal(r)
				lines = append(lines, strings.NewReplacer(`"`, "", path, "FILE").Replace(string(b)))
			}
		}
		return strings.Join(lines, "\n")
	}
	const head = "{collective:reduce,ranks:6,crowded:false,above_bytes:"
	t.Setenv("HCOMM_TUNE_FILE", path)
	if got, want := show(), head+"64,up_to_bytes:4096,algorithm:chain,slice_bytes:4096,origin:FILE}\n"+
		head+"65536,algorithm:double-tree,origin:FILE}"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got := show("-n", "6")
	for _, want := range []string{
		head + "0,up_to_bytes:64,algorithm:flat,origin:model}\n",
		head + "64,up_to_bytes:4096,algorithm:chain,slice_bytes:4096,origin:FILE}\n",
		",up_to_bytes:65536,algorithm:scatter-gather,origin:model}\n",
		head + "65536,algorithm:double-tree,origin:FILE}",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is not in:\n%s", want, got)
		}
	}
	t.Setenv("HCOMM_DETERMINISTIC", "1")
	if got := show("-n", "6"); strings.Contains(got, "double-tree") || !strings.Contains(got, "chain,slice_bytes:4096,origin:FILE") {
		t.Errorf("deterministic: %s", got)
	}
	t.Setenv("HCOMM_ALGO", "Reduce:chain")
	if got, want := show("-n", "6"), head+"0,algorithm:chain,origin:HCOMM_ALGO}"; got != want {
		t.Errorf("forced: got %s, want %s", got, want)
	}
}

func TestTuneWrongUse(t *testing.T) {
	t.Parallel()
	broken := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(broken, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	for args, want := range map[string]string{
		"":                                "how many ranks?",
		"-n 1":                            "one rank has nothing to choose from",
		"-n 2 allreduce":                  `"allreduce": only flags may follow`,
		"-n 2 --collective scan":          `--collective: "scan" is no collective`,
		"-n 2 --from 3K":                  `--from: "3K" is no power of two`,
		"-n 2 --to 2":                     `--to: "2" is no power of two of 4 bytes or more`,
		"-n 2 --from 64K --to 8K":         "--to is 8192 bytes and --from 65536; it must not be less",
		"-n 2 --to 4096G":                 "--to is 4 TiB, and the 2 ranks' buffers",
		"-n 2 --collective ,":             `--collective: "" is no collective`,
		"-n 2 --collective reduce,Reduce": "--collective: reduce is there twice",
		"-n 2 --seconds 0":                "--seconds is 0",
		"-n 2 -o " + broken:               "broken:1: this is no JSON",
		"-n 2 -o /nonexistent/table.json": "no such file or directory",
		"--show --seconds 5":              "--seconds has no meaning with --show",
		"--show -n 5000":                  "-n is 5000; it must be 2 to 4096",
	} {
		if _, stderr, status := hcomm(t, append([]string{"tune"}, strings.Fields(args)...)...); status != 125 || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, stderr %q, want %q", args, status, stderr, want)
		}
	}
}
