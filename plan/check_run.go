package plan

import (
	"fmt"
	"math/rand/v2"
)

// machine is all ranks, their memory and the messages between them.
type machine struct {
	programs []Program
	does     Collective
	root     int
	o        CheckOptions
	random   *rand.Rand
	values   values
	ranks    []state
	queues   []*queue // see queue()
	schedule schedule

	blocks      int    // of the buffers that hold all
	small       uint64 // which slices of which parts go inside messages: see way()
	slotsInTurn bool   // chosen by the seed; link/shm does so
	held        int    // a rank that may not move, or nobody
}

// state is one rank.
type state struct {
	shape   Shape
	inPlace bool
	memory  map[cellKey][]cell
	slots   [Channels]pool
	steps   []progress
	left    int   // steps that are not done
	ready   []int // steps that may be ready, in no order; each other one waits, in one list of waiters or for a slot
	unread  int   // what was sent in place and has readers still to come
}

// progress is one step.
type progress struct {
	done    int // slices
	first   int // the slices from this one on that are before end are read in place: a buffer may be shared in part
	end     int
	sent    []*delivery // in place, by slice
	waiters waiters     // for this step to be done, or read

	wantsSlot bool // it waits for one, or for its turn to take one
}

// waiters are steps of one rank.
type waiters []int

// queue finds or makes one.
func (m *machine) queue(from, to, channel int) *queue {
	q := &m.queues[(to*len(m.ranks)+from)*Channels+channel]
	if *q == nil {
		*q = &queue{}
	}
	return *q
}

func newMachine(programs []Program, c Collective, root int, o CheckOptions) *machine {
	n := len(programs)
	m := &machine{
		programs: programs, does: c, root: root, o: o, held: nobody, values: values{},
		random: rand.New(rand.NewPCG(o.Seed, 0)),
		ranks:  make([]state, n),
		queues: make([]*queue, n*n*Channels),
	}
	m.blocks = c.Shape(Role{Ranks: n}).Blocks
	m.slotsInTurn = m.random.IntN(2) == 0
	switch o.Send {
	case SendEither:
		m.small = m.random.Uint64()
	case SendInside:
		m.small = ^uint64(0)
	}
	m.schedule = newSchedule(n, m.random)
	for r := range m.ranks {
		m.start(r)
	}
	return m
}

func (m *machine) start(r int) {
	s, p := &m.ranks[r], &m.programs[r]
	s.shape = m.does.Shape(Role{Rank: r, Ranks: len(m.ranks), Root: m.root})
	s.inPlace = m.o.InPlace && !p.Apart
	s.memory = map[cellKey][]cell{}
	for c := range s.slots {
		s.slots[c] = pool{slots: make([]slot, m.o.Slots), inTurn: m.slotsInTurn}
	}
	s.steps, s.left = make([]progress, len(p.Steps)), len(p.Steps)
	for j := range p.Steps {
		step := &p.Steps[j]
		for _, to := range step.To {
			q := m.queue(r, to, step.Channel)
			q.turns = append(q.turns, j)
		}
		if _, may := step.Reference(); may {
			s.steps[j].first, s.steps[j].end = m.lent()
			s.steps[j].sent = make([]*delivery, m.o.Slices)
		}
	}
	for j := range p.Steps {
		m.settle(r, j)
	}
}

// lent chooses which slices a step that may do so has read in place.
func (m *machine) lent() (first, end int) {
	switch m.o.Send {
	case SendInPlace:
		return 0, m.o.Slices
	case SendEither:
		a, b := m.random.IntN(m.o.Slices+1), m.random.IntN(m.o.Slices+1)
		return min(a, b), max(a, b)
	}
	return 0, 0
}

// finished says whether a rank would return to the user: all is done, and nobody reads its buffers any more.
func (m *machine) finished(rank int) bool {
	return m.ranks[rank].left == 0 && m.ranks[rank].unread == 0
}

// way is how a step sends.
type way uint8

const (
	inside  way = iota // the message carries the data
	bySlot             // a slot does
	inPlace            // the peers read the sender's buffer
)

// way chooses how a step sends a slice. Whether it fits in a message is a matter of its size, the same for all steps.
func (m *machine) way(rank, step, slice int) way {
	if p := &m.ranks[rank].steps[step]; p.first <= slice && slice < p.end {
		return inPlace
	}
	if n := m.programs[rank].Steps[step].Part*m.o.Slices + slice; m.small>>(n%64)&1 == 1 {
		return inside
	}
	return bySlot
}

