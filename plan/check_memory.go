package plan

// cell is the memory of one slice of a part of a block. The version tells a reader whether it still holds what was sent.
type cell struct {
	value   *value
	version int
	writer  int // the step that wrote last, or nobody
}

const nobody = -1

func (c *cell) write(v *value, step int) {
	c.value, c.writer = v, step
	c.version++
}

// delivery is what one slice of a step sent, the same to all receivers.
type delivery struct {
	memory      *cell // of the user, of a slot, or its own
	version     int
	from, step  int
	part, slice int
	inPlace     bool
	slot        *slot // that it occupies, or nil
	readers     int   // that have not consumed it
}

// queue holds the messages from one rank to another on one channel. Steps that wait for it are listed at it.
type queue struct {
	turns    []int // the steps that send on it, in the program's order: each in turn sends a slice
	posted   int
	messages [depth]*delivery
	first, n int
	takers   waiters // of the receiving rank
	senders  waiters // of the sending one
}

func (q *queue) put(d *delivery) {
	q.messages[(q.first+q.n)%depth] = d
	q.n++
	q.posted++
}

func (q *queue) take() *delivery {
	d := q.messages[q.first]
	q.first = (q.first + 1) % depth
	q.n--
	return d
}

// turn is the step, and its slice, that has to send next.
func (q *queue) turn() (step, slice int) {
	return q.turns[q.posted%len(q.turns)], q.posted / len(q.turns)
}

// cells are the slices of a part of a block.
func (m *machine) cells(rank int, l Location, part int) []cell {
	s := &m.ranks[rank]
	l, mine := s.lies(rank, l)
	k := cellKey{l.Place, l.Block, part}
	cells := s.memory[k]
	if cells == nil {
		cells = make([]cell, m.o.Slices)
		for i := range cells {
			cells[i].writer = nobody
			if mine {
				cells[i].value = m.contribution(rank, l.Block)
			}
		}
		s.memory[k] = cells
	}
	return cells
}

// lies gives the same memory one name: in place, a block that input and output both hold is one. It is the rank's
// contribution when it is of the input.
func (s *state) lies(rank int, l Location) (at Location, mine bool) {
	if l.Place != Input && l.Place != Output {
		return l, false
	}
	other := Location{Input + Output - l.Place, l.Block}
	if s.inPlace && s.shape.holds(l, rank) && s.shape.holds(other, rank) {
		return Location{Output, l.Block}, true
	}
	return l, l.Place == Input
}
