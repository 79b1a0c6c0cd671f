package plan

import (
	"container/heap"
	"math"
)

// Simulate runs the programs of all ranks in the time of a model and returns after how many seconds the last is done, or
// infinity if they wait for each other. Blocks have so many bytes; slices are of equal size.
//
// A rank does one slice of one step at a time, of those that are ready in turn. What it sends is copied once, into a
// slot unless the message has room, is seen by the receivers Latency later, and read by each of them; the slot is free
// Latency after the last has read it. Ranks that copy at the same time share the memory.
func Simulate(programs []Program, c Collective, bytes float64, m Model) (seconds float64) {
	if c == Barrier {
		bytes = 0
	}
	slices, w := m.Slices(bytes / float64(programs[0].Parts))
	s := simulation{model: m, slices: int(slices), slice: w, ranks: make([]actor, len(programs))}
	for r := range s.ranks {
		p := &programs[r]
		s.ranks[r] = actor{
			Program: p, done: make([]int, len(p.Steps)), left: len(p.Steps) * s.slices, step: idle,
			inbox: make([][]post, len(programs)*Channels),
		}
	}
	for {
		s.startIdle()
		if !s.advance() {
			break
		}
	}
	for r := range s.ranks {
		if s.ranks[r].left > 0 {
			return math.Inf(1)
		}
	}
	return s.end
}

type simulation struct {
	model  Model
	slices int     // of each part
	slice  float64 // its bytes
	now    float64
	end    float64 // of the last slice of a step
	ranks  []actor
	later  instants
}

// actor is one rank.
type actor struct {
	*Program
	done  []int // slices, by step
	left  int   // slices of steps that are not done
	next  int   // the step to look at first
	inbox [][]post
	used  [Channels]int // slots
	sent  [Channels]int // messages, in the order in which slots are taken

	step  int     // that it is at, or idle
	until float64 // when it has handled the messages, and reduced
	bytes float64 // that it then has to copy
	reads []*load // of the messages that it took
}

const idle = -1

// rounding is how much of a byte may be lost to it.
const rounding = 1e-6

// post is a message, and load what it carries, which lies in a slot of the sender.
type post struct {
	seen float64
	load *load
}

type load struct{ sender, channel, readers int }

// instant is when something happens that a rank may wait for: it sees a message, or has a slot back.
type instant struct {
	at   float64
	slot *load // that is free; nil for a message
}

// instants is a heap.
type instants []instant

func (h instants) Len() int           { return len(h) }
func (h instants) Less(i, j int) bool { return h[i].at < h[j].at }
func (h instants) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *instants) Push(x any)        { *h = append(*h, x.(instant)) }
func (h *instants) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}

// startIdle gives those ranks something to do that have nothing.
func (s *simulation) startIdle() {
	for r := range s.ranks {
		a := &s.ranks[r]
		if a.step != idle || a.left == 0 {
			continue
		}
		for i := range a.Steps {
			if j := (a.next + i) % len(a.Steps); s.ready(a, j) {
				s.start(a, j)
				break
			}
		}
	}
}

// ready says whether a rank can do the next slice of a step.
func (s *simulation) ready(a *actor, j int) bool {
	step, k := &a.Steps[j], a.done[j]
	if k == s.slices {
		return false
	}
	for _, d := range step.After {
		if a.done[d.Step] <= k-d.Lag {
			return false
		}
	}
	for _, x := range step.Operands {
		if x.Place != Message {
			continue
		}
		if q := a.inbox[x.From*Channels+x.Channel]; len(q) == 0 || q[0].seen > s.now {
			return false
		}
	}
	if len(step.To) == 0 {
		return true
	}
	turns := a.Senders[step.Channel]
	return s.slice <= s.model.Inline ||
		turns[a.sent[step.Channel]%len(turns)] == j && a.used[step.Channel] < max(s.model.Slots, 1)
}

// start takes the messages and works out how long the slice takes.
func (s *simulation) start(a *actor, j int) {
	step := &a.Steps[j]
	a.step, a.next, a.reads = j, j+1, a.reads[:0]
	for _, x := range step.Operands {
		if x.Place == Message {
			q := &a.inbox[x.From*Channels+x.Channel]
			a.reads = append(a.reads, (*q)[0].load)
			*q = (*q)[1:]
		}
	}
	if len(step.To) > 0 {
		a.used[step.Channel]++
		a.sent[step.Channel]++
	}
	w := step.work()
	a.bytes = w.copies * s.slice
	w.copies = 0
	a.until = s.now + w.seconds(s.model, s.slice)
}

// Seconds is how long a rank is busy with one slice of a step, of so many bytes, if nobody else uses the memory.
func (s *Step) Seconds(m Model, bytes float64) float64 { return s.work().seconds(m, bytes) }

// work is what one slice of a step takes. The result of a reduction, or of reading a message, goes where it is wanted as it
// is made; only a second place costs more.
func (s *Step) work() work {
	var messages float64
	for _, x := range s.Operands {
		if x.Place == Message {
			messages++
		}
	}
	w := work{messages + float64(len(s.To)), messages, float64(len(s.Operands) - 1)}
	if len(s.Operands) == 1 && messages == 0 {
		w.copies++
	}
	if s.Store.Place != Nowhere && len(s.To) > 0 {
		w.copies++
	}
	return w
}

// advance goes to when something happens next.
func (s *simulation) advance() bool {
	pace := s.pace()
	next := math.Inf(1)
	if len(s.later) > 0 {
		next = s.later[0].at
	}
	for r := range s.ranks {
		if a := &s.ranks[r]; a.step != idle {
			if a.until > s.now {
				next = min(next, a.until)
			} else {
				next = min(next, s.now+a.bytes*pace)
			}
		}
	}
	if math.IsInf(next, 1) {
		return false
	}
	passed := next - s.now
	for r := range s.ranks {
		a := &s.ranks[r]
		switch {
		case a.step == idle || a.until > next:
		case a.until > s.now: // and is next: it starts to copy, if there is anything
			if a.bytes == 0 {
				s.finish(r, next)
			}
		case a.bytes-passed/pace < rounding:
			s.finish(r, next)
		default:
			a.bytes -= passed / pace
		}
	}
	for s.now = next; len(s.later) > 0 && s.later[0].at <= next; {
		if free := heap.Pop(&s.later).(instant).slot; free != nil {
			s.ranks[free.sender].used[free.channel]--
		}
	}
	return true
}

// pace is the seconds that a byte takes each of those that copy now.
func (s *simulation) pace() float64 {
	copying := 0.0
	for r := range s.ranks {
		if a := &s.ranks[r]; a.step != idle && a.until <= s.now {
			copying++
		}
	}
	return max(s.model.Copy, copying*s.model.Memory)
}

// finish ends a slice: slots that were read become free, and what is sent is under way.
func (s *simulation) finish(rank int, at float64) {
	a := &s.ranks[rank]
	step := &a.Steps[a.step]
	s.end = at
	for _, l := range a.reads {
		if l.readers--; l.readers == 0 {
			heap.Push(&s.later, instant{at + s.model.Latency, l})
		}
	}
	if len(step.To) > 0 {
		seen := at + s.model.Latency
		l := &load{rank, step.Channel, len(step.To)}
		for _, to := range step.To {
			q := &s.ranks[to].inbox[rank*Channels+step.Channel]
			*q = append(*q, post{seen, l})
		}
		heap.Push(&s.later, instant{at: seen})
	}
	a.done[a.step]++
	a.left--
	a.step = idle
}
