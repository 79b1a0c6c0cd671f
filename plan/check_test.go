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

// mix says which ranks call in place.
type mix func(rank int) bool

func allApart(int) bool   { return false }
func allInPlace(int) bool { return true }

// someInPlace is a mix by the bits of a number.
func someInPlace(bits uint64) mix { return func(rank int) bool { return bits>>(rank%64)&1 == 1 } }

// programs are for ranks that call in place, or not. Checked in place, those that do not run apart.
func (s subject) programs(ranks, root int, inPlace mix) []Program {
	all := make([]Program, ranks)
	for r := range all {
		all[r] = s.Build(Role{Rank: r, Ranks: ranks, Root: root, InPlace: inPlace(r)})
		switch s.average {
		case Scale:
			all[r] = all[r].ScaleFirst()
		case Divide:
			all[r] = all[r].DivideLast()
		}
		all[r].Apart = all[r].Apart || !inPlace(r)
	}
	return all
}

// roots is the number of roots there can be.
func (s subject) roots(ranks int) int {
	if s.Collective.Rooted() {
		return ranks
	}
	return 1
}

// root is any of them.
func (s subject) root(ranks, any int) int { return any % s.roots(ranks) }

// options lists worlds to check in, with every number of slices and of slots. The ways to send take turns: as many seeds
// in a row as there are ways have all of them.
func (s subject) options(seed uint64) []CheckOptions {
	var all []CheckOptions
	for _, slices := range []int{1, 2, 5} {
		for _, slots := range []int{1, 2, 4} {
			turn := uint64(len(all)) + seed
			all = append(all, CheckOptions{
				Slices: slices, Slots: slots, InPlace: true, Order: s.Order, Average: s.average,
				Send: Sending(turn % uint64(sendings)), Seed: seed<<8 + turn,
			})
		}
	}
	return all
}

// check wants the programs to pass in some worlds.
func (s subject) check(t *testing.T, ranks, root int, inPlace mix, worlds []CheckOptions) {
	t.Helper()
	programs := s.programs(ranks, root, inPlace)
	for _, o := range worlds {
		if err := Check(programs, s.Collective, root, o); err != nil {
			t.Fatalf("%v, %d ranks, root %d, rank 0 in place: %v, %+v: %v", s, ranks, root, inPlace(0), o, err)
		}
	}
}

// Up to 5 ranks every root meets every world several times; with more, every root meets some of them.
func TestEveryBuilder(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			for ranks := 1; ranks <= 16; ranks++ {
				rounds := uint64(sendings) * 2
				if ranks > 5 {
					rounds = max(uint64(sendings)/uint64(s.roots(ranks)), 1)
				}
				for root := range s.roots(ranks) {
					for i := range rounds {
						seed := *base*rounds + i + uint64(root)
						s.check(t, ranks, root, allApart, s.options(seed))
						s.check(t, ranks, root, allInPlace, s.options(seed))
						s.check(t, ranks, root, someInPlace(seed*0x9e3779b97f4a7c15), s.options(seed))
					}
				}
			}
		})
	}
}

// A few random worlds of many ranks.
func TestLargerOnes(t *testing.T) {
	random := rand.New(rand.NewPCG(*base, 1))
	all := subjects()
	for i := range 200 {
		s := all[i%len(all)]
		ranks := 17 + random.IntN(44)
		if random.IntN(10) == 0 {
			ranks = 61 + random.IntN(240)
		}
		o := CheckOptions{
			Slices: 1 + random.IntN(3), Slots: 1 + random.IntN(4), InPlace: true,
			Order: s.Order, Average: s.average, Send: Sending(random.IntN(int(sendings))), Seed: random.Uint64(),
		}
		inPlace := []mix{allApart, allInPlace, someInPlace(random.Uint64())}[random.IntN(3)]
		s.check(t, ranks, random.IntN(s.roots(ranks)), inPlace, []CheckOptions{o})
	}
}

// More slices than a queue holds, so that senders wait for room.
func TestFullQueues(t *testing.T) {
	for _, s := range subjects() {
		for ranks := 2; ranks <= 7; ranks++ {
			for seed := range uint64(6) {
				o := CheckOptions{
					Slices: 3 * depth, Slots: 1 + int(seed), InPlace: true, Send: Sending(seed % uint64(sendings)),
					Order: s.Order, Average: s.average, Seed: *base<<8 + seed,
				}
				s.check(t, ranks, int(seed)%s.roots(ranks), someInPlace(seed), []CheckOptions{o})
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
