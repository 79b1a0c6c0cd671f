package lanes

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what happens into scenarios that expect otherwise")

// A scenario is a file, testdata/*.txt, whose name is the story. Its lines say what happens, in order; what became of the
// shares stands below ----, as TestScenarios -update writes it. The lanes are simulated: each takes its latency and then
// moves its bytes at its speed.
//
//	lanes 8                    at 10 GB/s each
//	speed 3 10                 lane 3 now has 10 % of that
//	latency 20                 of all lanes, in µs; "latency 20 3" is lane 3's
//	bytes 64M                  of each operation; of several sizes, operations take them in turn
//	noise 20                   times are off by up to 20 %
//	silent 3                   lane 3 reports nothing; "silent" ends that
//	operations 20              so many, then a summary
//	operations 20 settles 85   the same; from some operation on they get 85 % of what the lanes can carry
//	operations 20 swings       the same; the rule that follows does not hold
//
// Within these operations no share may overshoot and come back by more than an eighth: the dead band, and a bit for noise.
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d scenarios, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) { play(t, path) })
	}
}

func play(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	script, want, _ := strings.Cut(string(text), "----\n")
	w := world{t: t, random: rand.New(rand.NewPCG(1, 2))}
	for number, line := range strings.Split(script, "\n") {
		if words := strings.Fields(line); len(words) > 0 && words[0] != "#" {
			w.line = fmt.Sprintf("%s:%d: %s", path, number+1, line)
			w.do(words[0], words[1:])
		}
	}
	if got := w.told.String(); got != want && !*update {
		t.Errorf("%s: it is now\n%s", path, got)
	} else if got != want {
		if err := os.WriteFile(path, []byte(script+"----\n"+got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// world has the lanes of a scenario.
type world struct {
	t      *testing.T
	line   string // of the script
	random *rand.Rand
	told   strings.Builder

	shares  *Shares
	speed   []int64 // in bytes per µs
	latency []int64 // in ns
	silent  []bool
	sizes   []int64
	noise   int64 // percent
	done    int   // operations
}

func (w *world) do(command string, args []string) {
	w.t.Helper()
	switch command {
	case "lanes":
		n := w.number(args[0])
		w.shares = NewShares(Equal(int(n)))
		w.speed, w.latency, w.silent = make([]int64, n), make([]int64, n), make([]bool, n)
		for i := range w.speed {
			w.speed[i] = 10_000
		}
	case "speed":
		w.speed[w.number(args[0])] = 100 * w.number(args[1])
	case "latency":
		for i := range w.latency {
			if len(args) == 1 || w.number(args[1]) == int64(i) {
				w.latency[i] = 1000 * w.number(args[0])
			}
		}
	case "bytes":
		w.sizes = w.sizes[:0]
		for _, a := range args {
			w.sizes = append(w.sizes, w.number(a))
		}
	case "noise":
		w.noise = w.number(args[0])
	case "silent":
		for i := range w.silent {
			w.silent[i] = len(args) > 0 && w.number(args[0]) == int64(i)
		}
	case "operations":
		least := int64(0)
		if len(args) == 3 && args[1] == "settles" {
			least = w.number(args[2])
		}
		history := w.operations(int(w.number(args[0])), float64(least))
		if len(args) == 1 || args[1] != "swings" {
			w.steady(history)
		}
	default:
		w.t.Fatalf("%s: what is that?", w.line)
	}
}

// number reads one, which may end in K or M.
func (w *world) number(text string) int64 {
	w.t.Helper()
	unit := int64(1)
	for suffix, u := range map[string]int64{"K": 1 << 10, "M": 1 << 20} {
		if digits, ok := strings.CutSuffix(text, suffix); ok {
			text, unit = digits, u
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		w.t.Fatalf("%s: %v", w.line, err)
	}
	return n * unit
}

// operations does so many, and wants them to get to so many percent of what the lanes can carry. It gives all shares there
// were.
func (w *world) operations(n int, least float64) (history [][]uint32) {
	w.t.Helper()
	moves, since, got := 0, 0, 0.0
	history = append(history, w.shares.Now())
	for i := range n {
		if got = w.efficiency(); got < least {
			since = i + 1
		}
		w.done++
		if w.shares.Observe(w.samples()) {
			moves++
			history = append(history, w.shares.Now())
			if moves <= 6 {
				fmt.Fprintf(&w.told, "after %d: %s\n", w.done, percents(w.shares.Now()))
			}
		}
	}
	fmt.Fprintf(&w.told, "%d to %d: moved %d times; at the end they get %.1f %% of what the lanes can carry",
		w.done-n+1, w.done, moves, got)
	if least > 0 {
		fmt.Fprintf(&w.told, ", and %.0f %% or more after %d operations", least, since)
	}
	w.told.WriteString("\n")
	if got < least {
		w.t.Errorf("%s: at the end they get %.1f %%", w.line, got)
	}
	return history
}

// steady wants no share to overshoot.
func (w *world) steady(history [][]uint32) {
	w.t.Helper()
	for lane := range w.speed {
		if back := comesBack(history, lane); back > 1.0/8 {
			w.t.Errorf("%s: the share of lane %d overshoots and comes back by %.0f %%", w.line, lane, 100*back)
		}
	}
}

// comesBack is how far a lane's share moved in vain, as a part of where it ended.
func comesBack(history [][]uint32, lane int) float64 {
	way, last := 0.0, float64(history[0][lane])
	for _, shares := range history[1:] {
		now := float64(shares[lane])
		way += max(now-last, last-now)
		last = now
	}
	first := float64(history[0][lane])
	return (way - max(last-first, first-last)) / 2 / last
}

func percents(shares []uint32) string {
	var words []string
	for _, share := range shares {
		words = append(words, fmt.Sprintf("%.2f", 100*float64(share)/One))
	}
	return strings.Join(words, " ") + " %"
}

// split is what the lanes get of the next operation, in bytes.
func (w *world) split() []Range {
	return Split(w.shares.Now(), uint64(w.sizes[w.done%len(w.sizes)]), 1, 0)
}

func (w *world) samples() []Sample {
	samples := make([]Sample, len(w.speed))
	for i, r := range w.split() {
		bytes := int64(r.Count)
		ns := w.latency[i] + 1000*bytes/w.speed[i]
		if w.noise > 0 {
			ns += ns * (w.random.Int64N(2*w.noise+1) - w.noise) / 100
		}
		samples[i] = Sample{bytes, ns}
		if w.silent[i] {
			samples[i] = Sample{}
		}
	}
	return samples
}

// efficiency is the time that the next operation would take if all lanes ended together, to what it takes, in percent.
func (w *world) efficiency() float64 {
	carried, speeds, time := 0.0, 0.0, 0.0
	for i, r := range w.split() {
		v, latency := float64(w.speed[i])/1000, float64(w.latency[i])
		carried += float64(r.Count) + latency*v
		speeds += v
		time = max(time, latency+float64(r.Count)/v)
	}
	return 100 * carried / speeds / time
}

// What the scenarios show for one kind of noise holds for others: of 200 cases all but a few settle in time, and those
// that do not are not far from it.
func TestSharesSettleUnderNoise(t *testing.T) {
	late, moves := 0, 0
	for seed := range 200 {
		w := &world{t: t, line: fmt.Sprint("seed ", seed), random: rand.New(rand.NewPCG(uint64(seed), 0))}
		w.do("lanes", []string{"8"})
		w.do("bytes", []string{"128M"})
		w.do("noise", []string{"20"})
		for range 200 {
			if w.shares.Observe(w.samples()) {
				moves++
			}
		}
		w.do("speed", []string{"3", "10"})
		for operation := range 40 {
			if w.efficiency() < 85 && operation >= 20 {
				late++
				break
			}
			w.shares.Observe(w.samples())
		}
		if got := w.efficiency(); got < 80 {
			t.Errorf("seed %d: after 40 operations they get %.0f %%", seed, got)
		}
	}
	t.Logf("%d of 200 take more than 20 operations; equal lanes moved %d times in 40,000", late, moves)
	if late > 6 || moves > 80 {
		t.Errorf("%d of 200 take more than 20 operations; equal lanes moved %d times in 40,000", late, moves)
	}
}
