package plan

import (
	"fmt"
	"math/rand/v2"
)

// machine is all ranks, their memory and the messages between them.
type machine struct {
	programs []Program
	o        CheckOptions
	random   *rand.Rand
	values   values
	slices   []int // of each chunk
	ranks    []state
	queues   []queue // see queue()
	schedule schedule

	slotsInTurn bool // chosen by the seed; link/shm does so
	held        int  // a rank that may not move, or nobody
}

const nobody = -1

// state is one rank.
type state struct {
	input, output, scratch [][]cell // by chunk and slice; input and output may be the same
	slots                  [Channels]pool
	done                   []int         // slices, by step
	open                   []int         // the steps that are not done, in order
	sent                   [][]*delivery // by step and slice; empty for steps that send nothing
	noSlot                 []bool        // by step: send without a slot if that is allowed
	unread                 int           // what was sent in place and has readers still to come
	awake                  bool          // something happened since no step was ready
}

func (m *machine) queue(from, to, channel int) *queue {
	return &m.queues[(to*len(m.ranks)+from)*Channels+channel]
}

func newMachine(programs []Program, o CheckOptions) *machine {
	n := len(programs)
	m := &machine{
		programs: programs, o: o, held: nobody, values: values{},
		random: rand.New(rand.NewPCG(o.Seed, 0)),
		slices: make([]int, programs[0].Chunks),
		ranks:  make([]state, n),
		queues: make([]queue, n*n*Channels),
	}
	for c := range m.slices {
		switch m.slices[c] = o.Slices; o.Cut {
		case CutUneven:
			m.slices[c] = 1 + m.random.IntN(o.Slices)
		case CutTiny:
			m.slices[c] = m.random.IntN(2)
		}
	}
	m.slotsInTurn = m.random.IntN(2) == 0
	for r := range m.ranks {
		m.start(r)
	}
	m.schedule = newSchedule(n, m.random)
	return m
}

func (m *machine) start(r int) {
	s, steps := &m.ranks[r], len(m.programs[r].Steps)
	s.input, s.output, s.scratch = m.memory(), m.memory(), m.memory()
	for c := range s.input {
		for k := range s.input[c] {
			s.input[c][k].value = m.values.get(value{rank: r})
		}
	}
	if m.o.InPlace {
		s.output = s.input
	}
	for c := range s.slots {
		s.slots[c] = pool{slots: make([]slot, m.o.Slots), inTurn: m.slotsInTurn}
	}
	s.done, s.sent, s.noSlot = make([]int, steps), make([][]*delivery, steps), make([]bool, steps)
	for j := range steps {
		if m.total(r, j) > 0 {
			s.open = append(s.open, j)
		}
		s.noSlot[j] = m.o.Send == SendInPlace || m.o.Send == SendEither && m.random.IntN(2) == 0
	}
	s.awake = true
}

func (m *machine) memory() [][]cell {
	chunks := make([][]cell, len(m.slices))
	for c, slices := range m.slices {
		chunks[c] = make([]cell, slices)
		for k := range chunks[c] {
			chunks[c][k].writer = nobody
		}
	}
	return chunks
}

// total is the number of slices of a step.
func (m *machine) total(rank, step int) int {
	s := &m.programs[rank].Steps[step]
	if s.Token {
		return 1
	}
	return m.slices[s.Chunk]
}

// finished says whether a rank would return to the user: all is done, and nobody reads its buffers any more.
func (m *machine) finished(rank int) bool {
	return len(m.ranks[rank].open) == 0 && m.ranks[rank].unread == 0
}

// byReference says whether peers may read what a step sends where it lies.
func (s *Step) byReference() bool {
	if s.Eager || s.Token || len(s.To) == 0 {
		return false
	}
	lies := s.A.Place == Input || s.A.Place == Output
	return s.Store == Output || s.Store == Nowhere && lies && s.B.Place == Nowhere && s.Map == Identity
}

// way is how a step sends.
type way uint8

const (
	inside  way = iota // the message carries the data
	bySlot             // a slot does
	inPlace            // the peers read the sender's buffer
)

