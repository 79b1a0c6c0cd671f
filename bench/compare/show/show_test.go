package show

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hcomm/bench/compare/results"
)

var write = flag.Bool("write", false, "write what is made into the folders with which it is compared")

// Of a recorded measurement come the page and the pictures that are beside it, to the byte; so a change of either shows in
// the history. (go test ./show -write)
func TestFoldersAreCurrent(t *testing.T) {
	for _, dir := range []string{"testdata", "../../../docs/performance"} {
		if _, err := os.Stat(filepath.Join(dir, table)); errors.Is(err, os.ErrNotExist) && dir != "testdata" {
			continue
		}
		report, err := Load(dir)
		if err != nil {
			t.Fatal(err)
		}
		if *write {
			if err := report.Save(dir); err != nil {
				t.Fatal(err)
			}
		}
		files, err := report.files()
		if err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if there, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(there, text) {
				t.Errorf("%s in %s is not what is made of it (%v)", name, dir, err)
			}
		}
		there, _ := filepath.Glob(filepath.Join(dir, "*"))
		if len(there) != len(files) {
			t.Errorf("%s has %d files, not %d", dir, len(there), len(files))
		}
	}
}

// The README has what docs/performance comes to. (compare --from docs/performance --summary README.md)
func TestSummaryIsCurrent(t *testing.T) {
	report, err := Load("../../../docs/performance")
	if errors.Is(err, os.ErrNotExist) {
		t.Skip("nothing is recorded")
	}
	if err != nil {
		t.Fatal(err)
	}
	there, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if made, err := report.fill(there); err != nil || !bytes.Equal(made, there) {
		t.Errorf("README.md does not have what is made of docs/performance (%v)", err)
	}
}

// The summary goes between the markers only, and has a row for each kind.
func TestSummary(t *testing.T) {
	report, err := Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	page, err := report.fill([]byte("before\n" + summaryBegins + "old\n" + summaryEnds + "\nafter <!-- end -->\n" + underBegins + summaryEnds))
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	if !strings.HasPrefix(text, "before\n"+summaryBegins) || !strings.Contains(text, summaryEnds+"\nafter <!-- end -->\n"+underBegins+"Allreduce") || strings.Contains(text, "old") {
		t.Errorf("%s", text)
	}
	beside, under := apart(results.Sections(report.Rows))
	for _, s := range append(beside, under...) {
		if !strings.Contains(text, "| "+kind{s.Collective, s.Memory}.String()+" | ") {
			t.Errorf("nothing of %s: %s", Heading(s.Key), text)
		}
	}
	if again, err := report.fill(page); err != nil || !bytes.Equal(again, page) {
		t.Errorf("once more: %v\n%s", err, again)
	}
	for _, page := range []string{"a page\n", summaryBegins + summaryEnds, underBegins + summaryEnds} {
		if _, err := report.fill([]byte(page)); err == nil || !strings.Contains(err.Error(), "has no place between") {
			t.Errorf("%q: %v", page, err)
		}
	}
}

// The geometric mean, the lowest and the highest of a table's ratios, and of a library the faster variant.
func TestSummaryFigures(t *testing.T) {
	line := func(bytes int, ratio float64) results.Line {
		times := map[string]float64{"hcomm": 1, "mpich": 5, "mpich-tuned": 4}
		return results.Line{Bytes: bytes, Times: times, Ratio: results.Ratio{Median: ratio, Pairs: 1}}
	}
	s := results.Section{Key: of, Peers: []string{"mpich", "mpich-tuned"}, Lines: []results.Line{line(8, 0.5), line(1024, 2), line(2048, 1)}}
	var b strings.Builder
	more := results.Section{Key: results.Key{Collective: "barrier", Ranks: 8, Memory: "malloc"}, Lines: []results.Line{line(8, 0.7)}}
	overview(&b, []results.Section{more, s})
	want := "| | 2 ranks | 8 ranks |\n|---|---:|---:|\n| barrier |  | 0.70 |\n| allreduce | 1.00 (0.50–2.00) |  |\n"
	if b.String() != want {
		t.Errorf("%s, not %s", b.String(), want)
	}
	b.Reset()
	brief(&b, s)
	if want := "| bytes | hcomm | MPICH | ratio |\n|---:|---:|---:|---:|\n| 8 | 1.00 | 4.00 | 0.50 |\n| 2 Ki | 1.00 | 4.00 | 1.00 |\n"; b.String() != want {
		t.Errorf("%s, not %s", b.String(), want)
	}
}

