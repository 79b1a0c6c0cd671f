package plan

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// strength is how strictly a step comes after another, as a set: each flag says one of the four ways of a Dependency,
// whole or not, read or not.
type strength [2][2]bool

func (s *strength) add(whole, read bool) {
	for w := range s {
		for r := range s[w] {
			s[w][r] = s[w][r] || (whole || w == 0) && (read || r == 0)
		}
	}
}

// precedence is what the dependencies of a program say together: result[j][i] is how step j comes after step i. It
// takes all steps to have slices.
func (p Program) precedence() [][]strength {
	all := make([][]strength, len(p.Steps))
	for j, s := range p.Steps {
		all[j] = make([]strength, j)
		for _, d := range s.After {
			all[j][d.Step].add(d.Whole, d.Read)
			for i := range d.Step {
				for whole := range 2 {
					for read := range 2 {
						if all[d.Step][i][whole][read] {
							all[j][i].add(d.Whole || whole == 1, read == 1)
						}
					}
				}
			}
		}
	}
	return all
}

// conflict says how step j must come after step i, from the rules of memory and queues alone.
func conflict(i, j *Step) (must, whole, read bool) {
	user := func(p Place) bool { return p == Input || p == Output }
	touches := func(s *Step, kind func(Place) bool) (reads, writes bool) {
		return kind(s.A.Place) || kind(s.B.Place), kind(s.Store)
	}
	for _, kind := range []func(Place) bool{user, func(p Place) bool { return p == Scratch }} {
		r1, w1 := touches(i, kind)
		r2, w2 := touches(j, kind)
		if i.Chunk == j.Chunk && (w1 && (r2 || w2) || r1 && w2) {
			must = true
		}
	}
	if i.byReference() && i.Chunk == j.Chunk && user(j.Store) {
		read = true
	}
	if len(i.To) > 0 && len(j.To) > 0 && i.Channel == j.Channel {
		whole = true
	}
	for _, x := range []Operand{i.A, i.B} {
		for _, y := range []Operand{j.A, j.B} {
			whole = whole || x.Place == Message && x == y
		}
	}
	whole = whole || i.Token || j.Token
	return must || whole || read, whole, read
}

// traffic draws programs that need not compute anything useful, but can run: it makes one list of events for all ranks,
// each of them a local step, or a send with its receives, and gives every rank its part.
func traffic(t *rapid.T) []Program {
	ranks, chunks := rapid.IntRange(1, 4).Draw(t, "ranks"), rapid.IntRange(1, 2).Draw(t, "chunks")
	programs := make([]Program, ranks)
	type memory struct {
		rank, chunk int
		place       Place
	}
	written := map[memory]bool{}
	for range rapid.IntRange(1, 14).Draw(t, "events") {
		rank, chunk := rapid.IntRange(0, ranks-1).Draw(t, "rank"), rapid.IntRange(0, chunks-1).Draw(t, "chunk")
		operand := func(rank int) Operand {
			places := []Place{Input}
			for _, p := range []Place{Output, Scratch} {
				if written[memory{rank, chunk, p}] {
					places = append(places, p)
				}
			}
			return at(rapid.SampledFrom(places).Draw(t, "operand"))
		}
		result := func(rank int, s Step) {
			written[memory{rank, chunk, s.Store}] = true
			programs[rank].Steps = append(programs[rank].Steps, s)
		}
		stores := rapid.SampledFrom([]Place{Output, Output, Scratch})

		s := Step{Chunk: chunk, A: operand(rank)}
		switch rapid.IntRange(0, 2).Draw(t, "function") {
		case 1:
			s.B = operand(rank)
		case 2:
			s.Map = Scale
		}
		for to := range ranks {
			if to != rank && rapid.Bool().Draw(t, "to") {
				s.To = append(s.To, to)
			}
		}
		s.Channel, s.Eager = rapid.IntRange(0, Channels-1).Draw(t, "channel"), rapid.Bool().Draw(t, "eager")
		if len(s.To) == 0 || rapid.Bool().Draw(t, "keep") {
			s.Store = stores.Draw(t, "store")
		}
		result(rank, s)
		for _, to := range s.To {
			r := Step{Chunk: chunk, A: fromMessage(rank, s.Channel)}
			switch rapid.IntRange(0, 2).Draw(t, "function") {
			case 1:
				r.B = operand(to)
			case 2:
				r.A, r.B = operand(to), r.A
			}
			r.Store = stores.Draw(t, "store")
			result(to, r)
		}
	}
	for r := range programs {
		programs[r].Chunks = chunks
		programs[r] = programs[r].order()
	}
	return programs
}

