package plan

import (
	"fmt"
	"slices"
	"testing"
)

// A proof shows that programs which pass Check once pass in every order of events, with any number of slices and slots, and
// however the ranks send. Every slice of every step is a node of a graph, and some nodes come after others in all orders:
//
//   - the dependencies say so, and a message is taken after it is sent. For that it must be certain which step takes which
//     message: both ends of each queue must use it in one order.
//   - If any two nodes on the same memory, one of them writing, come one after the other, all orders give the same
//     results. A peer that may read what was sent in place is a reader, too.
//   - If also what a step may have to wait for, a slot, or a peer that reads, never leads back to it, nobody waits for
//     ever. One slot is the hardest case: a send waits for all readers of the one before it; so no queue is ever full.
//
// No edge leads to an earlier slice, and all slices have the same edges. So two of them show what holds for any number.
type proof struct {
	programs []Program
	ranks    []state       // for where memory lies
	start    []int         // each rank's first node
	before   [][]int       // the nodes that a node comes after in all orders, by one edge
	waits    [][]int       // those that it may have to wait for, besides
	readers  [][]int       // the nodes that take what a node sends
	rereads  map[int][]int // the nodes that wait until what a node sent is read
	after    []set         // by any number of edges of before
	queues   map[route]*ends
}

const provenSlices = 2

// route names a queue, ends its nodes in the order in which they must use it.
type (
	route struct{ from, to, channel int }
	ends  struct{ sends, takes []int }
)

func (p *proof) node(rank, step, slice int) int {
	return p.start[rank] + slice*len(p.programs[rank].Steps) + step
}

// each calls f for every node.
func (p *proof) each(f func(rank, slice, node int, s *Step)) {
	for r := range p.programs {
		for k := range provenSlices {
			for j := range p.programs[r].Steps {
				f(r, k, p.node(r, j, k), &p.programs[r].Steps[j])
			}
		}
	}
}

// prove says why there is no proof, or nothing.
func prove(programs []Program, c Collective, root int, o CheckOptions) (why string) {
	o.Slices, o.Slots, o.Send = provenSlices, 2, SendBySlot
	if err := Check(programs, c, root, o); err != nil {
		return err.Error()
	}
	p := newProof(programs, c, root, o)
	for _, step := range []func() string{p.matches, p.sorted, p.ordered, p.races} {
		if why := step(); why != "" {
			return why
		}
	}
	if c == Barrier {
		return p.meets()
	}
	return ""
}

func newProof(programs []Program, c Collective, root int, o CheckOptions) *proof {
	p := &proof{programs: programs, ranks: newMachine(programs, c, root, o).ranks}
	p.rereads, p.queues = map[int][]int{}, map[route]*ends{}
	n := 0
	for r := range programs {
		p.start = append(p.start, n)
		n += provenSlices * len(programs[r].Steps)
	}
	p.before, p.waits, p.readers, p.after = make([][]int, n), make([][]int, n), make([][]int, n), make([]set, n)
	p.each(func(rank, slice, y int, s *Step) {
		if slice > 0 {
			p.before[y] = append(p.before[y], y-len(programs[rank].Steps))
		}
		for _, d := range s.After {
			if slice < d.Lag {
				continue
			}
			x := p.node(rank, d.Step, slice-d.Lag)
			p.before[y] = append(p.before[y], x)
			if d.Read {
				p.rereads[x] = append(p.rereads[x], y)
			}
		}
		for _, x := range s.Operands {
			if x.Place == Message {
				q := p.queue(route{x.From, rank, x.Channel})
				q.takes = append(q.takes, y)
			}
		}
		for _, to := range s.To {
			q := p.queue(route{rank, to, s.Channel})
			q.sends = append(q.sends, y)
		}
	})
	return p
}

func (p *proof) queue(e route) *ends {
	if p.queues[e] == nil {
		p.queues[e] = &ends{}
	}
	return p.queues[e]
}

// matches gives each message its taker, and then says who may have to wait for whom.
func (p *proof) matches() string {
	for e, q := range p.queues {
		if len(q.sends) != len(q.takes) {
			return fmt.Sprintf("%d messages are sent and %d taken of %v", len(q.sends), len(q.takes), e)
		}
		for i, x := range q.sends {
			p.before[q.takes[i]] = append(p.before[q.takes[i]], x)
			p.readers[x] = append(p.readers[x], q.takes[i])
		}
	}
	for x, later := range p.rereads {
		for _, y := range later {
			p.waits[y] = append(p.waits[y], p.readers[x]...)
		}
	}
	for r := range p.programs {
		for _, senders := range p.programs[r].Senders {
			last := nobody
			for k := range provenSlices {
				for _, j := range senders {
					y := p.node(r, j, k)
					if last != nobody {
						p.waits[y] = append(append(p.waits[y], last), p.readers[last]...)
					}
					last = y
				}
			}
		}
	}
	return ""
}