// Of programs that hcomm serves, the table has each variant with and without it, and the summary the one that gains less.
func TestUnder(t *testing.T) {
	key := func(mpi string, ranks int) results.Key {
		return results.Key{Collective: "allreduce", Ranks: ranks, Memory: "malloc", Under: mpi}
	}
	line := func(mpi string, bytes int, plain, tuned float64) results.Line {
		l := results.Line{Bytes: bytes, Times: map[string]float64{mpi: 2, mpi + "-preload": 2 * plain, mpi + "-tuned": 4, mpi + "-tuned-preload": 4 * tuned},
			Each: map[string]results.Ratio{mpi: {Median: plain, Lowest: plain, Highest: 2, To: mpi, Pairs: 3},
				mpi + "-tuned": {Median: tuned, Lowest: 0.25, Highest: tuned, To: mpi + "-tuned", Pairs: 3}}}
		l.Ratio = l.Each[mpi]
		if tuned > plain {
			l.Ratio = l.Each[mpi+"-tuned"]
		}
		return l
	}
	mpich := results.Section{Key: key("mpich", 2), Rounds: 3, Peers: []string{"mpich", "mpich-tuned"},
		Lines: []results.Line{line("mpich", 8, 0.5, 0.75), line("mpich", 2<<10, 1, 0.5)}}
	four := results.Section{Key: key("mpich", 4), Peers: mpich.Peers, Lines: []results.Line{line("mpich", 8, 0.5, 0.25)}}
	openmpi := results.Section{Key: key("openmpi", 2), Peers: []string{"openmpi"}, Lines: []results.Line{line("openmpi", 8, 0.5, 0)}}
	var b strings.Builder
	if err := Text(&b, mpich); err != nil {
		t.Fatal(err)
	}
	if want := `allreduce, 2 ranks, ordinary memory, under MPICH; median µs of 3 rounds
bytes  MPICH  with hcomm     ratio (range)  MPICH tuned  with hcomm     ratio (range)
    8   2.00        1.00  0.50 (0.50–2.00)         4.00        3.00  0.75 (0.25–0.75)
 2 Ki   2.00        2.00  1.00 (1.00–2.00)         4.00        2.00  0.50 (0.25–0.50)
`; b.String() != want {
		t.Errorf("it is\n%s, not\n%s", b.String(), want)
	}
	b.Reset()
	briefUnder(&b, []results.Section{mpich, four, openmpi})
	if want := "| bytes | MPICH | with hcomm | ratio | Open MPI | with hcomm | ratio |\n|---:|---:|---:|---:|---:|---:|---:|\n" +
		"| 8 | 4.00 | 3.00 | 0.75 | 2.00 | 1.00 | 0.50 |\n| 2 Ki | 2.00 | 2.00 | 1.00 |  |  |  |\n"; b.String() != want {
		t.Errorf("it is\n%s, not\n%s", b.String(), want)
	}
	b.Reset()
	overviewUnder(&b, []results.Section{mpich, four, openmpi})
	if want := "| | MPICH, 2 ranks | Open MPI, 2 ranks | MPICH, 4 ranks |\n|---|---:|---:|---:|\n" +
		"| allreduce | 0.87 (0.75–1.00) | 0.50 | 0.50 |\n"; b.String() != want {
		t.Errorf("it is\n%s, not\n%s", b.String(), want)
	}
}

// A picture is well-formed, has a paper of its own, names each library, and is the same each time.
func TestPicture(t *testing.T) {
	report, err := Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	beside, under := apart(results.Sections(report.Rows))
	isDrawn(t, beside[0], "allreduce, 2 ranks, ordinary memory", "|hcomm|", "|Open MPI tuned|", "|MPICH|", "|direct (no library)|", "|bytes|",
		"|time|", "|1 µs|", "|8|", "|2 Ki|")
	isDrawn(t, under[0], "allreduce, 2 ranks, ordinary memory, under Open MPI", "|Open MPI|", "|Open MPI, with hcomm|", "|Open MPI tuned|",
		"|Open MPI tuned, with hcomm|")
}

func isDrawn(t *testing.T, s results.Section, wants ...string) {
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Picture(b, s); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("two pictures of the same differ")
	}
	var texts []string
	for d := xml.NewDecoder(&first); ; {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, is := token.(xml.CharData); is {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	all := strings.Join(texts, "|")
	for _, want := range wants {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not in it: %s", want, all)
		}
	}
}

