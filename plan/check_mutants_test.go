package plan

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// mutant is a correct set of programs with one step of one rank changed.
type mutant struct {
	what     string
	programs []Program
	rank     int
	before   Program // the rank's own, as it was
	i, j     int     // the steps that were swapped, if i >= 0
	changed  bool    // false when the steps and their order are what they were
}

func (p Program) clone() Program {
	p.Steps = slices.Clone(p.Steps)
	for j := range p.Steps {
		p.Steps[j].To = slices.Clone(p.Steps[j].To)
		p.Steps[j].After = slices.Clone(p.Steps[j].After)
	}
	return p
}

// mutate changes one step. Half of the time the dependencies are derived anew; else they stay, adjusted to where their
// steps have gone.
func mutate(s subject, ranks, root int, random *rand.Rand) mutant {
	m := mutant{programs: s.programs(ranks, root), rank: random.IntN(ranks), i: -1, changed: true}
	m.before = m.programs[m.rank]
	p := m.before.clone()
	if len(p.Steps) == 0 {
		m.changed = false
		return m
	}
	m.j = random.IntN(len(p.Steps))
	switch random.IntN(4) {
	case 0:
		m.what = fmt.Sprintf("delete %d", m.j)
		p.remove(m.j)
	case 1:
		m.i = random.IntN(len(p.Steps))
		m.what = fmt.Sprintf("swap %d and %d", m.i, m.j)
		one, other := &p.Steps[m.i], &p.Steps[m.j]
		*one, *other = *other, *one
		one.After, other.After = other.After, one.After
	case 2:
		m.what = fmt.Sprintf("duplicate %d", m.j)
		p.repeat(m.j)
	case 3:
		m.what = fmt.Sprintf("step %d: %s", m.j, p.Steps[m.j].retarget(p.Chunks, ranks, random))
	}
	if random.IntN(2) == 0 {
		p = p.order()
		m.what += ", ordered anew"
	}
	if m.i >= 0 {
		_, same := m.keeps(m.before, p)
		m.changed = !same
	}
	m.what = fmt.Sprintf("%s, %d ranks, root %d, rank %d: %s", s.name, ranks, root, m.rank, m.what)
	m.programs[m.rank] = p
	return m
}

// remove deletes step j. What came after it comes after what it came after.
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
	again := p.Steps[j]
	again.After = slices.Clone(again.After)
	p.Steps = slices.Insert(p.Steps, j+1, again)
	for i := j + 2; i < len(p.Steps); i++ {
		for k := range p.Steps[i].After {
			if d := &p.Steps[i].After[k]; d.Step > j {
				d.Step++
			}
		}
	}
}

// retarget changes where a step's data comes from or goes to.
func (s *Step) retarget(chunks, ranks int, random *rand.Rand) (what string) {
	var ways []func() string
	if chunks > 1 {
		ways = append(ways, func() string {
			s.Chunk = (s.Chunk + 1 + random.IntN(chunks-1)) % chunks
			return fmt.Sprintf("chunk %d", s.Chunk)
		})
	}
	for i := range s.To {
		ways = append(ways, func() string {
			s.To[i] = (s.To[i] + 1 + random.IntN(ranks-1)) % ranks
			return fmt.Sprintf("to %d", s.To[i])
		})
	}
	if len(s.To) > 0 {
		ways = append(ways, func() string {
			s.Channel = 1 - s.Channel
			return fmt.Sprintf("to channel %d", s.Channel)
		})
	}
	for _, x := range []*Operand{&s.A, &s.B} {
		switch x.Place {
		case Nowhere:
		case Message:
			ways = append(ways, func() string {
				x.From = (x.From + 1 + random.IntN(ranks-1)) % ranks
				return fmt.Sprintf("from %d", x.From)
			}, func() string {
				x.Channel = 1 - x.Channel
				return fmt.Sprintf("from channel %d", x.Channel)
			})
		default:
			if s.Token {
				continue // which has no data
			}
			ways = append(ways, func() string {
				x.Place = Input + (x.Place-Input+1+Place(random.IntN(2)))%3
				return fmt.Sprintf("operand from %v", x.Place)
			})
		}
	}
	if s.Store != Nowhere && !s.Token {
		ways = append(ways, func() string {
			s.Store = map[Place]Place{Output: Scratch, Scratch: Output}[s.Store]
			return fmt.Sprintf("store to %v", s.Store)
		})
	}
	return ways[random.IntN(len(ways))]()
}

