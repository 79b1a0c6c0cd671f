package draw

import (
	"fmt"

	"hcomm/plan"
)

// At names a step: of which rank, and which one of its program.
type At struct{ Rank, Step int }

// Message goes from a step that sends to a step that receives.
type Message struct {
	From, To At
	Channel  int
}

// Events is what happens when the programs of all ranks run.
type Events struct {
	Rounds   [][]int   // of each rank's steps, from 0
	Last     int       // the last round that a step has; -1 when there are no steps
	Messages []Message // by sender
}

// Trace runs one slice. A step's round is the first in which all that it waits for is over: the steps it comes after,
// those that send it its messages, and if it sends, those that take a slot of the same channel before it.
func Trace(programs []plan.Program) (*Events, error) {
	messages, err := match(programs)
	if err != nil {
		return nil, err
	}
	t := newTracer(programs, messages)
	t.run()
	if t.left > 0 {
		return nil, fmt.Errorf("%d steps wait for each other for ever", t.left)
	}
	return &Events{Rounds: t.rounds, Last: t.last, Messages: messages}, nil
}

// queue is what passes between two ranks on one channel.
type queue struct{ from, to, channel int }

// match pairs sends and receives: on each queue the first with the first.
func match(programs []plan.Program) ([]Message, error) {
	receivers := map[queue][]At{}
	for r := range programs {
		for j := range programs[r].Steps {
			for _, x := range programs[r].Steps[j].Operands {
				if x.Place == plan.Message {
					q := queue{x.From, r, x.Channel}
					receivers[q] = append(receivers[q], At{r, j})
				}
			}
		}
	}
	var all []Message
	for r := range programs {
		for j := range programs[r].Steps {
			s := &programs[r].Steps[j]
			for _, to := range s.To {
				q := queue{r, to, s.Channel}
				waiting := receivers[q]
				if len(waiting) == 0 {
					return nil, fmt.Errorf("rank %d's step %d sends to rank %d on channel %d, which nobody reads",
						r, j, to, s.Channel)
				}
				all = append(all, Message{At{r, j}, waiting[0], s.Channel})
				receivers[q] = waiting[1:]
			}
		}
	}
	wanted := 0
	for _, waiting := range receivers {
		wanted += len(waiting)
	}
	if wanted > 0 {
		return nil, fmt.Errorf("%d messages are waited for that nobody sends", wanted)
	}
	return all, nil
}

// tracer finds the longest path to each step.
type tracer struct {
	rounds [][]int
	waits  [][]int // how many each step still waits for
	next   map[At][]At
	ready  []At
	left   int
	last   int
}

func newTracer(programs []plan.Program, messages []Message) *tracer {
	t := &tracer{next: map[At][]At{}, last: -1}
	for r := range programs {
		steps := programs[r].Steps
		t.left += len(steps)
		t.rounds = append(t.rounds, make([]int, len(steps)))
		t.waits = append(t.waits, make([]int, len(steps)))
	}
	wait := func(before, after At) {
		t.next[before] = append(t.next[before], after)
		t.waits[after.Rank][after.Step]++
	}
	for r := range programs {
		for j := range programs[r].Steps {
			for _, d := range programs[r].Steps[j].After {
				if d.Lag == 0 { // the others are about the slice before
					wait(At{r, d.Step}, At{r, j})
				}
			}
		}
		for _, senders := range programs[r].Senders {
			for i := 1; i < len(senders); i++ {
				wait(At{r, senders[i-1]}, At{r, senders[i]})
			}
		}
	}
	for _, m := range messages {
		wait(m.From, m.To)
	}
	return t
}

func (t *tracer) run() {
	for r := range t.waits {
		for j, n := range t.waits[r] {
			if n == 0 {
				t.ready = append(t.ready, At{r, j})
			}
		}
	}
	for ; len(t.ready) > 0; t.ready = t.ready[1:] {
		a := t.ready[0]
		round := t.rounds[a.Rank][a.Step]
		t.last = max(t.last, round)
		t.left--
		for _, b := range t.next[a] {
			t.rounds[b.Rank][b.Step] = max(t.rounds[b.Rank][b.Step], round+1)
			if t.waits[b.Rank][b.Step]--; t.waits[b.Rank][b.Step] == 0 {
				t.ready = append(t.ready, b)
			}
		}
	}
}