func TestOrderCoversEveryConflict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range traffic(t) {
			coversConflicts(t, p)
		}
	})
	for _, s := range subjects() {
		for ranks := 1; ranks <= 9; ranks++ {
			for _, p := range s.programs(ranks, ranks/2) {
				coversConflicts(t, p)
			}
		}
	}
}

func coversConflicts(t rapid.TB, p Program) {
	all := p.precedence()
	for j := range p.Steps {
		for i := range j {
			must, whole, read := conflict(&p.Steps[i], &p.Steps[j])
			have := &all[j][i]
			if must && !have[0][0] || whole && !have[1][0] || read && !have[0][1] {
				t.Fatalf("step %d must come after %d (whole %v, read %v):\n%s", j, i, whole, read, Explain(p))
			}
		}
		for _, d := range p.Steps[j].After {
			if must, _, _ := conflict(&p.Steps[d.Step], &p.Steps[j]); !must {
				t.Fatalf("step %d comes after %d for nothing:\n%s", j, d.Step, Explain(p))
			}
		}
	}
}

func TestOrderIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		for _, p := range traffic(t) {
			before := Explain(p)
			if after := Explain(p.order()); after != before {
				t.Fatalf("first\n%sthen\n%s", before, after)
			}
		}
	})
}

// In whatever order the steps run that their dependencies allow, with one slot or many: the outputs are those of a run
// step by step, and there is no deadlock.
func TestAnyOrderGivesTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		programs := traffic(t)
		o := CheckOptions{
			Slices: rapid.IntRange(1, 3).Draw(t, "slices"), Slots: rapid.IntRange(1, 2).Draw(t, "slots"),
			InPlace: rapid.Bool().Draw(t, "in place"), Send: Sending(rapid.IntRange(0, 2).Draw(t, "send")),
		}
		strict := make([]Program, len(programs))
		for r := range programs {
			strict[r] = programs[r].clone()
			for j := 1; j < len(strict[r].Steps); j++ {
				strict[r].Steps[j].After = []Dependency{{Step: j - 1, Whole: true}}
			}
		}
		want := newMachine(strict, CheckOptions{Slices: o.Slices, Slots: 100, InPlace: o.InPlace, Send: SendBySlot})
		if err := want.finish(); err != nil {
			t.Fatal(err)
		}
		for o.Seed = range 5 {
			got := newMachine(programs, o)
			if err := got.finish(); err != nil {
				t.Fatalf("%+v: %v\n%s", o, err, listing(programs))
			}
			same := map[[2]*value]bool{}
			for r := range programs {
				for c := range got.slices {
					for k := range got.slices[c] {
						if a, b := got.ranks[r].output[c][k].value, want.ranks[r].output[c][k].value; !equal(a, b, same) {
							t.Fatalf("%+v: rank %d, chunk %d, slice %d differs\n%s", o, r, c, k, listing(programs))
						}
					}
				}
			}
		}
	})
}

func listing(programs []Program) string {
	text := ""
	for r, p := range programs {
		text += fmt.Sprintf("rank %d: %s", r, Explain(p))
	}
	return text
}

// equal compares the trees of two machines.
func equal(a, b *value, known map[[2]*value]bool) bool {
	if a == nil || b == nil {
		return a == b
	}
	pair := [2]*value{a, b}
	if !known[pair] {
		known[pair] = a.made == b.made && a.rank == b.rank && equal(a.left, b.left, known) && equal(a.right, b.right, known)
	}
	return known[pair]
}