// keeps says whether q, which is p with the two steps swapped in the list, keeps all of p's order; exactly, if it adds
// nothing.
func (m *mutant) keeps(p, q Program) (all, exactly bool) {
	place := make([]int, len(p.Steps)) // of p's steps in q
	for k := range place {
		place[k] = k
	}
	place[m.i], place[m.j] = m.j, m.i
	before, after := p.precedence(), q.precedence()
	exactly = true
	for b := range place {
		for a := range b {
			x, y := place[a], place[b]
			var now, reverse strength
			if x < y {
				now = after[y][x]
			} else {
				reverse = after[x][y]
			}
			if !now.covers(before[b][a]) {
				return false, false
			}
			exactly = exactly && now == before[b][a] && reverse == strength{}
		}
	}
	return true, exactly
}

func (s strength) covers(t strength) bool {
	for w := range s {
		for r := range s[w] {
			if t[w][r] && !s[w][r] {
				return false
			}
		}
	}
	return true
}

// equivalent says why a mutant may be as good as the original. Only swaps can be:
//   - In a barrier one rank may await before it signals, or signal the rounds in another order: the others do not, so it
//     still comes out of its waits, and what it signals later says more, not less. This is often enough, though not
//     always: 3 or 5 ranks leave rounds half empty, and in round 0 nobody needs to hear more than its neighbour.
//   - In scatter-gather an owner may fold in another order, as long as the contributions it has folded stay neighbours.
//   - There, the contributions of one rank may go out in another order. This matters to slots only, and with few ranks,
//     or one that has changed its ways, the slots are enough. And nobody need wait until its contribution was read, for
//     the owner's result, which overwrites it, says so. Waiting for more than that does no harm either, but for deadlock.
func (m *mutant) equivalent(s subject) (why string) {
	if m.i < 0 {
		return ""
	}
	if s.does == Barrier {
		return "a barrier's signals in another order"
	}
	if !slices.Equal(m.before.folded(), m.programs[m.rank].folded()) {
		return "folds in another order"
	}
	if all, _ := m.keeps(loosened(m.before), loosened(m.programs[m.rank])); all {
		return "sends in another order, or not waiting for reads"
	}
	return ""
}

// folded lists the ranks whose contributions a program folds, in order.
func (p Program) folded() []int {
	var ranks []int
	for _, s := range p.Steps {
		for _, x := range []Operand{s.A, s.B} {
			if s.B.Place != Nowhere && x.Place == Message {
				ranks = append(ranks, x.From)
			}
		}
	}
	return ranks
}

// loosened drops what orders sends alone, and what waits for reads alone.
func loosened(p Program) Program {
	p = p.clone()
	for j := range p.Steps {
		s := &p.Steps[j]
		s.After = slices.DeleteFunc(s.After, func(d Dependency) bool {
			return d.Read || d.Whole && len(s.To) > 0 && len(p.Steps[d.Step].To) > 0
		})
	}
	return p
}

func TestMutants(t *testing.T) {
	const each = 60 // of every algorithm and number of ranks
	random := rand.New(rand.NewPCG(*base, 2))
	mutants, equivalents := 0, map[string]int{}
	for _, s := range subjects() {
		for ranks := 2; ranks <= 5; ranks++ {
			for range each {
				root := random.IntN(s.roots(ranks))
				m := mutate(s, ranks, root, random)
				if !m.changed {
					continue
				}
				mutants++
				if m.rejected(s, root) != nil {
					continue
				}
				why := m.equivalent(s)
				if why == "" {
					t.Errorf("passes: %s", m.what)
				}
				equivalents[why]++
				if testing.Verbose() {
					t.Logf("%s: %s", why, m.what)
				}
			}
		}
	}
	all := 0
	for _, n := range equivalents {
		all += n
	}
	t.Logf("%d mutants, %d of them equivalent: %v", mutants, all, equivalents)
	if mutants < 500 || all*20 > mutants {
		t.Errorf("at least 500 are wanted, and at most 5 %% equivalent")
	}
}

// rejected looks for options and a seed with which the programs fail.
func (m *mutant) rejected(s subject, root int) error {
	for seed := range uint64(9) { // all ways to send with all cuts
		for _, o := range options(s.average, seed) {
			if err := Check(m.programs, s.does, root, o); err != nil {
				return err
			}
		}
	}
	return nil
}
