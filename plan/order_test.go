package plan

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// unrolled is a program with each slice of each step as a node: after[y] are the nodes that node y comes after, read[y]
// those of them whose messages were read, too.
type unrolled struct {
	p           *Program
	slices      int
	after, read []set
}

func (u *unrolled) node(step, slice int) int { return slice*len(u.p.Steps) + step }

// unroll draws the conclusions from the dependencies of a program.
func (p *Program) unroll(slices int) *unrolled {
	u := &unrolled{p: p, slices: slices}
	n := slices * len(p.Steps)
	u.after, u.read = make([]set, n), make([]set, n)
	for y := range n {
		u.after[y], u.read[y] = make(set, (n+63)/64), make(set, (n+63)/64)
	}
	for slice := range slices {
		for step := range p.Steps {
			y := u.node(step, slice)
			if slice > 0 {
				u.follow(y, u.node(step, slice-1), false)
			}
			for _, d := range p.Steps[step].After {
				if slice >= d.Lag {
					u.follow(y, u.node(d.Step, slice-d.Lag), d.Read)
				}
			}
		}
	}
	return u
}

// follow makes y come after x. All that x comes after is known.
func (u *unrolled) follow(y, x int, read bool) {
	for w := range u.after[y] {
		u.after[y][w] |= u.after[x][w]
		u.read[y][w] |= u.read[x][w]
	}
	u.after[y].add(x)
	if read {
		u.read[y].add(x)
	}
}

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// conflict says in what two steps, i before j, are in each other's way, from the rules of memory and queues alone.
type conflict struct{ memory, read, queue bool }

func (p *Program) conflict(i, j int) conflict {
	var c conflict
	a, b := &p.Steps[i], &p.Steps[j]
	same := func(x, y Location) bool {
		for _, l := range []*Location{&x, &y} {
			if l.Place == Input && !p.Apart {
				l.Place = Output
			}
		}
		return x == y && a.Part == b.Part && (x.Place == Output || x.Place == Input || x.Place == Scratch)
	}
	c.memory = same(a.Store, b.Store)
	for _, x := range a.Operands {
		c.memory = c.memory || same(x.Location, b.Store)
	}
	for _, y := range b.Operands {
		c.memory = c.memory || same(a.Store, y.Location)
	}
	from, sent := a.Reference()
	c.read = sent && same(from, b.Store)

	for _, to := range a.To {
		c.queue = c.queue || a.Channel == b.Channel && slices.Contains(b.To, to)
	}
	for _, x := range a.Operands {
		for _, y := range b.Operands {
			c.queue = c.queue || x.Place == Message && y.Place == Message && x.From == y.From && x.Channel == y.Channel
		}
	}
	return c
}

// coversConflicts wants the program's dependencies to keep apart what is in conflict, and no dependency without a conflict.
func coversConflicts(t rapid.TB, p Program) {
	u := p.unroll(3)
	for i := range p.Steps {
		for j := i + 1; j < len(p.Steps); j++ {
			c := p.conflict(i, j)
			for k := range u.slices {
				x, y := u.node(i, k), u.node(j, k)
				if (c.memory || c.queue) && !u.after[y].has(x) || c.read && !u.read[y].has(x) {
					t.Fatalf("step %d must come after %d, %+v:\n%s", j, i, c, Explain(p))
				}
				if c.queue && k > 0 && !u.after[x].has(u.node(j, k-1)) {
					t.Fatalf("step %d must come after %d with lag 1, %+v:\n%s", i, j, c, Explain(p))
				}
			}
		}
	}
	for j, s := range p.Steps {
		for _, d := range s.After {
			c := p.conflict(min(d.Step, j), max(d.Step, j))
			if justified := c.queue || c.memory && d.Lag == 0; !justified || d.Read && !c.read {
				t.Fatalf("step %d comes after %v for nothing, %+v:\n%s", j, d, c, Explain(p))
			}
		}
	}
}

func TestOrderCoversEveryConflict(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		programs := traffic(t)
		if err := wellFormed(programs, AlltoAll, 0, CheckOptions{Slices: 1, Slots: 1}); err != nil {
			t.Fatal(err)
		}
		for _, p := range programs {
			coversConflicts(t, p)
		}
	})
	for _, s := range subjects() {
		for ranks := 1; ranks <= 9; ranks++ {
			for _, inPlace := range []mix{allApart, allInPlace} {
				for rank := range ranks {
					root := ranks / 2 % s.roots(ranks)
					coversConflicts(t, s.Build(Role{Rank: rank, Ranks: ranks, Root: root, InPlace: inPlace(rank)}))
				}
			}
		}
	}
}

// site is a piece of memory of one rank.
type site struct {
	rank, part int
	Location
}

// drawing is traffic while it is drawn.
type drawing struct {
	*rapid.T
	programs []Program
	parts    int
	written  map[site]bool
}

