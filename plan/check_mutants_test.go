package plan

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// mutant is a correct set of programs with one step of one rank changed.
type mutant struct {
	subject
	what     string
	ranks    int
	root     int
	rank     int
	programs []Program
	changed  bool
}

// mutate changes one step. Half of the time the dependencies are derived anew; else they stay, adjusted to where their
// steps have gone.
func mutate(s subject, ranks, root int, random *rand.Rand) mutant {
	inPlace := []mix{allApart, allInPlace, someInPlace(random.Uint64())}[random.IntN(3)]
	m := mutant{subject: s, ranks: ranks, root: root, rank: random.IntN(ranks), programs: s.programs(ranks, root, inPlace)}
	before := m.programs[m.rank]
	p := before.clone()
	if len(p.Steps) == 0 {
		return m
	}
	j := random.IntN(len(p.Steps))
	switch random.IntN(5) {
	case 0:
		m.what = fmt.Sprintf("delete %d", j)
		p.remove(j)
	case 1:
		i := random.IntN(len(p.Steps))
		m.what = fmt.Sprintf("swap %d and %d", i, j)
		one, other := &p.Steps[i], &p.Steps[j]
		*one, *other = *other, *one
		one.After, other.After = other.After, one.After
	case 2:
		m.what = fmt.Sprintf("duplicate %d", j)
		p.repeat(j)
	default:
		ways := m.retargets(&p, j, random)
		m.what = fmt.Sprintf("step %d: %s", j, ways[random.IntN(len(ways))]())
	}
	if random.IntN(2) == 0 {
		p = p.order()
		m.what += ", ordered anew"
	} else {
		p.derived()
	}
	m.changed = !reflect.DeepEqual(p.Steps, before.Steps)
	m.what = fmt.Sprintf("%v, %d ranks, root %d, rank %d: %s", s, ranks, root, m.rank, m.what)
	m.programs[m.rank] = p
	return m
}

// remove deletes step j, and what waits for it no longer does.
func (p *Program) remove(j int) {
	p.Steps = slices.Delete(p.Steps, j, j+1)
	for i := range p.Steps {
		s := &p.Steps[i]
		s.After = slices.DeleteFunc(s.After, func(d Dependency) bool { return d.Step == j })
		for k := range s.After {
			if s.After[k].Step > j {
				s.After[k].Step--
			}
		}
	}
}

// repeat puts a copy of step j behind it.
func (p *Program) repeat(j int) {
	p.Steps = slices.Insert(p.Steps, j+1, Program{Steps: p.Steps[j : j+1]}.clone().Steps[0])
	for i := range p.Steps {
		for k := range p.Steps[i].After {
			if d := &p.Steps[i].After[k]; d.Step > j {
				d.Step++
			}
		}
	}
}

// derived derives what a step's dependencies do not say: without it the programs would be malformed.
func (p *Program) derived() {
	q := p.clone().order()
	p.Senders = q.Senders
	for j := range p.Steps {
		p.Steps[j].Stride = q.Steps[j].Stride
	}
}

// retargets lists ways to change where the data of a step comes from or goes to, none of which is malformed in itself.
func (m *mutant) retargets(p *Program, j int, random *rand.Rand) []func() string {
	s := &p.Steps[j]
	ways := []func() string{func() string {
		s.Part = (s.Part + 1 + random.IntN(max(p.Parts-1, 1))) % p.Parts
		return fmt.Sprintf("part %d", s.Part)
	}}
	for i := range s.To {
		ways = append(ways, func() string {
			s.To[i] = (s.To[i] + 1 + random.IntN(m.ranks-1)) % m.ranks
			return fmt.Sprintf("to %d", s.To[i])
		})
	}
	if len(s.To) > 0 {
		ways = append(ways, func() string {
			s.Channel = 1 - s.Channel
			return fmt.Sprintf("to channel %d", s.Channel)
		})
	}
	if s.Store.Place != Nowhere {
		ways = append(ways, func() string {
			s.Store = m.location(p, s.Store, random, Output, Scratch)
			return fmt.Sprintf("store to %v", s.Store)
		})
	}
	if len(s.Operands) > 1 {
		ways = append(ways, func() string {
			i, k := random.IntN(len(s.Operands)), random.IntN(len(s.Operands))
			s.Operands[i], s.Operands[k] = s.Operands[k], s.Operands[i]
			return fmt.Sprintf("operands %d and %d in each other's place", i, k)
		})
	}
	for i := range s.Operands {
		ways = append(ways, m.retargetOperand(p, &s.Operands[i], random)...)
	}
	return ways
}

