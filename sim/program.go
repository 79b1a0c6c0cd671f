package sim

import (
	"cmp"
	"slices"

	"hcomm/plan"
)

// program is a plan.Program with only what a simulation needs, as tight as can be: there may be millions of steps.
// Blocks, parts and memory do not matter to it: what a step waits for says it all.
type program struct {
	steps  []step // and one more, where all lists end
	after  []dependency
	next   []int32 // steps
	from   []int32 // queues
	to     []sending
	takers []int32 // steps, queue by queue
	queues []queue
	peers  []int32 // to whom it sends: positions, or how far round they are
	sorted []int32 // the indices of peers, in the order of what they are
	first  []int32 // the steps that wait for no step to do its first slice
}

// step is one, with where what is its own begins in its program's lists; it ends where that of the next step begins.
type step struct {
	seconds               float64 // of the processor, for each slice
	after, next, from, to int32
}

// count is how many steps there are.
func (c *program) count() int { return len(c.steps) - 1 }

func (c *program) afterOf(j int32) []dependency { return c.after[c.steps[j].after:c.steps[j+1].after] }
func (c *program) nextOf(j int32) []int32       { return c.next[c.steps[j].next:c.steps[j+1].next] }
func (c *program) fromOf(j int32) []int32       { return c.from[c.steps[j].from:c.steps[j+1].from] }
func (c *program) toOf(j int32) []sending       { return c.to[c.steps[j].to:c.steps[j+1].to] }

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
	takers  span // the steps that take one each, for every slice, in turn
}

// compile makes it of a plan's program, for slices of so many bytes.
func compile(p plan.Program, m plan.Model, slice float64) *program {
	c := unfilled(p)
	queues, peers := map[[2]int]int32{}, map[int]int32{}
	for j := range p.Steps {
		from, to := &p.Steps[j], &c.steps[j]
		*to = step{seconds: from.Seconds(m, slice), next: to.next}
		to.after, to.from, to.to = int32(len(c.after)), int32(len(c.from)), int32(len(c.to))
		free := true
		for _, d := range from.After {
			c.after = append(c.after, dependency{int32(d.Step), int32(d.Lag)})
			c.steps[d.Step].next++ // for now, how many
			free = free && d.Lag > 0
		}
		if free {
			c.first = append(c.first, int32(j))
		}
		c.receive(from, queues)
		c.send(from, peers)
	}
	end := &c.steps[c.count()]
	end.after, end.from, end.to = int32(len(c.after)), int32(len(c.from)), int32(len(c.to))
	c.listNext()
	c.listTakers()
	for i := range c.peers {
		c.sorted = append(c.sorted, int32(i))
	}
	slices.SortFunc(c.sorted, func(i, k int32) int { return cmp.Compare(c.peers[i], c.peers[k]) })
	return c
}

// unfilled has lists as long as they will be.
func unfilled(p plan.Program) *program {
	after, from, to := 0, 0, 0
	for j := range p.Steps {
		after += len(p.Steps[j].After)
		to += len(p.Steps[j].To)
		for _, x := range p.Steps[j].Operands {
			if x.Place == plan.Message {
				from++
			}
		}
	}
	return &program{
		steps: make([]step, len(p.Steps)+1), after: make([]dependency, 0, after), next: make([]int32, after),
		from: make([]int32, 0, from), takers: make([]int32, from), to: make([]sending, 0, to),
	}
}

// receive adds the messages that a step takes.
func (c *program) receive(s *plan.Step, queues map[[2]int]int32) {
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
		c.queues[q].takers.end++ // for now, how many
		c.from = append(c.from, q)
	}
}

// send adds those that it sends.
func (c *program) send(s *plan.Step, peers map[int]int32) {
	for _, peer := range s.To {
		i, known := peers[peer]
		if !known {
			i = int32(len(c.peers))
			peers[peer] = i
			c.peers = append(c.peers, int32(peer))
		}
		c.to = append(c.to, sending{i, uint8(s.Channel)})
	}
}

// listNext lists for each step those that wait for it.
func (c *program) listNext() {
	at := int32(0)
	for j := range c.steps { // first where each list ends,
		at += c.steps[j].next
		c.steps[j].next = at
	}
	for j := int32(c.count()) - 1; j >= 0; j-- { // and then from there to where it begins
		for _, d := range c.afterOf(j) {
			next := &c.steps[d.step].next
			*next--
			c.next[*next] = j
		}
	}
}

// listTakers lists for each queue who takes from it.
func (c *program) listTakers() {
	at := int32(0)
	for i := range c.queues {
		count := c.queues[i].takers.end
		c.queues[i].takers = span{at, at}
		at += count
	}
	for j := range int32(c.count()) {
		for _, q := range c.fromOf(j) {
			takers := &c.queues[q].takers
			c.takers[takers.end] = j
			takers.end++
		}
	}
}

// peer finds the index of one.
func (c *program) peer(p int32) (index int32, found bool) {
	at, found := slices.BinarySearchFunc(c.sorted, p, func(i, p int32) int { return cmp.Compare(c.peers[i], p) })
	if !found {
		return 0, false
	}
	return c.sorted[at], true
}
