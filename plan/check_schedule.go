package plan

import (
	"math/bits"
	"math/rand/v2"
)

// schedule chooses who moves next. Uniform choices would make all ranks about equally fast; real ones stall. So the ranks
// stand in a circle, and the first that can move from some place on does; each seed chooses how long that place stays, and
// which steps of a rank go first.
type schedule struct {
	order    []int // the rank at each place of the circle
	place    []int // the place of each rank
	from     int   // the place whose rank goes first
	patience int   // it changes at one in so many moves
	steps    preference
	awake    set // the places whose ranks may be able to move
}

type preference uint8

const (
	anyStep preference = iota
	firstStep
	lastStep
	preferences
)

func newSchedule(ranks int, random *rand.Rand) schedule {
	s := schedule{
		order:    random.Perm(ranks),
		place:    make([]int, ranks),
		patience: []int{1, 8, 64, 1 << 20}[random.IntN(4)],
		steps:    preference(random.IntN(int(preferences))),
		awake:    make(set, (ranks+63)/64),
	}
	for i, r := range s.order {
		s.place[r] = i
	}
	return s
}

// set is small numbers, a bit for each.
type set []uint64

func (s set) add(i int)    { s[i/64] |= 1 << (i % 64) }
func (s set) remove(i int) { s[i/64] &^= 1 << (i % 64) }

// next is the first member from i on, in a circle.
func (s set) next(i int) (member int, ok bool) {
	w := i / 64
	if high := s[w] >> (i % 64); high != 0 {
		return i + bits.TrailingZeros64(high), true
	}
	for k := range s {
		w := (w + 1 + k) % len(s)
		if s[w] != 0 {
			return w*64 + bits.TrailingZeros64(s[w]), true
		}
	}
	return 0, false
}

// run moves until nobody can, or something goes wrong.
func (m *machine) run() error {
	for {
		rank, step, ok := m.next()
		if !ok {
			return nil
		}
		if err := m.do(rank, step); err != nil {
			return err
		}
	}
}

// next chooses a step slice that is ready, and takes the step from its rank's candidates.
func (m *machine) next() (rank, step int, ok bool) {
	c := &m.schedule
	if m.random.IntN(c.patience) == 0 {
		c.from = m.random.IntN(len(c.order))
	}
	for {
		place, ok := c.awake.next(c.from)
		if !ok {
			return 0, 0, false
		}
		if step, ok := m.ready(c.order[place]); ok {
			return c.order[place], step, true
		}
		c.awake.remove(place)
	}
}

// ready looks through the candidates of a rank. Those that are not ready leave, to wait.
func (m *machine) ready(rank int) (step int, ok bool) {
	s := &m.ranks[rank]
	for len(s.ready) > 0 {
		at := 0
		switch m.schedule.steps {
		case anyStep:
			at = m.random.IntN(len(s.ready))
		case firstStep, lastStep:
			for i, j := range s.ready {
				if (j < s.ready[at]) == (m.schedule.steps == firstStep) {
					at = i
				}
			}
		}
		j, last := s.ready[at], len(s.ready)-1
		s.ready[at] = s.ready[last]
		s.ready = s.ready[:last]
		o := m.obstacle(rank, j)
		if o.kind == none {
			return j, true
		}
		m.park(rank, j, o)
	}
	return 0, false
}

// candidate makes a step one to look at.
func (m *machine) candidate(rank, step int) {
	m.ranks[rank].ready = append(m.ranks[rank].ready, step)
	if rank != m.held {
		m.schedule.awake.add(m.schedule.place[rank])
	}
}

// settle lets a step that is new wait, or not.
func (m *machine) settle(rank, step int) {
	if o := m.obstacle(rank, step); o.kind != none {
		m.park(rank, step, o)
		return
	}
	m.candidate(rank, step)
}

// wake has those that waited looked at again.
func (m *machine) wake(rank int, w *waiters) {
	for _, step := range *w {
		m.candidate(rank, step)
	}
	*w = (*w)[:0]
}

// hold keeps a rank from moving.
func (m *machine) hold(rank int) {
	m.held = rank
	m.schedule.awake.remove(m.schedule.place[rank])
}

// release lets it move.
func (m *machine) release() {
	m.schedule.awake.add(m.schedule.place[m.held])
	m.held = nobody
}
