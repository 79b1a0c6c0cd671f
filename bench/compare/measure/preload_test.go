package measure

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"hcomm/bench/compare/results"
)

// Both rows of a turn have the name of the one that hcomm serves.
func TestPreloadTurns(t *testing.T) {
	fake(t, "")
	plain := shell(`echo "reduce,2,8,1,1,2,,0,0"`)
	plain.Name, plain.Variant = "mpich", "tuned"
	m := Measurement{Pairs: []Pair{{plain.preloaded("/x/libhcomm_mpi.so"), plain}}, Progress: func(Step) {}, Options: Options{
		Keys: []results.Key{{Collective: "reduce", Ranks: 2, Memory: "malloc"}}, Rounds: 2, Seconds: 0.01, Least: 8,
		Limit: 20 * time.Second, Processors: 2}}
	m.Run(t.Context())
	var got []string
	for _, r := range m.Rows {
		if r.Pair != "mpich-tuned-preload" || r.Key().Under != "mpich" {
			t.Errorf("%+v", r)
		}
		got = append(got, results.Name(r.Library, r.Variant))
	}
	if want := []string{"mpich-tuned-preload", "mpich-tuned", "mpich-tuned-preload", "mpich-tuned"}; !slices.Equal(got, want) || len(m.Failures) != 0 {
		t.Errorf("%v, %v", got, m.Failures)
	}
}

// The program has the library preloaded, in the newer Debian from where that sees it.
func TestPreloadCommand(t *testing.T) {
	l := Library{Name: "openmpi", start: func(int, bool) []string { return []string{"mpirun"} }}
	for path, within := range map[string][]string{"/x/libhcomm_mpi.so": nil, "/bench/preload/libhcomm_mpi.so": {"inside"}} {
		l.within = within
		got := l.preloaded("/x/libhcomm_mpi.so")
		if command := strings.Join(got.start(2, true), " "); command != "env LD_PRELOAD="+path+" HCOMM_MPI_AFTER=8 mpirun" || got.Variant != results.Preload {
			t.Errorf("%s as %s", command, got.Title())
		}
	}
}

// A program whose calls are not served is not measured.
func TestPreloadMustServe(t *testing.T) {
	row := `echo "allreduce,2,8,1,1,2,,0,0"; `
	for line, want := range map[string]string{
		row + `test "$HCOMM_MPI_REPORT" = 1 && echo "hcomm: allreduce    0-127    12   8   0.1 first calls" >&2`: "",
		row: "openmpi-preload: its report has no call that was served",
		row + `echo "hcomm: allreduce    0-127    0   20   0.1 not started" >&2`: "no call that was served\n    hcomm: allreduce",
		"echo broken >&2; exit 1": "openmpi-preload: exit status 1\n    broken",
	} {
		fake(t, "")
		l := shell(line)
		l.Name, l.Variant = "openmpi", results.Preload
		err := l.serves(t.Context())
		if (err == nil) != (want == "") || (err != nil && !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, not %s", line, err, want)
		}
	}
}

// hcomm serves the yardstick of each MPI that is here.
func TestPreloadServesTheYardstick(t *testing.T) {
	t.Chdir("../../..")
	if _, err := os.Stat(Preload); err != nil {
		t.Skip("there is no ", Preload)
	}
	for _, m := range mpis {
		variants, missing := m.here()
		if missing != "" {
			t.Log(missing)
			continue
		}
		// A folder of its own, for somebody may measure.
		l := variants[0]
		l.program = t.TempDir() + "/yardstick"
		l.build = []string{"mpicc." + m.name, "-O1", source, "-o", l.program}
		if err := l.compile(t.Context()); err != nil {
			t.Fatal(err)
		}
		p, err := pairWith(l)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Mine.serves(t.Context()); err != nil {
			t.Error(err)
		}
		if err := p.Other.serves(t.Context()); err == nil {
			t.Errorf("%s is served without the library", l.Title())
		}
		off := p.Mine
		off.env = append(off.env, "HCOMM_MPI=off")
		if err := off.serves(t.Context()); err == nil {
			t.Errorf("%s is served though it is off", l.Title())
		}
	}
}

func TestPreloadNeedsAnMPI(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	said := 0
	_, err := FindPreload(context.Background(), Peers(), false, func(string) { said++ })
	if err == nil || !strings.Contains(err.Error(), "no MPI") || said != len(mpis) {
		t.Errorf("%v, after %d sentences", err, said)
	}
}
