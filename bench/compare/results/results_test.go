package results

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

// at makes a row of an allreduce of 8 bytes.
func at(round int, pair, library, variant string, us, flag float64) Row {
	return Row{Round: round, Pair: pair, Library: library, Variant: variant, Collective: "allreduce", Ranks: 2, Memory: "malloc",
		Bytes: 8, Median: us, Min: us, P99: us, FlagBefore: flag, FlagAfter: flag}
}

func TestRowsComeBackFromCSV(t *testing.T) {
	rows := []Row{at(1, "mpich-tuned", "mpich", "tuned", 1.234, 45.6), at(2, "direct", "direct", "slots", 0.08, 0)}
	rows[0].FlagAfter, rows[1].Bytes = 190.5, 1<<25
	var b bytes.Buffer
	if err := Write(&b, rows); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&b)
	if err != nil || !slices.Equal(got, rows) {
		t.Errorf("read %v, %v; written was %v", got, err, rows)
	}
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	good := strings.Join(header, ",") + "\n"
	for text, want := range map[string]string{
		"": "line 1", "a,b\n": "line 1",
		good + "1,p,l,,c,2,m,8,x,1,1,0,0\n":   `line 2: median_us is "x"`,
		good + "1,p,l,,c,2,m,8,NaN,1,1,0,0\n": `line 2: median_us is "NaN"`,
		good + "1,p,l,,c,2,m,8,-1,1,1,0,0\n":  `line 2: median_us is "-1"`,
		good + "1,p,l,,c,z,m,8,1,1,1,0,0\n":   `line 2: ranks is "z"`,
	} {
		if _, err := Read(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %s", text, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	row, err := Parse(strings.Split("allreduce,4,128,1.500,1.000,2.250,slots,45.5,190.0", ","))
	want := Row{Variant: "slots", Collective: "allreduce", Ranks: 4, Bytes: 128, Median: 1.5, Min: 1, P99: 2.25, FlagBefore: 45.5, FlagAfter: 190}
	if err != nil || row != want {
		t.Errorf("%+v, %v; want %+v", row, err, want)
	}
	for _, line := range []string{"allreduce,4,128,1,1,2", "allreduce,four,128,1,1,2,,0,0", "allreduce,4,128,1,1,inf,,0,0"} {
		if _, err := Parse(strings.Split(line, ",")); err == nil {
			t.Errorf("%q is taken", line)
		}
	}
}

func TestMedian(t *testing.T) {
	for want, list := range map[float64][]float64{3: {3}, 2: {3, 1}, 5: {9, 1, 5}, 4: {1, 3, 5, 100}} {
		if got := median(list); got != want {
			t.Errorf("of %v: %g, not %g", list, got, want)
		}
	}
}

// The ratio is the median of the ratios of pairs, which is not the ratio of the medians, and of the best peer.
func TestRatioIsOfPairs(t *testing.T) {
	rows := []Row{
		at(1, "mpich", Hcomm, "", 1, 0), at(1, "mpich", "mpich", "", 10, 0),
		at(2, "mpich", Hcomm, "", 9, 0), at(2, "mpich", "mpich", "", 18, 0),
		at(3, "mpich", Hcomm, "", 2, 0), at(3, "mpich", "mpich", "", 8, 0),
		at(1, "openmpi", Hcomm, "", 1, 0), at(1, "openmpi", "openmpi", "", 2, 0),
		at(2, "openmpi", Hcomm, "", 3, 0), at(2, "openmpi", "openmpi", "", 4, 0),
		at(3, "openmpi", Hcomm, "", 9, 0), // the other failed
	}
	s := Sections(rows)
	if len(s) != 1 || s[0].Rounds != 3 || !slices.Equal(s[0].Peers, []string{"mpich", "openmpi"}) || len(s[0].Lines) != 1 {
		t.Fatalf("%+v", s)
	}
	l := s[0].Lines[0]
	if want := (Ratio{0.625, 0.5, 0.75, "openmpi", 2}); l.Ratio != want {
		t.Errorf("%+v, not %+v", l.Ratio, want)
	}
	if l.Near != nil || l.Far != nil || l.Limit.Pairs != 0 {
		t.Errorf("near %v, far %v, limit %v of rows that do not tell", l.Near, l.Far, l.Limit)
	}
	if l.Times[Hcomm] != 2.5 || l.Times["mpich"] != 10 {
		t.Errorf("times %v", l.Times)
	}
}

// What was run with hcomm preloaded is compared with the same variant without; each MPI has a section of its own, apart
// from the one in which hcomm is beside it.
func TestPreloadedIsComparedWithTheSame(t *testing.T) {
	rows := []Row{
		at(1, "mpich", Hcomm, "", 1, 0), at(1, "mpich", "mpich", "", 10, 0),
		at(1, "mpich-preload", "mpich", Preload, 3, 0), at(1, "mpich-preload", "mpich", "", 4, 0),
		at(1, "mpich-tuned-preload", "mpich", "tuned-preload", 1, 40), at(1, "mpich-tuned-preload", "mpich", "tuned", 2, 40),
		at(1, "openmpi-preload", "openmpi", Preload, 5, 0), at(1, "openmpi-preload", "openmpi", "", 5, 0),
		at(2, "mpich-preload", "mpich", Preload, 1, 0), at(2, "mpich-preload", "mpich", "", 4, 0),
	}
	s := Sections(rows)
	if len(s) != 3 || s[0].Under != "" || s[1].Under != "mpich" || s[2].Under != "openmpi" {
		t.Fatalf("%+v", s)
	}
	if r := s[0].Lines[0].Ratio; r != (Ratio{0.1, 0.1, 0.1, "mpich", 1}) {
		t.Errorf("beside: %+v", r)
	}
	l := s[1].Lines[0]
	if want := []string{"mpich", "mpich-tuned"}; !slices.Equal(s[1].Peers, want) || s[1].Rounds != 2 {
		t.Errorf("%v, %d rounds", s[1].Peers, s[1].Rounds)
	}
	if l.Each["mpich"] != (Ratio{0.5, 0.25, 0.75, "mpich", 2}) || l.Each["mpich-tuned"] != (Ratio{0.5, 0.5, 0.5, "mpich-tuned", 1}) || len(l.Each) != 2 {
		t.Errorf("%+v", l.Each)
	}
	if l.Times["mpich-preload"] != 2 || l.Times["mpich-tuned-preload"] != 1 || l.Times["mpich"] != 4 || l.Near == nil || l.Near.Pairs != 1 {
		t.Errorf("%+v", l)
	}
	if r := s[2].Lines[0].Ratio; r != (Ratio{1, 1, 1, "openmpi", 1}) {
		t.Errorf("%+v", r)
	}
}

func TestNearAndFarAreApart(t *testing.T) {
	changed := at(3, "mpich", Hcomm, "", 1, 40)
	changed.FlagAfter = 190
	rows := []Row{
		at(1, "mpich", Hcomm, "", 1, 40), at(1, "mpich", "mpich", "", 2, 45),
		at(2, "mpich", Hcomm, "", 1, 190), at(2, "mpich", "mpich", "", 4, 200),
		changed, at(3, "mpich", "mpich", "", 8, 40),
		at(4, "mpich", Hcomm, "", 1, 40), at(4, "mpich", "mpich", "", 16, 190),
	}
	l := Sections(rows)[0].Lines[0]
	if l.Near == nil || *l.Near != (Ratio{0.5, 0.5, 0.5, "mpich", 1}) {
		t.Errorf("near: %+v", l.Near)
	}
	if l.Far == nil || *l.Far != (Ratio{0.25, 0.25, 0.25, "mpich", 1}) {
		t.Errorf("far: %+v", l.Far)
	}
	if l.Ratio.Pairs != 4 {
		t.Errorf("all: %+v", l.Ratio)
	}
}

// Of the direct rows, those of the fastest way in each round count.
func TestDirectIsTheFastestWay(t *testing.T) {
	rows := []Row{
		at(1, Direct, Hcomm, "", 4, 0), at(1, Direct, Direct, "slots", 3, 0), at(1, Direct, Direct, "mapped", 2, 0),
		at(2, Direct, Hcomm, "", 6, 0), at(2, Direct, Direct, "slots", 2, 0), at(2, Direct, Direct, "mapped", 3, 0),
		at(3, Direct, Hcomm, "", 8, 0), at(3, Direct, Direct, "slots", 2, 0), at(3, Direct, Direct, "mapped", 3, 0),
	}
	s := Sections(rows)[0]
	if l := s.Lines[0]; l.Limit != (Ratio{3, 2, 4, Direct, 3}) || l.Way != "slots" || l.Times[Direct] != 2 || l.Ratio.Pairs != 0 {
		t.Errorf("%+v", l)
	}
	if len(s.Peers) != 0 {
		t.Errorf("peers %v", s.Peers)
	}
}

func TestSectionsAndSizesAreInOrder(t *testing.T) {
	a, b, c := at(1, "mpich", Hcomm, "", 1, 0), at(1, "mpich", Hcomm, "", 1, 0), at(1, "mpich", Hcomm, "", 1, 0)
	a.Collective, b.Bytes = "reduce", 1024
	s := Sections([]Row{a, b, c})
	if len(s) != 2 || s[0].Collective != "reduce" || len(s[1].Lines) != 2 || s[1].Lines[0].Bytes != 8 {
		t.Errorf("%+v", s)
	}
}