// Save leaves no picture of an earlier measurement, and nothing else is lost.
func TestSaveReplaces(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"reduce-3-ranks-malloc.svg", "mine.svg"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	report, err := Load("testdata")
	if err != nil {
		t.Fatal(err)
	}
	if err := report.Save(dir); err != nil {
		t.Fatal(err)
	}
	again, err := Load(dir)
	if err != nil || len(again.Rows) != len(report.Rows) || again.Machine.Processor != report.Machine.Processor {
		t.Errorf("saved was something else: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "reduce-3-ranks-malloc.svg")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the old picture: %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "mine.svg")); err != nil {
		t.Error(err)
	}
}

func TestAddKeepsOtherTables(t *testing.T) {
	dir := t.TempDir()
	row := func(collective string, round int) results.Row {
		return results.Row{Round: round, Pair: "mpich", Library: "hcomm", Collective: collective, Ranks: 2, Memory: "malloc", Bytes: 8, Median: 1}
	}
	first := Report{Rows: []results.Row{row("reduce", 1), row("broadcast", 1), row("reduce", 2)}}
	if err := first.Add(dir); err != nil { // there is none yet
		t.Fatal(err)
	}
	if err := first.Save(dir); err != nil {
		t.Fatal(err)
	}
	second := Report{Rows: []results.Row{row("reduce", 7)}}
	if err := second.Add(dir); err != nil {
		t.Fatal(err)
	}
	if want := []results.Row{row("broadcast", 1), row("reduce", 7)}; !slices.Equal(second.Rows, want) {
		t.Errorf("%v, not %v", second.Rows, want)
	}
}

func TestText(t *testing.T) {
	s := results.Section{Key: results.Key{Collective: "reduce", Ranks: 4, Memory: "alloc"}, Rounds: 5, Peers: []string{"openmpi", "mpich-tuned"},
		Lines: []results.Line{
			{Bytes: 8, Times: map[string]float64{"hcomm": 0.125, "openmpi": 12.34}, Ratio: results.Ratio{Median: 0.5, Lowest: 0.25, Highest: 1, To: "openmpi", Pairs: 5},
				Near: &results.Ratio{Median: 0.5, Pairs: 4}, Far: &results.Ratio{Median: 0.75, Pairs: 1}},
			{Bytes: 1 << 20, Times: map[string]float64{"hcomm": 1234.5, "openmpi": 999.7}},
		}}
	var b strings.Builder
	if err := Text(&b, s); err != nil {
		t.Fatal(err)
	}
	want := `reduce, 4 ranks, allocated by the library; median µs of 5 rounds
bytes  hcomm  Open MPI  MPICH tuned     ratio (range)        to     near      far
    8   0.12      12.3               0.50 (0.25–1.00)  Open MPI  0.50 ×4  0.75 ×1
 1 Mi  1,234     1,000
`
	if b.String() != want {
		t.Errorf("it is\n%s, not\n%s", b.String(), want)
	}
}

func TestFigures(t *testing.T) {
	for us, want := range map[float64]string{0.004: "0.00", 9.994: "9.99", 9.996: "10.0", 99.94: "99.9", 99.96: "100", 1234567: "1,234,567"} {
		if got := micros(map[string]float64{"x": us}, "x"); got != want {
			t.Errorf("%g is %s, not %s", us, got, want)
		}
	}
	for ratio, want := range map[float64]string{0: "0.00", 1e-12: "0.000000000", 0.0000151: "0.00002", 0.0034: "0.003", 0.0096: "0.01", 0.996: "1.00", 33.4: "33.40"} {
		if got := factor(ratio); got != want {
			t.Errorf("a ratio of %g is %s, not %s", ratio, got, want)
		}
	}
	for us, want := range map[float64]string{0.1: "100 ns", 1: "1 µs", 1000: "1 ms", 1e7: "10 s"} {
		if got := span(us); got != want {
			t.Errorf("%g is %s, not %s", us, got, want)
		}
	}
	for bytes, want := range map[int]string{8: "8", 1024: "1 Ki", 1536: "1536", 1 << 21: "2 Mi"} {
		if got := Size(bytes); got != want {
			t.Errorf("%d is %s, not %s", bytes, got, want)
		}
	}
}
