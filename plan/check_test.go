package plan

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
)

// base makes all seeds of a run; failures print the options of the check that failed, with its own seed.
var base = flag.Uint64("plan.seed", 1, "seed of the checker's tests")

// subject is an algorithm under test, and how it takes averages.
type subject struct {
	Builder
	average Map
}

func subjects() []subject {
	var all []subject
	for _, b := range builders {
		all = append(all, subject{b, Identity})
		if b.Collective.Reduces() {
			all = append(all, subject{b, Scale}, subject{b, Divide})
		}
	}
	return all
}

func (s subject) String() string {
	return fmt.Sprintf("%v/%s%s", s.Collective, s.Name, [...]string{"", ", scaled first", ", divided last"}[s.average])
}

func (s subject) programs(ranks, root int) []Program {
	all := s.Programs(ranks, root)
	for r := range all {
		switch s.average {
		case Scale:
			all[r] = all[r].ScaleFirst()
		case Divide:
			all[r] = all[r].DivideLast()
		}
	}
	return all
}

// root is one of the roots that are worth a try.
func (s subject) root(ranks, any int) int {
	if !s.Collective.Rooted() {
		return 0
	}
	return any % ranks
}

// options lists worlds to check in, with every number of slices and of slots, in place and not. The ways to send take
// turns: as many seeds in a row as there are ways have all of them.
func (s subject) options(seed uint64) []CheckOptions {
	var all []CheckOptions
	for _, slices := range []int{1, 2, 5} {
		for _, slots := range []int{1, 2, 4} {
			for _, inPlace := range []bool{false, true} {
				turn := uint64(len(all)/2) + seed
				all = append(all, CheckOptions{
					Slices: slices, Slots: slots, InPlace: inPlace, Order: s.Order, Average: s.average,
					Send: Sending(turn % uint64(sendings)), Seed: seed<<8 + uint64(len(all)),
				})
			}
		}
	}
	return all
}

// Up to 5 ranks every root meets every world several times; more ranks have their roots and ways to send in turn.
func TestEveryBuilder(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			for ranks := 1; ranks <= 16; ranks++ {
				roots := s.root(ranks, ranks-1) + 1
				rounds := uint64(roots * int(sendings) * 2)
				if ranks > 5 {
					rounds = uint64(max(roots/4, 2))
				}
				for i := range rounds {
					seed := *base*rounds + i
					root := s.root(ranks, int(seed%uint64(ranks)))
					programs := s.programs(ranks, root)
					for _, o := range s.options(seed) {
						if err := Check(programs, s.Collective, root, o); err != nil {
							t.Fatalf("%d ranks, root %d, %+v: %v", ranks, root, o, err)
						}
					}
				}
			}
		})
	}
}

// Few random worlds of many ranks.
func TestLargerOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(*base, 1))
	all := subjects()
	for i := range 200 {
		if len(all) == 0 {
			t.Skip("no builders")
		}
		s := all[i%len(all)]
		ranks := 17 + random.IntN(44)
		if random.IntN(10) == 0 {
			ranks = 61 + random.IntN(240)
		}
		root := s.root(ranks, random.IntN(ranks))
		o := CheckOptions{
			Slices: 1 + random.IntN(3), Slots: 1 + random.IntN(4), InPlace: random.IntN(2) == 0,
			Order: s.Order, Average: s.average, Send: Sending(random.IntN(int(sendings))), Seed: random.Uint64(),
		}
		if err := Check(s.programs(ranks, root), s.Collective, root, o); err != nil {
			t.Errorf("%v, %d ranks, root %d, %+v: %v", s, ranks, root, o, err)
		}
	}
}

// More slices than a queue holds, so that senders wait for room.
func TestFullQueues(t *testing.T) {
	for _, s := range subjects() {
		for ranks := 2; ranks <= 7; ranks++ {
			for seed := range uint64(6) {
				o := CheckOptions{
					Slices: 3 * depth, Slots: 1 + int(seed), InPlace: seed%2 == 0, Send: Sending(seed % uint64(sendings)),
					Order: s.Order, Average: s.average, Seed: *base<<8 + seed,
				}
				root := s.root(ranks, int(seed))
				if err := Check(s.programs(ranks, root), s.Collective, root, o); err != nil {
					t.Fatalf("%v, %d ranks, root %d, %+v: %v", s, ranks, root, o, err)
				}
			}
		}
	}
}

// A seed is a schedule: the same one gives the same end, so that a failure can be replayed.
func TestReplay(t *testing.T) {
	programs := sampleOwners(4)
	programs[2].Steps[4].After = nil
	ends := map[string]bool{}
	for seed := range uint64(50) {
		o := CheckOptions{Slices: 5, Slots: 2, InPlace: true, Seed: seed}
		a, b := Check(programs, AllReduce, 0, o), Check(programs, AllReduce, 0, o)
		if fmt.Sprint(a) != fmt.Sprint(b) {
			t.Fatalf("seed %d: first %v, then %v", seed, a, b)
		}
		ends[fmt.Sprint(a)] = true
	}
	if len(ends) < 2 {
		t.Errorf("all seeds end alike: %v", ends)
	}
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