// way chooses how a step sends. The steps that could go inside a message may take a slot too, for that is a matter of
// size, except that in a tiny buffer nothing is too large.
func (m *machine) way(rank, step int) way {
	s := &m.programs[rank].Steps[step]
	switch {
	case m.o.Cut == CutTiny:
		return inside
	case !m.ranks[rank].noSlot[step]:
		return bySlot
	case s.Eager || s.Token:
		return inside
	case s.byReference():
		return inPlace
	}
	return bySlot
}

// do performs the next slice of a step that is ready.
func (m *machine) do(rank, step int) error {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	k := at.done[step]
	v, err := m.operand(rank, step, k, s.A)
	if err != nil {
		return err
	}
	if s.B.Place != Nowhere {
		right, err := m.operand(rank, step, k, s.B)
		if err != nil {
			return err
		}
		if !s.Token {
			v = m.values.get(value{made: joined, left: v, right: right})
		}
	}
	if !s.Token {
		v = m.values.mapped(s.Map, v)
		if s.Store != Nowhere {
			at.place(s.Store, s.Chunk, k).write(v, step)
		}
	}
	if len(s.To) > 0 {
		m.send(rank, step, k, v)
	}
	at.done[step]++
	if at.done[step] == m.total(rank, step) {
		for i, j := range at.open {
			if j == step {
				at.open = append(at.open[:i], at.open[i+1:]...)
				break
			}
		}
	}
	at.awake = true
	return nil
}

func (s *state) place(p Place, chunk, slice int) *cell {
	switch p {
	case Input:
		return &s.input[chunk][slice]
	case Output:
		return &s.output[chunk][slice]
	}
	return &s.scratch[chunk][slice]
}

// operand reads an operand of a step, and consumes it if it is a message.
func (m *machine) operand(rank, step, slice int, from Operand) (*value, error) {
	s := &m.programs[rank].Steps[step]
	if from.Place != Message {
		if s.Token {
			return nil, nil
		}
		c := m.ranks[rank].place(from.Place, s.Chunk, slice)
		if c.value == nil {
			return nil, m.fault(ErrUninitialised, rank, step, slice, "nothing was stored there yet")
		}
		return c.value, nil
	}
	q := m.queue(from.From, rank, from.Channel)
	d := (*q)[0]
	*q = (*q)[1:]
	if d.token != s.Token || !s.Token && (d.chunk != s.Chunk || d.slice != slice) {
		return nil, m.fault(ErrMismatch, rank, step, slice, "rank %d's step %d sent chunk %d, slice %d%s",
			d.from, d.step, d.chunk, d.slice, map[bool]string{true: ", a token"}[d.token])
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
	sender.awake = true
	d.readers--
	last := d.readers == 0
	if d.inPlace && last {
		sender.unread--
	}
	if d.slot != nil && (last || m.o.freeEarly) {
		d.slot.busy = false
		d.slot = nil
	}
}

// send puts one slice into the queues of its receivers.
func (m *machine) send(rank, step, slice int, v *value) {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	d := &delivery{from: rank, step: step, chunk: s.Chunk, slice: slice, token: s.Token, readers: len(s.To)}
	switch m.way(rank, step) {
	case bySlot:
		d.slot = at.slots[s.Channel].take()
		d.memory = &d.slot.cell
		d.memory.write(v, step)
	case inPlace:
		d.inPlace = true
		place := s.Store
		if place == Nowhere {
			place = s.A.Place
		}
		d.memory = at.place(place, s.Chunk, slice)
		at.unread++
	case inside:
		d.memory = &cell{value: v}
	}
	d.version = d.memory.version
	at.sent[step] = append(at.sent[step], d)
	for _, to := range s.To {
		q := m.queue(rank, to, s.Channel)
		*q = append(*q, d)
		m.ranks[to].awake = true
	}
}

// fault is an error with its place. A step of nobody means that no step ever touched the place.
func (m *machine) fault(kind error, rank, step, slice int, format string, a ...any) error {
	return fmt.Errorf("%w: rank %d, step %d (%s), slice %d: %s",
		kind, rank, step, m.programs[rank].Steps[step].form(), slice, fmt.Sprintf(format, a...))
}

func (m *machine) faultAt(kind error, rank, writer, slice int, format string, a ...any) error {
	if writer == nobody {
		return fmt.Errorf("%w: rank %d, no step, slice %d: %s", kind, rank, slice, fmt.Sprintf(format, a...))
	}
	return m.fault(kind, rank, writer, slice, format, a...)
}
