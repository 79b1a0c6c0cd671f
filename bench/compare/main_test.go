package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcomm/bench/compare/results"
)

func TestDefaultIsWhatTheHelpSays(t *testing.T) {
	keys, err := (&flags{}).keys()
	if err != nil || len(keys) != len(collectives)+2 {
		t.Fatalf("%v, %v", keys, err)
	}
	full, err := (&flags{full: true}).keys()
	// Messages among 2 only, barriers in one memory only.
	if want := 3*3*6 + 3 + 3; err != nil || len(full) != want {
		t.Errorf("%d, not %d: %v, %v", len(full), want, full, err)
	}
	for _, k := range keys {
		found := false
		for _, f := range full {
			found = found || f == k
		}
		if !found {
			t.Errorf("%v is not in the full run", k)
		}
	}
	preload, err := (&flags{preload: true}).keys()
	if err != nil || len(preload) != 8 || slices.ContainsFunc(preload, func(k results.Key) bool { return k.Collective == "message" || k.Ranks != 2 || k.Memory != "malloc" }) {
		t.Errorf("%v, %v", preload, err)
	}
	some, err := (&flags{collectives: []string{"reduce", "message"}, ranks: []int{4}}).keys()
	if err != nil || len(some) != 1 || some[0] != (results.Key{Collective: "reduce", Ranks: 4, Memory: "malloc"}) {
		t.Errorf("%v, %v", some, err)
	}
}

func TestWrongCommandLines(t *testing.T) {
	for line, want := range map[string]string{
		"--collectives sum":                 `--collectives has "sum"; there are: all, allreduce`,
		"--memory gpu":                      `--memory has "gpu"`,
		"--ranks 0":                         "--ranks has 0",
		"--ranks 4 --collectives message":   "between 2 ranks only",
		"--preload --memory register":       `--memory has "register"; there are: all, malloc, alloc`,
		"--preload --collectives message":   `--collectives has "message"`,
		"--collectives iallreduce":          `--collectives has "iallreduce"`,
		"--peers nccl":                      `--peers has "nccl"`,
		"--min 3":                           `--min is "3"`,
		"--max 2G":                          `--max is "2G"`,
		"--min 9000000000000000000K":        "--min",
		"--min 1M --max 64K":                "--max 64K is less than --min 1M",
		"--rounds 0":                        "--rounds is 0",
		"--seconds NaN":                     "--seconds is NaN",
		"--timeout 0s":                      "--timeout is 0s",
		"--rounds x":                        "--rounds",
		"--nonsense":                        "--nonsense",
		"more":                              `"more"`,
		"--collectives allreduce --full=no": "--full",
	} {
		cmd := newCommand()
		cmd.SetArgs(strings.Fields(line))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		err := cmd.ExecuteContext(context.Background())
		if _, usage := errors.AsType[errUsage](err); !usage || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %s", line, err, want)
		}
	}
}

func TestOutsideTheSources(t *testing.T) {
	t.Chdir(t.TempDir())
	cmd := newCommand()
	cmd.SetArgs(nil)
	err := cmd.ExecuteContext(context.Background())
	if _, usage := errors.AsType[errUsage](err); !usage || !strings.Contains(err.Error(), "bench/yardstick.c") {
		t.Errorf("%v", err)
	}
}

// Without the library that is preloaded nothing is measured, and what is missing is named.
func TestPreloadNeedsItsLibrary(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"bench/yardstick.c", "build/bin/hcomm"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	cmd := newCommand()
	cmd.SetArgs([]string{"--preload"})
	err := cmd.ExecuteContext(context.Background())
	if _, usage := errors.AsType[errUsage](err); !usage || !strings.Contains(err.Error(), "there is no build/lib/libhcomm_mpi.so") {
		t.Errorf("%v", err)
	}
}

// --from shows what was measured, and writes nothing that nobody asked for.
func TestFrom(t *testing.T) {
	var out strings.Builder
	cmd := newCommand()
	cmd.SetArgs([]string{"--from", "show/testdata", "--json"})
	cmd.SetOut(&out)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		t.Fatal(err)
	}
	var said struct {
		Machine  struct{ Processor string }
		Sections []results.Section
		Failures []any
	}
	if err := json.Unmarshal([]byte(out.String()), &said); err != nil {
		t.Fatal(err)
	}
	if said.Machine.Processor == "" || len(said.Sections) != 6 || said.Failures == nil || said.Sections[0].Lines[0].Ratio.Pairs == 0 {
		t.Errorf("%+v", said)
	}
	if _, err := os.Stat("build"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("build: %v", err)
	}
}

func TestLscpu(t *testing.T) {
	for _, said := range []string{
		`{"lscpu": [{"field": "Model name:", "data": "A"}, {"field": "L2 cache:", "data": "2 MiB"}]}`,
		`{"lscpu": [{"field": "Vendor ID:", "data": "V", "children": [{"field": "Model name:", "data": "A"}]}, {"field": "L2 cache:", "data": "2 MiB"}]}`,
	} {
		if cpu := lscpu([]byte(said)); cpu["Model name"] != "A" || cpu["L2 cache"] != "2 MiB" {
			t.Errorf("%s: %v", said, cpu)
		}
	}
	if cpu := lscpu([]byte("lscpu: unknown option")); len(cpu) != 0 {
		t.Errorf("%v", cpu)
	}
}