func (m *mutant) retargetOperand(p *Program, x *Operand, random *rand.Rand) []func() string {
	ways := []func() string{func() string {
		x.Map = (x.Map + 1 + Map(random.IntN(2))) % (Divide + 1)
		return fmt.Sprintf("operand %v", x)
	}}
	if x.Place != Message {
		return append(ways, func() string {
			x.Location = m.location(p, x.Location, random, Input, Output, Scratch)
			return fmt.Sprintf("operand %v", x)
		})
	}
	return append(ways, func() string {
		x.From = (x.From + 1 + random.IntN(m.ranks-1)) % m.ranks
		return fmt.Sprintf("operand %v", x)
	}, func() string {
		x.Channel = 1 - x.Channel
		return fmt.Sprintf("operand %v", x)
	})
}

// location draws another one that the rank has.
func (m *mutant) location(p *Program, not Location, random *rand.Rand, places ...Place) Location {
	f := newForm(p, m.Collective, Role{Rank: m.rank, Ranks: m.ranks, Root: m.root})
	var all []Location
	for _, place := range places {
		for block := range max(f.shape.Blocks, p.Scratch) {
			if l := (Location{place, block}); l != not && f.has(l) {
				all = append(all, l)
			}
		}
	}
	if len(all) == 0 {
		return not
	}
	return all[random.IntN(len(all))]
}

// rejected looks for options and a seed with which the programs fail.
func (m *mutant) rejected(seeds int) error {
	for seed := range uint64(seeds) {
		for _, o := range m.options(seed) {
			if err := Check(m.programs, m.Collective, m.root, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// unstable looks for two orders of events with different results.
func (m *mutant) unstable(seeds int) error {
	first := map[site]string{}
	for seed := range uint64(seeds) {
		for _, o := range m.options(seed) {
			run := newMachine(m.programs, m.Collective, m.root, o)
			if err := run.finish(); err != nil {
				return err
			}
			for at, slices := range run.outputs() {
				for _, v := range slices {
					if was, ok := first[at]; ok && was != v {
						return fmt.Errorf("%v is %s or %s, as it happens", at, was, v)
					}
					first[at] = v
				}
			}
		}
	}
	return nil
}

// outputs are the trees of what has been written, by slice.
func (m *machine) outputs() map[site][]string {
	all := map[site][]string{}
	for r := range m.ranks {
		for k, cells := range m.ranks[r].memory {
			if at := (site{r, k.part, Location{Output, k.block}}); k.place == Output {
				for i := range cells {
					all[at] = append(all[at], cells[i].value.String())
				}
			}
		}
	}
	return all
}

// proven says whether the programs are right all the same, in all orders of events, or why there is no proof.
func (m *mutant) proven() (why string) {
	return prove(m.programs, m.Collective, m.root, CheckOptions{InPlace: true, Order: m.Order, Average: m.average})
}

// Every mutant is either rejected or, by a proof that knows nothing of seeds, as right as the original; and never both.
func TestMutants(t *testing.T) {
	const each = 40 // of every algorithm and number of ranks
	random := rand.New(rand.NewPCG(*base, 2))
	mutants, malformed, equivalent, rare := 0, 0, 0, 0
	for _, s := range subjects() {
		for ranks := 2; ranks <= 5; ranks++ {
			for range each {
				m := mutate(s, ranks, random.IntN(s.roots(ranks)), random)
				if !m.changed {
					continue
				}
				mutants++
				err, why := m.rejected(2*int(sendings)), m.proven()
				if err == nil && why != "" {
					rare++
					if err = m.unstable(10); err == nil {
						err = m.rejected(1000) // some mistakes show in few worlds
					}
				}
				switch {
				case errors.Is(err, ErrMalformed):
					malformed++
				case err != nil && why == "":
					t.Errorf("rejected, and proven: %s: %v", m.what, err)
				case err == nil && why != "":
					t.Errorf("passes, without a proof: %s: %s\n%s", m.what, why, Explain(m.programs[m.rank]))
				case err == nil:
					equivalent++
					if testing.Verbose() {
						t.Logf("equivalent: %s", m.what)
					}
				}
			}
		}
	}
	t.Logf("%d mutants: %d malformed, %d equivalent, the others rejected when run, %d of them with many seeds or two results",
		mutants, malformed, equivalent, rare)
	if mutants-malformed-equivalent < 2000 {
		t.Errorf("at least 2000 are wanted that only a run can reject")
	}
}
