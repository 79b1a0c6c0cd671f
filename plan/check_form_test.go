package plan

import (
	"errors"
	"strings"
	"testing"
)

// What is wrong with a step without running anything.
func TestMalformedSteps(t *testing.T) {
	good := sampleTell(2)
	for _, c := range []struct {
		change func(s *Step)
		want   string
	}{
		{func(s *Step) { s.Part = 1 }, "part 1 of 1"},
		{func(s *Step) { s.Part = -1 }, "part -1 of 1"},
		{func(s *Step) { s.Operands = nil }, "no operand"},
		{func(s *Step) { s.Operands = of(Operand{}) }, "an operand from nowhere"},
		{func(s *Step) { s.Operands[0].Map = 7 }, "map 7 is unknown"},
		{func(s *Step) { s.Operands[0].Place = 9 }, "an operand from place 9"},
		{func(s *Step) { s.Operands[0].Block = 1 }, "an operand from input 1, which this rank does not have"},
		{func(s *Step) { s.Operands[0].Block = -1 }, "an operand from input -1, which this rank does not have"},
		{func(s *Step) { s.Operands = of(scratch(0)) }, "an operand from scratch 0, which this rank does not have"},
		{func(s *Step) { s.Operands = of(message(0, 0)) }, "a message from itself"},
		{func(s *Step) { s.Operands = of(input(0), message(2, 0)) }, "a message from rank 2 of 2"},
		{func(s *Step) { s.Operands = of(message(1, -1)) }, "a message from rank 1 on channel -1 of 2"},
		{func(s *Step) { s.Operands = of(message(1, 1), message(1, 0), message(1, 1)) }, "two messages from rank 1 on channel 1"},
		{func(s *Step) { s.Operands = of(message(1, 1)); s.Operands[0].Block = 3 }, "block 3 of a message"},
		{func(s *Step) { s.Store = message(1, 0).Location }, "it stores to message"},
		{func(s *Step) { s.Store = output(1).Location }, "it stores to output 1, which this rank does not have"},
		{func(s *Step) { s.Store.Place, s.To, s.Stride = Nowhere, nil, nil }, "neither stored nor sent"},
		{func(s *Step) { s.To = []int{0} }, "a message to itself"},
		{func(s *Step) { s.To = []int{2} }, "a message to rank 2 of 2"},
		{func(s *Step) { s.To = []int{-1} }, "a message to rank -1 of 2"},
		{func(s *Step) { s.To = []int{1, 1}; s.Stride = []int{2, 2} }, "two messages to rank 1"},
		{func(s *Step) { s.Stride = nil }, "0 strides for 1 peers"},
		{func(s *Step) { s.Stride = []int{0} }, "stride 0, but 1 steps send to rank 1 on channel 0"},
		{func(s *Step) { s.After = []Dependency{{Step: 0}} }, "it waits for itself"},
		{func(s *Step) { s.After = []Dependency{{Step: 0, Lag: 1}} }, "it waits for itself"},
		{func(s *Step) { s.After = []Dependency{{Step: -1}} }, "it waits for step -1"},
		{func(s *Step) { s.After = []Dependency{{Step: 2, Lag: 1}} }, "it waits for step 2 of 2"},
		{func(s *Step) { s.After = []Dependency{{Step: 1}} }, "it waits for step 1, which is a later one"},
		{func(s *Step) { s.After = []Dependency{{Step: 1, Lag: 2}} }, "it waits for step 1 with lag 2"},
		{func(s *Step) { s.After = []Dependency{{Step: 1, Lag: -1}} }, "it waits for step 1 with lag -1"},
	} {
		p := good[0].clone()
		p.Steps = append(p.Steps, Step{Operands: of(output(0)), Store: output(0).Location})
		c.change(&p.Steps[0])
		if s := &p.Steps[0]; len(s.To) == 0 {
			p.Senders = [Channels][]int{}
		}
		err := Check([]Program{p, good[1]}, Broadcast, 0, CheckOptions{Slices: 1, Slots: 1})
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "rank 0, step 0") {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
}

func TestMalformedChannels(t *testing.T) {
	p := sampleTell(2)
	p[0].Steps[0].Channel, p[0].Senders = Channels, [Channels][]int{}
	err := Check(p, Broadcast, 0, CheckOptions{Slices: 1, Slots: 1})
	if want := "a message to rank 1 on channel 2 of 2"; !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), want) {
		t.Errorf("want %q, got %v", want, err)
	}
}

// What is wrong with the programs, or with what they are checked for.
func TestMalformedSets(t *testing.T) {
	one := CheckOptions{Slices: 1, Slots: 1}
	two := sampleTell(2)
	for want, err := range map[string]error{
		"no ranks":                         Check(nil, Barrier, 0, one),
		"collective 0 is unknown":          Check(two, 0, 0, one),
		"collective 10 is unknown":         Check(two, 10, 0, one),
		"root 2 of 2":                      Check(two, Broadcast, 2, one),
		"root -1 of 2":                     Check(two, Scatter, -1, one),
		"0 slices and 0 slots":             Check(two, Broadcast, 0, CheckOptions{}),
		"Broadcast has no average":         Check(two, Broadcast, 0, CheckOptions{Slices: 1, Slots: 1, Average: Scale}),
		"rank 1 has 3 parts, rank 0 has 1": Check([]Program{two[0], {Parts: 3}}, Broadcast, 0, one),
		"rank 0 has 0 parts":               Check([]Program{{}}, Broadcast, 0, one),
		"rank 0 has 1000000 parts":         Check([]Program{{Parts: 1e6}}, Broadcast, 0, one),
		"senders [] of channel 0":          Check([]Program{{Parts: 1, Steps: two[0].Steps}, two[1]}, Broadcast, 0, one),
	} {
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// Who has which blocks, by name: own is the rank's.
func TestShapesGiveBlocks(t *testing.T) {
	const all, own, nothing = "0 1 2 ", "1 ", ""
	const ranks, rank = 3, 1
	for _, c := range []struct {
		does                           Collective
		input, output                  string
		inputElsewhere, outputElsehere string // where rank 1 is not the root
	}{
		{AllReduce, "0 ", "0 ", "0 ", "0 "},
		{Broadcast, "0 ", "0 ", nothing, "0 "},
		{Barrier, "0 ", "0 ", "0 ", "0 "},
		{Reduce, "0 ", "0 ", "0 ", nothing},
		{AllGather, own, all, own, all},
		{ReduceScatter, all, own, all, own},
		{AlltoAll, all, all, all, all},
		{Gather, own, all, own, nothing},
		{Scatter, all, own, nothing, own},
	} {
		for root, want := range map[int][2]string{rank: {c.input, c.output}, 0: {c.inputElsewhere, c.outputElsehere}} {
			shape := c.does.Shape(Role{Rank: rank, Ranks: ranks, Root: root})
			for i, place := range []Place{Input, Output} {
				have := ""
				for block := -1; block <= ranks; block++ {
					if shape.holds(Location{place, block}, rank) {
						have += strings.TrimSpace(Location{place, block}.String()[len(place.String()):]) + " "
					}
				}
				if have != want[i] {
					t.Errorf("%v, root %d: %v has blocks %q, want %q", c.does, root, place, have, want[i])
				}
			}
		}
	}
}
