package sim

import (
	"cmp"
	"slices"

	"hcomm/plan"
)

// program is a plan.Program with only what a simulation needs, as tight as can be: there may be millions of steps.
// Blocks, parts and memory do not matter to it: what a step waits for says it all.
type program struct {
	steps  []step
	after  []dependency
	next   []int32 // steps
	from   []int32 // queues
	to     []sending
	queues []queue
	peers  []int32 // to whom it sends: positions, or how far round they are
	sorted []int32 // the indices of peers, in the order of what they are
	first  []int32 // the steps that wait for no step to do its first slice
}

// step is one, as ranges of its program's lists.
type step struct {
	seconds               float64 // of the processor, for each slice
	after, next, from, to span
}

type span struct{ begin, end int32 }

type dependency struct{ step, lag int32 }

type sending struct {
	peer    int32 // an index of peers
	channel uint8
}

// queue is where messages of a peer arrive on a channel.
type queue struct {
	peer    int32 // a position, or how far round
	channel uint8
	takers  []int32 // the steps that take one each, for every slice, in turn
}

// compile makes it of a plan's program, for slices of so many bytes.
func compile(p plan.Program, m plan.Model, slice float64) *program {
	c := &program{steps: make([]step, len(p.Steps))}
	queues, peers := map[[2]int]int32{}, map[int]int32{}
	waiters := make([]int32, len(p.Steps)+1)
	for j := range p.Steps {
		from, to := &p.Steps[j], &c.steps[j]
		to.seconds = from.Seconds(m, slice)
		to.after.begin = int32(len(c.after))
		free := true
		for _, d := range from.After {
			c.after = append(c.after, dependency{int32(d.Step), int32(d.Lag)})
			waiters[d.Step]++
			free = free && d.Lag > 0
		}
		to.after.end = int32(len(c.after))
		if free {
			c.first = append(c.first, int32(j))
		}
		c.messages(int32(j), from, queues, peers)
	}
	c.reverse(waiters)
	for i := range c.peers {
		c.sorted = append(c.sorted, int32(i))
	}
	slices.SortFunc(c.sorted, func(i, k int32) int { return cmp.Compare(c.peers[i], c.peers[k]) })
	return c
}

// peer finds the index of one.
func (c *program) peer(p int32) (index int32, found bool) {
	at, found := slices.BinarySearchFunc(c.sorted, p, func(i, p int32) int { return cmp.Compare(c.peers[i], p) })
	if !found {
		return 0, false
	}
	return c.sorted[at], true
}

// messages adds those of step j.
func (c *program) messages(j int32, s *plan.Step, queues map[[2]int]int32, peers map[int]int32) {
	c.steps[j].from.begin = int32(len(c.from))
	for _, x := range s.Operands {
		if x.Place != plan.Message {
			continue
		}
		key := [2]int{x.From, x.Channel}
		q, known := queues[key]
		if !known {
			q = int32(len(c.queues))
			queues[key] = q
			c.queues = append(c.queues, queue{peer: int32(x.From), channel: uint8(x.Channel)})
		}
		c.queues[q].takers = append(c.queues[q].takers, j)
		c.from = append(c.from, q)
	}
	c.steps[j].from.end = int32(len(c.from))
	c.steps[j].to.begin = int32(len(c.to))
	for _, to := range s.To {
		i, known := peers[to]
		if !known {
			i = int32(len(c.peers))
			peers[to] = i
			c.peers = append(c.peers, int32(to))
		}
		c.to = append(c.to, sending{i, uint8(s.Channel)})
	}
	c.steps[j].to.end = int32(len(c.to))
}

// reverse lists for each step those that wait for it, of which there are so many.
func (c *program) reverse(waiters []int32) {
	c.next = make([]int32, len(c.after))
	at := int32(0)
	for j := range c.steps {
		c.steps[j].next = span{at, at}
		at += waiters[j]
	}
	for j := range c.steps {
		for _, d := range c.after[c.steps[j].after.begin:c.steps[j].after.end] {
			next := &c.steps[d.step].next
			c.next[next.end] = int32(j)
			next.end++
		}
	}
}