// sorted follows all edges, which must not lead in a circle, and draws the conclusions from those that are certain.
func (p *proof) sorted() string {
	n := len(p.before)
	left, next := make([]int, n), make([][]int, n)
	for y := range n {
		for _, edges := range [][]int{p.before[y], p.waits[y]} {
			left[y] += len(edges)
			for _, x := range edges {
				next[x] = append(next[x], y)
			}
		}
	}
	var free []int
	for y := range n {
		if left[y] == 0 {
			free = append(free, y)
		}
	}
	done := 0
	for ; len(free) > 0; done++ {
		x := free[len(free)-1]
		free = free[:len(free)-1]
		p.after[x] = make(set, (n+63)/64)
		for _, w := range p.before[x] {
			p.after[x].add(w)
			for i := range p.after[w] {
				p.after[x][i] |= p.after[w][i]
			}
		}
		for _, y := range next[x] {
			if left[y]--; left[y] == 0 {
				free = append(free, y)
			}
		}
	}
	if done < n {
		return "ranks may wait in a circle"
	}
	return ""
}

// ordered says whether both ends of each queue use it in one order.
func (p *proof) ordered() string {
	for e, q := range p.queues {
		for i := 1; i < len(q.sends); i++ {
			if !p.after[q.sends[i]].has(q.sends[i-1]) || !p.after[q.takes[i]].has(q.takes[i-1]) {
				return fmt.Sprintf("message %d of %v may come before the one before it", i, e)
			}
		}
	}
	return ""
}

// access is a node that reads or writes memory. A peer that reads what a node sent has that node as its sender.
type access struct {
	node, sender int
	writes       *Step // or nil
}

// races looks for two on the same memory that come in no order.
func (p *proof) races() string {
	type place struct {
		site
		slice int
	}
	all := map[place][]access{}
	p.each(func(rank, slice, y int, s *Step) {
		add := func(l Location, a access) {
			l, _ = p.ranks[rank].lies(rank, l)
			at := place{site{rank, s.Part, l}, slice}
			all[at] = append(all[at], a)
		}
		for _, x := range s.Operands {
			if x.Place != Message {
				add(x.Location, access{y, nobody, nil})
			}
		}
		if s.Store.Place != Nowhere && !p.idle(rank, s) {
			add(s.Store, access{y, nobody, s})
		}
		if from, ok := s.Reference(); ok {
			for _, reader := range p.readers[y] {
				add(from, access{reader, y, nil})
			}
		}
	})
	for at, some := range all {
		for _, w := range some {
			for _, a := range some {
				if w.writes != nil && a.node != w.node && !p.apart(a, w.node) && !alike(a.writes, w.writes) {
					return fmt.Sprintf("nodes %d and %d race for %v", a.node, w.node, at)
				}
			}
		}
	}
	return ""
}

// idle says whether a step copies memory to itself.
func (p *proof) idle(rank int, s *Step) bool {
	from, _ := p.ranks[rank].lies(rank, s.Operands[0].Location)
	to, _ := p.ranks[rank].lies(rank, s.Store)
	return len(s.Operands) == 1 && s.Operands[0].Map == Identity && from == to
}

// alike says whether two steps write the same: if they may do so in any order, nothing that both read is written between.
func alike(a, b *Step) bool {
	message := func(x Operand) bool { return x.Place == Message }
	return a != nil && slices.Equal(a.Operands, b.Operands) && !slices.ContainsFunc(a.Operands, message)
}

// apart says whether an access is certain to come before a write, or after it.
func (p *proof) apart(a access, write int) bool {
	if p.after[write].has(a.node) {
		return true
	}
	if a.sender == nobody {
		return p.after[a.node].has(write)
	}
	for _, y := range p.rereads[a.sender] {
		if y == write || p.after[write].has(y) {
			return true
		}
	}
	return a.sender == write || p.after[a.sender].has(write)
}

// meets says whether each rank has heard of each other one when it has done one slice.
func (p *proof) meets() string {
	for r := range p.programs {
		heard := map[int]bool{r: true}
		for j := range p.programs[r].Steps {
			p.each(func(other, _, x int, _ *Step) {
				if p.after[p.node(r, j, 0)].has(x) {
					heard[other] = true
				}
			})
		}
		if len(heard) < len(p.programs) {
			return fmt.Sprintf("rank %d has not heard of all", r)
		}
	}
	return ""
}

// Every builder is right in all orders of events.
func TestEveryBuilderIsProven(t *testing.T) {
	for _, s := range subjects() {
		t.Run(s.String(), func(t *testing.T) {
			t.Parallel()
			for ranks := 1; ranks <= 12; ranks++ {
				for root := range s.roots(ranks) {
					s.prove(t, ranks, root)
				}
			}
			for _, ranks := range []int{16, 17, 23} {
				s.prove(t, ranks, 5%s.roots(ranks))
			}
		})
	}
}

func (s subject) prove(t *testing.T, ranks, root int) {
	t.Helper()
	o := CheckOptions{InPlace: true, Order: s.Order, Average: s.average, Seed: *base}
	for i, inPlace := range []mix{allApart, allInPlace, someInPlace(0xb6d5 << root)} {
		if why := prove(s.programs(ranks, root, inPlace), s.Collective, root, o); why != "" {
			t.Fatalf("%v, %d ranks, root %d, mix %d: %s", s, ranks, root, i, why)
		}
	}
}
