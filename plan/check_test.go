package plan

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// base makes all seeds of a run; failures print the options of the check that failed, with its own seed.
var base = flag.Uint64("plan.seed", 1, "seed of the checker's tests")

// subject is an algorithm under test.
type subject struct {
	name    string
	does    Collective
	average Map
	build   func(rank, ranks, root int) Program
}

func rootless(build func(rank, ranks int) Program) func(rank, ranks, root int) Program {
	return func(rank, ranks, _ int) Program { return build(rank, ranks) }
}

func subjects() []subject {
	all := []subject{
		{"flat", Broadcast, Identity, Flat},
		{"dissemination", Barrier, Identity, rootless(Dissemination)},
	}
	for name, build := range map[string]func(rank, ranks int) Program{"direct": Direct, "scatter-gather": ScatterGather} {
		all = append(all,
			subject{name, AllReduce, Identity, rootless(build)},
			subject{name + ", scaled first", AllReduce, Scale, func(rank, ranks, _ int) Program { return build(rank, ranks).ScaleFirst() }},
			subject{name + ", divided last", AllReduce, Divide, func(rank, ranks, _ int) Program { return build(rank, ranks).DivideLast() }})
	}
	return all
}

func (s subject) programs(ranks, root int) []Program {
	all := make([]Program, ranks)
	for r := range all {
		all[r] = s.build(r, ranks, root)
	}
	return all
}

func (s subject) roots(ranks int) int {
	if s.does == Broadcast {
		return ranks
	}
	return 1
}

// options lists the worlds to check in, a seed for each; the ways to send and to cut chunks take turns.
func options(average Map, seed uint64) []CheckOptions {
	var all []CheckOptions
	for _, slices := range []int{1, 2, 5} {
		for _, slots := range []int{1, 2, 4} {
			for _, inPlace := range []bool{false, true} {
				turn := uint64(len(all)) + seed
				all = append(all, CheckOptions{
					Slices: slices, Slots: slots, InPlace: inPlace, Average: average,
					Send: Sending(turn % 3), Cut: Cut(turn / 3 % 3), Seed: seed<<8 + turn,
				})
			}
		}
	}
	return all
}

func TestEveryBuilder(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			for ranks := 1; ranks <= 16; ranks++ {
				for root := range s.roots(ranks) {
					programs := s.programs(ranks, root)
					seeds := uint64(9) // all ways to send with all cuts
					if ranks > 8 {
						seeds = 3
					}
					for i := range seeds {
						for _, o := range options(s.average, *base*seeds+i) {
							if err := Check(programs, s.does, root, o); err != nil {
								t.Fatalf("%d ranks, root %d, %+v: %v", ranks, root, o, err)
							}
						}
					}
				}
			}
		})
	}
}

func TestLargerOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(*base, 1))
	all := subjects()
	for range 30 {
		s := all[random.IntN(len(all))]
		ranks := 17 + random.IntN(44)
		root := random.IntN(s.roots(ranks))
		o := CheckOptions{
			Slices: 1 + random.IntN(3), Slots: 1 + random.IntN(4), InPlace: random.IntN(2) == 0, Average: s.average,
			Send: Sending(random.IntN(3)), Cut: Cut(random.IntN(3)), Seed: random.Uint64(),
		}
		if err := Check(s.programs(ranks, root), s.does, root, o); err != nil {
			t.Errorf("%s, %d ranks, root %d, %+v: %v", s.name, ranks, root, o, err)
		}
	}
}

// More slices than a queue holds, so that senders wait for room.
func TestFullQueues(t *testing.T) {
	for _, s := range subjects() {
		for ranks := 2; ranks <= 7; ranks++ {
			for seed := range uint64(6) {
				o := CheckOptions{Slices: 3 * depth, Slots: 1 + int(seed), InPlace: seed%2 == 0, Send: Sending(seed % 3), Average: s.average, Seed: *base<<8 + seed}
				if err := Check(s.programs(ranks, 0), s.does, 0, o); err != nil {
					t.Fatalf("%s, %d ranks, %+v: %v", s.name, ranks, o, err)
				}
			}
		}
	}
}

// A seed is a schedule: the same one gives the same end, so that a failure can be replayed.
func TestReplay(t *testing.T) {
	programs := []Program{ScatterGather(0, 4), ScatterGather(1, 4), ScatterGather(2, 4), ScatterGather(3, 4)}
	programs[2].Steps[6].After = nil
	programs[2].Steps[1].After = nil
	for seed := range uint64(50) {
		o := CheckOptions{Slices: 5, Slots: 2, InPlace: true, Seed: seed}
		if a, b := Check(programs, AllReduce, 0, o), Check(programs, AllReduce, 0, o); fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("seed %d: first %v, then %v", seed, a, b)
		}
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct {
		program Program
		want    string
	}{
		{Direct(2, 4), `
direct, chunks: 1
  0 copy-send         chunk 0: input -> scratch, eager message to 3 0 1
  1 recv-reduce       chunk 0: message from 0 op message from 1 -> output; after 0
  2 reduce            chunk 0: output op scratch -> output; after 1
  3 recv-reduce       chunk 0: output op message from 3 -> output; after 2
`}, {ScatterGather(1, 3).ScaleFirst(), `
scatter-gather, chunks: 3
  0 scale             chunk 0: input -> output
  1 scale             chunk 1: input -> output
  2 scale             chunk 2: input -> output
  3 send              chunk 2: output -> message to 2; after 2
  4 send              chunk 0: output -> message to 0; after 0, 3 whole
  5 recv-reduce       chunk 1: message from 0 op output -> output; after 1
  6 recv-reduce-send  chunk 1: output op message from 2 -> output, message to 2 0 on channel 1; after 5
  7 recv              chunk 2: message from 2 on channel 1 -> output; after 3 read
  8 recv              chunk 0: message from 0 on channel 1 -> output; after 4 read
`}, {Dissemination(1, 3), `
dissemination, chunks: 1
  0 signal            chunk 0: input -> eager message to 2
  1 await             chunk 0: message from 0 -> output; after 0 whole
  2 signal            chunk 0: input -> eager message to 0; after 1 whole
  3 await             chunk 0: message from 2 -> output; after 2 whole
`},
	} {
		if got := Explain(c.program); got != strings.TrimPrefix(c.want, "\n") {
			t.Errorf("got\n%swant%s", got, c.want)
		}
	}
}

func FuzzCheck(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		all := subjects()
		s := all[random.IntN(len(all))]
		ranks := 2 + random.IntN(4)
		m := mutate(s, ranks, 0, random)
		o := options(s.average, seed>>8)
		err := Check(m.programs, s.does, 0, o[random.IntN(len(o))])
		if err != nil && !known(err) {
			t.Errorf("an error without a name: %v", err)
		}
	})
}

func known(err error) bool {
	for _, kind := range []error{
		ErrMalformed, ErrMissing, ErrDouble, ErrOrder, ErrAverage, ErrDiffers, ErrMismatch, ErrDeadlock, ErrOverwritten,
		ErrUninitialised, ErrInputChanged, ErrUnconsumed, ErrEarly,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
