package plan

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// schedule chooses who moves next. Uniform choices would make all ranks about equally fast; real ones stall. So each
// seed also chooses how long a rank that can move keeps its precedence, and which steps of a rank go first.
type schedule struct {
	order    []int // ranks, the preferred first
	patience int   // the order changes at one in so many looks
	steps    preference
}

type preference uint8

const (
	anyStep preference = iota
	firstStep
	lastStep
	preferences
)

func newSchedule(ranks int, random *rand.Rand) schedule {
	return schedule{
		order:    random.Perm(ranks),
		patience: []int{1, 8, 64, 1 << 20}[random.IntN(4)],
		steps:    preference(random.IntN(int(preferences))),
	}
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

// next chooses a step slice that is ready.
func (m *machine) next() (rank, step int, ok bool) {
	order := m.schedule.order
	for i := range order {
		if m.random.IntN(m.schedule.patience) == 0 {
			j := i + m.random.IntN(len(order)-i)
			order[i], order[j] = order[j], order[i]
		}
		r := order[i]
		if r == m.held || !m.ranks[r].awake {
			continue
		}
		if step, ok := m.ready(r); ok {
			return r, step, true
		}
		m.ranks[r].awake = false
	}
	return 0, 0, false
}

func (m *machine) ready(rank int) (step int, ok bool) {
	open := m.ranks[rank].open
	if len(open) == 0 {
		return 0, false
	}
	from := 0
	if m.schedule.steps == anyStep {
		from = m.random.IntN(len(open))
	}
	for i := range open {
		i = (from + i) % len(open)
		if m.schedule.steps == lastStep {
			i = len(open) - 1 - i
		}
		if m.obstacle(rank, open[i]).kind == none {
			return open[i], true
		}
	}
	return 0, false
}

// obstacle is what the next slice of a step waits for.
type obstacle struct {
	kind obstacleKind
	who  int // the step, the sender or the receiver
}

type obstacleKind uint8

const (
	none obstacleKind = iota
	stepNotDone
	stepNotRead
	noMessage
	noRoom
	noSlot
)

func (m *machine) obstacle(rank, step int) obstacle {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	for _, d := range s.After {
		need := m.total(rank, d.Step)
		first := 0
		if k := at.done[step]; !d.Whole && k < need {
			first, need = k, k+1
		}
		if at.done[d.Step] < need {
			return obstacle{stepNotDone, d.Step}
		}
		if d.Read && len(at.sent[d.Step]) > 0 {
			for _, sent := range at.sent[d.Step][first:need] {
				if sent.inPlace && sent.readers > 0 {
					return obstacle{stepNotRead, d.Step}
				}
			}
		}
	}
	for _, x := range [...]Operand{s.A, s.B} {
		if x.Place == Message && len(*m.queue(x.From, rank, x.Channel)) == 0 {
			return obstacle{noMessage, x.From}
		}
	}
	for _, to := range s.To {
		if len(*m.queue(rank, to, s.Channel)) >= depth {
			return obstacle{noRoom, to}
		}
	}
	if len(s.To) > 0 && m.way(rank, step) == bySlot && at.slots[s.Channel].free() == nil {
		return obstacle{noSlot, s.Channel}
	}
	return obstacle{}
}

// finish runs to the end, and wants it to be one: all steps done and no message left over.
func (m *machine) finish() error {
	if err := m.run(); err != nil {
		return err
	}
	if text := m.waiting(); text != "" {
		return fmt.Errorf("%w: %s", ErrDeadlock, text)
	}
	for to := range m.ranks {
		for from := range m.ranks {
			for c := range Channels {
				if q := *m.queue(from, to, c); len(q) > 0 {
					return m.fault(ErrUnconsumed, from, q[0].step, q[0].slice, "rank %d never takes this message", to)
				}
			}
		}
	}
	return nil
}

// waiting names what each rank that is not done waits for. Its first open step is enough: all that this one comes after
// is done, so what it waits for is somebody else.
func (m *machine) waiting() string {
	const enough = 8
	var texts []string
	stuck := 0
	for r := range m.ranks {
		open := m.ranks[r].open
		if len(open) == 0 {
			continue
		}
		if stuck++; stuck > enough {
			continue
		}
		j := open[0]
		s := &m.programs[r].Steps[j]
		o := m.obstacle(r, j)
		texts = append(texts, fmt.Sprintf("rank %d, step %d (%s), slice %d waits %s",
			r, j, s.form(), m.ranks[r].done[j], o.text(s)))
	}
	if stuck > enough {
		texts = append(texts, fmt.Sprintf("and %d more ranks wait", stuck-enough))
	}
	return strings.Join(texts, "; ")
}

func (o obstacle) text(s *Step) string {
	switch o.kind {
	case stepNotDone:
		return fmt.Sprintf("for step %d", o.who)
	case stepNotRead:
		return fmt.Sprintf("for the peers to read what step %d sent", o.who)
	case noMessage:
		return fmt.Sprintf("for a message from rank %d", o.who)
	case noRoom:
		return fmt.Sprintf("for room in the queue to rank %d on channel %d", o.who, s.Channel)
	case noSlot:
		return fmt.Sprintf("for a slot of channel %d", o.who)
	}
	return "for nothing"
}
