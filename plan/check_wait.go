package plan

import (
	"fmt"
	"strings"
)

// obstacle is what the next slice of a step waits for.
type obstacle struct {
	kind    obstacleKind
	who     int // the step, the sender or the receiver
	channel int
}

type obstacleKind uint8

const (
	none obstacleKind = iota
	stepNotDone
	stepNotRead
	noMessage
	noRoom
	notInTurn
	noSlot
)

func (m *machine) obstacle(rank, step int) obstacle {
	at, s := &m.ranks[rank], &m.programs[rank].Steps[step]
	k := at.steps[step].done
	for _, d := range s.After {
		before := k - d.Lag
		if before < 0 {
			continue
		}
		p := &at.steps[d.Step]
		if p.done <= before {
			return obstacle{kind: stepNotDone, who: d.Step}
		}
		if d.Read && p.sent != nil && p.sent[before] != nil && p.sent[before].readers > 0 {
			return obstacle{kind: stepNotRead, who: d.Step}
		}
	}
	for i := range s.Operands {
		if x := &s.Operands[i]; x.Place == Message && m.queue(x.From, rank, x.Channel).n == 0 {
			return obstacle{noMessage, x.From, x.Channel}
		}
	}
	for _, to := range s.To {
		if m.queue(rank, to, s.Channel).n == depth {
			return obstacle{noRoom, to, s.Channel}
		}
	}
	if len(s.To) > 0 && m.way(rank, step, k) == bySlot {
		if first, _ := m.slotTurn(rank, s.Channel); first != step {
			return obstacle{notInTurn, first, s.Channel}
		}
		if at.slots[s.Channel].free() == nil {
			return obstacle{kind: noSlot, channel: s.Channel}
		}
	}
	return obstacle{}
}

// park leaves a step where what it waits for will be noticed.
func (m *machine) park(rank, step int, o obstacle) {
	var w *waiters
	switch o.kind {
	case stepNotDone, stepNotRead:
		w = &m.ranks[rank].steps[o.who].waiters
	case noMessage:
		w = &m.queue(o.who, rank, o.channel).takers
	case noRoom:
		w = &m.queue(rank, o.who, o.channel).senders
	case notInTurn, noSlot:
		m.ranks[rank].steps[step].wantsSlot = true
		return
	}
	*w = append(*w, step)
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
				q := m.queues[(to*len(m.ranks)+from)*Channels+c]
				if q != nil && q.n > 0 {
					d := q.take()
					return m.fault(ErrUnconsumed, from, d.step, d.slice, "rank %d never takes this message", to)
				}
			}
		}
	}
	return nil
}

// waiting names what each rank that is not done waits for.
func (m *machine) waiting() string {
	const enough = 8
	var texts []string
	stuck := 0
	for r := range m.ranks {
		if m.ranks[r].left == 0 {
			continue
		}
		if stuck++; stuck > enough {
			continue
		}
		j := m.earliest(r)
		s := &m.programs[r].Steps[j]
		o := m.obstacle(r, j)
		texts = append(texts, fmt.Sprintf("rank %d, step %d (%s), slice %d waits %s",
			r, j, s.Form(), m.ranks[r].steps[j].done, o))
	}
	if stuck > enough {
		texts = append(texts, fmt.Sprintf("and %d more ranks wait", stuck-enough))
	}
	return strings.Join(texts, "; ")
}

// earliest is the first step among those that have done the fewest slices: all that it comes after is done, so what it
// waits for is somebody else.
func (m *machine) earliest(rank int) int {
	steps := m.ranks[rank].steps
	first := 0
	for j := range steps {
		if steps[j].done < steps[first].done {
			first = j
		}
	}
	return first
}

func (o obstacle) String() string {
	switch o.kind {
	case stepNotDone:
		return fmt.Sprintf("for step %d", o.who)
	case stepNotRead:
		return fmt.Sprintf("for the peers to read what step %d sent", o.who)
	case noMessage:
		return fmt.Sprintf("for a message from rank %d on channel %d", o.who, o.channel)
	case noRoom:
		return fmt.Sprintf("for room in the queue to rank %d on channel %d", o.who, o.channel)
	case notInTurn:
		return fmt.Sprintf("for step %d, which takes a slot of channel %d before it", o.who, o.channel)
	case noSlot:
		return fmt.Sprintf("for a slot of channel %d", o.channel)
	}
	return "for nothing"
}