// traffic draws programs that need not compute anything useful, but can run: it makes one list of events for all ranks,
// each of them a local step, or sends with their receives, and gives every rank its part.
func traffic(t *rapid.T) []Program {
	ranks := rapid.IntRange(1, 4).Draw(t, "ranks")
	d := &drawing{t, make([]Program, ranks), rapid.IntRange(1, 2).Draw(t, "parts"), map[site]bool{}}
	for range rapid.IntRange(1, 14).Draw(t, "events") {
		part, rank := d.number("part", d.parts), d.number("rank", ranks)
		if rapid.Bool().Draw(t, "together") {
			d.gather(rank, part)
		} else {
			d.spread(rank, part)
		}
	}
	for r := range d.programs {
		p := &d.programs[r]
		p.Parts, p.Scratch, p.Apart = d.parts, ranks, rapid.Bool().Draw(t, "apart")
		*p = p.order()
	}
	return d.programs
}

func (d *drawing) number(what string, n int) int { return rapid.IntRange(0, n-1).Draw(d.T, what) }

// spread is a local step, or a send to some ranks.
func (d *drawing) spread(rank, part int) {
	var to []int
	for q := range d.programs {
		if q != rank && rapid.Bool().Draw(d.T, "to") {
			to = append(to, q)
		}
	}
	channel := d.send(rank, part, to)
	for _, q := range to {
		d.store(q, Step{Part: part, Operands: d.operands(q, part, message(rank, channel))})
	}
}

// gather is sends to one rank, which takes all of them in one step.
func (d *drawing) gather(rank, part int) {
	var messages []Operand
	for q := range d.programs {
		if q != rank && rapid.Bool().Draw(d.T, "from") {
			messages = append(messages, message(q, d.send(q, part, []int{rank})))
		}
	}
	d.store(rank, Step{Part: part, Operands: d.operands(rank, part, messages...)})
}

// send adds a step with some operands that goes to these ranks, and may be kept, too.
func (d *drawing) send(rank, part int, to []int) (channel int) {
	s := Step{Part: part, Operands: d.operands(rank, part), To: to}
	s.Channel, s.Eager = d.number("channel", Channels), rapid.Bool().Draw(d.T, "eager")
	if len(to) == 0 || rapid.Bool().Draw(d.T, "keep") {
		d.store(rank, s)
	} else {
		d.programs[rank].Steps = append(d.programs[rank].Steps, s)
	}
	return s.Channel
}

// operands adds local ones to the messages, and at least one if there are none.
func (d *drawing) operands(rank, part int, messages ...Operand) []Operand {
	all := messages
	for len(all) == 0 || rapid.IntRange(0, 2).Draw(d.T, "more") == 0 {
		x := input(d.number("block", len(d.programs)))
		at := site{rank, part, Location{rapid.SampledFrom([]Place{Output, Scratch}).Draw(d.T, "place"), x.Block}}
		if d.written[at] {
			x.Location = at.Location
		}
		x.Map = Map(rapid.IntRange(0, 1).Draw(d.T, "map"))
		all = slices.Insert(slices.Clone(all), d.number("at", len(all)+1), x)
	}
	return all
}

func (d *drawing) store(rank int, s Step) {
	s.Store = Location{rapid.SampledFrom([]Place{Output, Output, Scratch}).Draw(d.T, "store"), d.number("block", len(d.programs))}
	d.written[site{rank, s.Part, s.Store}] = true
	d.programs[rank].Steps = append(d.programs[rank].Steps, s)
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
			InPlace: rapid.Bool().Draw(t, "in place"), Send: Sending(rapid.IntRange(0, int(sendings)-1).Draw(t, "send")),
		}
		calm := CheckOptions{Slices: o.Slices, Slots: 100, InPlace: o.InPlace, Send: SendBySlot}
		want := newMachine(inSequence(programs), AlltoAll, 0, calm)
		if err := want.finish(); err != nil {
			t.Fatal(err)
		}
		for o.Seed = range 5 {
			got := newMachine(programs, AlltoAll, 0, o)
			if err := got.finish(); err != nil {
				t.Fatalf("%+v: %v\n%s", o, err, listing(programs))
			}
			sameOutputs(t, got, want)
		}
	})
}

// inSequence makes each slice of each step wait for the step before it.
func inSequence(programs []Program) []Program {
	all := make([]Program, len(programs))
	for r := range programs {
		all[r] = programs[r].clone()
		steps := all[r].Steps
		for j := range steps {
			steps[j].After = []Dependency{{Step: j - 1}}
		}
		if len(steps) > 0 {
			steps[0].After = nil
		}
		if last := len(steps) - 1; last > 0 {
			steps[0].After = []Dependency{{Step: last, Lag: 1}}
		}
	}
	return all
}

func sameOutputs(t *rapid.T, got, want *machine) {
	same := map[[2]*value]bool{}
	for r := range got.programs {
		for block := range got.blocks {
			for part := range got.programs[r].Parts {
				a, b := got.cells(r, Location{Output, block}, part), want.cells(r, Location{Output, block}, part)
				for k := range a {
					if !equal(a[k].value, b[k].value, same) {
						t.Fatalf("%+v: rank %d, block %d, part %d, slice %d differs\n%s", got.o, r, block, part, k, listing(got.programs))
					}
				}
			}
		}
	}
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
		known[pair] = a.made == b.made && a.leaf == b.leaf && a.same == b.same &&
			equal(a.left, b.left, known) && equal(a.right, b.right, known)
	}
	return known[pair]
}