// do performs the next slice of a step that is ready.
func (m *machine) do(rank, step int) error {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	k := at.steps[step].done
	var result *value
	for i, x := range s.Operands {
		v, err := m.operand(rank, step, k, x)
		if err != nil {
			return err
		}
		v = m.values.mapped(x.Map, v)
		if i > 0 {
			v = m.values.get(value{made: joined, left: result, right: v, same: i > 1})
		}
		result = v
	}
	if s.Store.Place != Nowhere {
		m.cells(rank, s.Store, s.Part)[k].write(result, step)
	}
	if len(s.To) > 0 {
		if err := m.send(rank, step, k, result); err != nil {
			return err
		}
	}
	if at.steps[step].done++; at.steps[step].done == m.o.Slices {
		at.left--
	} else {
		m.candidate(rank, step)
	}
	if len(s.To) > 0 {
		m.wakeSlotTurn(rank, s.Channel)
	}
	m.wake(rank, &at.steps[step].waiters)
	return nil
}

// operand reads an operand of a step, and consumes it if it is a message.
func (m *machine) operand(rank, step, slice int, x Operand) (*value, error) {
	s := &m.programs[rank].Steps[step]
	if x.Place != Message {
		c := &m.cells(rank, x.Location, s.Part)[slice]
		if c.value == nil {
			return nil, m.fault(ErrUninitialised, rank, step, slice, "nothing was stored in %v yet", x.Location)
		}
		return c.value, nil
	}
	q := m.queue(x.From, rank, x.Channel)
	d := q.take()
	m.wake(x.From, &q.senders)
	if d.part != s.Part || d.slice != slice {
		return nil, m.fault(ErrMismatch, rank, step, slice, "rank %d's step %d sent part %d, slice %d",
			d.from, d.step, d.part, d.slice)
	}
	if d.memory.version != d.version {
		return nil, m.fault(ErrOverwritten, rank, step, slice, "what rank %d's step %d sent lay where its step %d has stored since",
			d.from, d.step, d.memory.writer)
	}
	v := d.memory.value
	m.consumed(d)
	return v, nil
}

// consumed counts a reader off.
func (m *machine) consumed(d *delivery) {
	sender := &m.ranks[d.from]
	d.readers--
	last := d.readers == 0
	if d.inPlace && last {
		sender.unread--
		m.wake(d.from, &sender.steps[d.step].waiters)
	}
	if d.slot != nil && (last || m.o.freeEarly) {
		d.slot.busy = false
		d.slot = nil
		m.wakeSlotTurn(d.from, m.programs[d.from].Steps[d.step].Channel)
	}
}

// send puts one slice into the queues of its receivers.
func (m *machine) send(rank, step, slice int, v *value) error {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	d := &delivery{from: rank, step: step, part: s.Part, slice: slice, readers: len(s.To)}
	switch m.way(rank, step, slice) {
	case bySlot:
		d.slot = at.slots[s.Channel].take()
		d.memory = &d.slot.cell
		d.memory.write(v, step)
	case inPlace:
		d.inPlace = true
		from, _ := s.Reference()
		d.memory = &m.cells(rank, from, s.Part)[slice]
		at.steps[step].sent[slice] = d
		at.unread++
	case inside:
		d.memory = &cell{value: v}
	}
	d.version = d.memory.version
	for _, to := range s.To {
		q := m.queue(rank, to, s.Channel)
		// An executor counts messages to know which were read.
		if j, k := q.turn(); j != step || k != slice {
			return m.fault(ErrMismatch, rank, step, slice, "the next message to rank %d on channel %d is step %d's slice %d",
				to, s.Channel, j, k)
		}
		q.put(d)
		m.wake(to, &q.takers)
	}
	return nil
}

// fault is an error with its place. A step of nobody means that no step ever touched the place.
func (m *machine) fault(kind error, rank, step, slice int, format string, a ...any) error {
	what := fmt.Sprintf(format, a...)
	if step == nobody {
		return fmt.Errorf("%w: rank %d, no step, slice %d: %s", kind, rank, slice, what)
	}
	return fmt.Errorf("%w: rank %d, step %d (%s), slice %d: %s",
		kind, rank, step, m.programs[rank].Steps[step].Form(), slice, what)
}
