package draw

import (
	"fmt"
	"strconv"

	"hcomm/plan"
)

// labels finds out which piece of the data a step is about.
type labels struct {
	programs []plan.Program
	blocks   int // of a whole buffer
	senders  map[reading]At
	known    map[At]string
}

// reading is a message as its receiver's step has it.
type reading struct {
	at            At
	from, channel int
}

func newLabels(programs []plan.Program, blocks int, messages []Message) *labels {
	l := &labels{programs: programs, blocks: blocks, senders: map[reading]At{}, known: map[At]string{}}
	for _, m := range messages {
		l.senders[reading{m.To, m.From.Rank, m.Channel}] = m.From
	}
	return l
}

// meaning says for the legend what the numbers are.
func (l *labels) meaning() string {
	parts := l.programs[0].Parts
	switch {
	case parts > 1 && l.blocks > 1:
		return "1.2: block 1, part 2"
	case parts > 1:
		return fmt.Sprintf("0…%d: the part of the data", parts-1)
	case l.blocks > 1:
		return fmt.Sprintf("0…%d: the block", l.blocks-1)
	}
	return ""
}

// of is the label of a step: its block and its part, as far as there are several.
func (l *labels) of(a At) string {
	s := &l.programs[a.Rank].Steps[a.Step]
	parts := l.programs[a.Rank].Parts
	switch {
	case parts > 1 && l.blocks > 1:
		return l.block(a) + "." + strconv.Itoa(s.Part)
	case parts > 1:
		return strconv.Itoa(s.Part)
	case l.blocks > 1:
		return l.block(a)
	}
	return ""
}

// block is the number of the user's block that a step stores or uses. What it only passes on has the number that it had
// where it came from.
func (l *labels) block(a At) string {
	if b, ok := l.known[a]; ok {
		return b
	}
	b := l.find(a)
	l.known[a] = b
	return b
}

func (l *labels) find(a At) string {
	s := &l.programs[a.Rank].Steps[a.Step]
	if s.Store.Place == plan.Output {
		return strconv.Itoa(s.Store.Block)
	}
	for _, x := range s.Operands {
		if x.Place == plan.Input || x.Place == plan.Output {
			return strconv.Itoa(x.Block)
		}
	}
	for _, x := range s.Operands {
		if x.Place == plan.Message {
			return l.block(l.senders[reading{a, x.From, x.Channel}])
		}
		if w := l.writer(a, x.Location); w.Step >= 0 {
			return l.block(w)
		}
	}
	return "?"
}

// writer is the step that has stored what step a finds there, or one before the first.
func (l *labels) writer(a At, from plan.Location) At {
	steps := l.programs[a.Rank].Steps
	part := steps[a.Step].Part
	for a.Step--; a.Step >= 0; a.Step-- {
		if s := &steps[a.Step]; s.Store == from && s.Part == part {
			break
		}
	}
	return a
}
