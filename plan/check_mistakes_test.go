package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// mistake is a set of programs with one thing wrong with them.
type mistake struct {
	name     string
	want     error
	text     string // part of the error's text
	does     Collective
	programs []Program
	o        CheckOptions // the tests add the seed, and slices and slots if there are none
}

func allReduce(ranks int, build func(rank, ranks int) Program) []Program {
	return subject{build: rootless(build)}.programs(ranks, 0)
}

// without drops what only some dependencies say: whole or read.
func (p Program) without(drop func(*Dependency)) Program {
	p = p.clone()
	for j := range p.Steps {
		for k := range p.Steps[j].After {
			drop(&p.Steps[j].After[k])
		}
	}
	return p
}

func mistakes() []mistake {
	var all []mistake
	add := func(m mistake, change func(p []Program)) {
		for r := range m.programs {
			m.programs[r] = m.programs[r].clone()
		}
		change(m.programs)
		all = append(all, m)
	}

	add(mistake{name: "rank 1 does not contribute to chunk 0", want: ErrMissing, text: "it holds x0, x2, but not x1",
		does: AllReduce, programs: allReduce(3, ScatterGather)}, func(p []Program) {
		// Rank 1 sends up to 2, then down to 0. Rank 0 sends twice, then folds 1, then 2.
		p[1].Steps = slices.Delete(p[1].Steps, 1, 2)
		p[0].Steps = slices.Delete(p[0].Steps, 2, 3)
		p[0].Steps[2].A = at(Input)
		p[0], p[1] = p[0].order(), p[1].order()
	})
	add(mistake{name: "nothing is ever stored", want: ErrMissing, text: "rank 1, no step, slice 0: chunk 0: the output was never written",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), Flat(1, 2, 0)}}, func(p []Program) {
		p[1].Steps[0].Store = Scratch
	})
	add(mistake{name: "rank 1 adds its own twice", want: ErrDouble, text: "rank 1, step 2 (reduce), slice 0: chunk 0: it holds x0, x1, x1",
		does: AllReduce, programs: allReduce(2, Direct)}, func(p []Program) {
		p[1].Steps = append(p[1].Steps, Step{A: at(Output), B: at(Input), Store: Output})
		p[1] = p[1].order()
	})
	add(mistake{name: "a broadcast adds the receiver's own", want: ErrDouble, text: "it holds x0, x1",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), Flat(1, 2, 0)}}, func(p []Program) {
		p[1].Steps[0].B = at(Input)
	})
	add(mistake{name: "rank 2 swaps the operands", want: ErrOrder, text: "chunk 2: it holds x1, x2, x0",
		does: AllReduce, programs: allReduce(3, ScatterGather)}, func(p []Program) {
		s := &p[2].Steps[3]
		s.A, s.B = s.B, s.A
	})
	add(mistake{name: "rank 0 folds from the right", want: ErrDiffers, text: "it holds ((x0 x1) x2), rank 0 holds (x0 (x1 x2))",
		does: AllReduce, programs: allReduce(3, Direct)}, func(p []Program) {
		p[0].Steps[1] = Step{A: fromMessage(1, 0), B: fromMessage(2, 0), Store: Output}
		p[0].Steps[2] = Step{A: at(Input), B: at(Output), Store: Output}
		p[0] = p[0].order()
	})
	add(mistake{name: "a sum is scaled", want: ErrAverage, text: "it holds (scale(x0) scale(x1))",
		does: AllReduce, programs: allReduce(2, ScatterGather)}, func(p []Program) {
		p[0], p[1] = p[0].ScaleFirst(), p[1].ScaleFirst()
	})
	add(mistake{name: "divided twice", want: ErrAverage, text: "divide(divide(",
		does: AllReduce, programs: allReduce(2, ScatterGather), o: CheckOptions{Average: Divide}}, func(p []Program) {
		p[0], p[1] = p[0].DivideLast().DivideLast(), p[1].DivideLast().DivideLast()
	})
	add(mistake{name: "not divided", want: ErrAverage, text: "rank 0",
		does: AllReduce, programs: allReduce(2, ScatterGather), o: CheckOptions{Average: Divide}}, func(p []Program) {
		p[1] = p[1].DivideLast()
	})

	add(mistake{name: "a slot is free after its first reader", want: ErrOverwritten, text: "stored since",
		does: Broadcast, programs: []Program{Flat(0, 3, 0), Flat(1, 3, 0), Flat(2, 3, 0)},
		o: CheckOptions{Send: SendBySlot, Slots: 1, freeEarly: true}}, func([]Program) {})
	add(mistake{name: "the result is divided before all have read it", want: ErrOverwritten, text: "lay where its step",
		does: AllReduce, programs: allReduce(3, ScatterGather), o: CheckOptions{Average: Divide, Send: SendInPlace}}, func(p []Program) {
		for r := range p {
			p[r] = p[r].DivideLast().without(func(d *Dependency) { d.Read = false })
		}
	})
	add(mistake{name: "a contribution is overwritten before its owner has read it", want: ErrOverwritten,
		text: "rank 1, step 1 (recv-reduce-send), slice 0: what rank 0's step 0 sent lay where its step 2 has stored since",
		does: AllReduce, programs: allReduce(2, ScatterGather), o: CheckOptions{InPlace: true, Send: SendInPlace}}, func(p []Program) {
		// Until its result comes, rank 0 uses the chunk that it has sent for something else.
		p[0].Steps = slices.Insert(p[0].Steps, 2, Step{Chunk: 1, A: at(Input), Map: Scale, Store: Output})
		p[0] = p[0].order().without(func(d *Dependency) { d.Read = false })
	})

	add(mistake{name: "both wait first", want: ErrDeadlock,
		text: "rank 0, step 0 (await), slice 0 waits for a message from rank 1; rank 1, step 0 (await), slice 0 waits for a message from rank 0",
		does: Barrier, programs: allReduce(2, Dissemination)}, func(p []Program) {
		for r := range p {
			slices.Reverse(p[r].Steps)
			p[r] = p[r].order()
		}
	})
	add(mistake{name: "each wants to be read before it reads", want: ErrDeadlock, text: "waits for the peers to read what step 0 sent",
		does: AllReduce, o: CheckOptions{InPlace: true, Send: SendInPlace}, programs: []Program{
			{Chunks: 1, Steps: []Step{{A: at(Input), To: []int{1}}, {A: at(Input), B: fromMessage(1, 0), Store: Output}}},
			{Chunks: 1, Steps: []Step{{A: at(Input), To: []int{0}}, {A: fromMessage(0, 0), B: at(Input), Store: Output}}},
		}}, func(p []Program) { p[0], p[1] = p[0].order(), p[1].order() })
	add(mistake{name: "later sends may take the slots of earlier ones", want: ErrDeadlock, text: "waits for a slot of channel 0",
		does: AllReduce, programs: allReduce(4, ScatterGather), o: CheckOptions{Send: SendBySlot, Slots: 1}}, func(p []Program) {
		for r := range p {
			for j := range p[r].Steps {
				p[r].Steps[j].After = slices.DeleteFunc(p[r].Steps[j].After, func(d Dependency) bool { return d.Whole })
			}
		}
	})
	add(mistake{name: "nobody takes the message of a queue that is full", want: ErrDeadlock, text: "waits for room in the queue to rank 1 on channel 0",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), {Chunks: 1}}, o: CheckOptions{Slices: depth + 1, Slots: depth + 1}}, func([]Program) {})

	add(mistake{name: "nobody takes the message", want: ErrUnconsumed, text: "rank 0, step 0 (copy-send), slice 0: rank 1 never takes this message",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), {Chunks: 1}}, o: CheckOptions{Slots: 5}}, func([]Program) {})
	add(mistake{name: "rank 2 does not wait", want: ErrEarly, text: "rank 2, step 1 (signal), slice 0: rank 0 has not come yet",
		does: Barrier, programs: allReduce(4, Dissemination)}, func(p []Program) {
		p[2].Steps = slices.DeleteFunc(p[2].Steps, func(s Step) bool { return s.A.Place == Message })
		p[2] = p[2].order()
	})
	add(mistake{name: "an empty barrier", want: ErrEarly, text: "rank 1 has no steps, and rank 0 has not come yet",
		does: Barrier, programs: []Program{{Chunks: 1}, {Chunks: 1}}}, func([]Program) {})
	add(mistake{name: "half a barrier", want: ErrEarly, text: "has not come yet",
		does: Barrier, programs: allReduce(8, Dissemination)}, func(p []Program) {
		for r := range p { // the last round is left out
			p[r].Steps = p[r].Steps[:4]
		}
	})
	add(mistake{name: "rank 0 takes chunk 1 for chunk 2", want: ErrMismatch, text: "sent chunk 1, slice",
		does: AllReduce, programs: allReduce(3, ScatterGather)}, func(p []Program) {
		p[0].Steps[4].Chunk = 2
	})
	add(mistake{name: "rank 1 takes a slice for a token", want: ErrMismatch, text: "sent chunk 0, slice 0",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), Flat(1, 2, 0)}}, func(p []Program) {
		p[1].Steps[0].Token = true
	})
	add(mistake{name: "rank 1 reduces into what it has not written", want: ErrUninitialised, text: "rank 1, step 1 (recv-reduce-send)",
		does: AllReduce, programs: allReduce(2, ScatterGather)}, func(p []Program) {
		p[1].Steps[1].B = at(Output)
	})
	add(mistake{name: "rank 1 stores to its input", want: ErrInputChanged, text: "rank 1, step 0 (recv)",
		does: Broadcast, programs: []Program{Flat(0, 2, 0), Flat(1, 2, 0)}}, func(p []Program) {
		p[1].Steps[0].Store = Input
	})
	return all
}

// Each mistake is found under its name by some seeds, and under no other name by any.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes() {
		t.Run(m.name, func(t *testing.T) {
			found, text := 0, false
			for seed := range uint64(100) {
				o := m.o
				o.Seed = *base<<8 + seed
				if o.Slices == 0 {
					o.Slices = 3
				}
				if o.Slots == 0 {
					o.Slots = 2
				}
				err := Check(m.programs, m.does, 0, o)
				if err == nil {
					continue
				}
				if !errors.Is(err, m.want) {
					t.Fatalf("%+v: want %v, got: %v", o, m.want, err)
				}
				found++
				text = text || strings.Contains(err.Error(), m.text)
				if found == 100 && !text {
					t.Errorf("text without %q: %v", m.text, err)
				}
			}
			if found == 0 || !text {
				t.Errorf("found by %d of 100 seeds; with the text: %v", found, text)
			}
		})
	}
}

// What is wrong without running anything.
func TestMalformed(t *testing.T) {
	good := Step{A: at(Input), Store: Output, To: []int{1}}
	with := func(change func(s *Step)) Step {
		s := good
		change(&s)
		return s
	}
	for _, c := range []struct {
		step Step
		want string
	}{
		{with(func(s *Step) { s.Chunk = 1 }), "chunk 1 of 1"},
		{with(func(s *Step) { s.Chunk = -1 }), "chunk -1 of 1"},
		{with(func(s *Step) { s.A, s.B = Operand{}, s.A }), "B without A"},
		{with(func(s *Step) { s.A = Operand{} }), "no operand"},
		{with(func(s *Step) { s.B, s.Map = at(Output), Scale }), "a map of two operands"},
		{with(func(s *Step) { s.Map = 7 }), "map 7 is unknown"},
		{with(func(s *Step) { s.A = at(9) }), "an operand from place 9"},
		{with(func(s *Step) { s.Store = Message }), "it stores to place 4"},
		{with(func(s *Step) { s.Store, s.To = Nowhere, nil }), "neither stored nor sent"},
		{with(func(s *Step) { s.To = []int{0} }), "a message to itself"},
		{with(func(s *Step) { s.To = []int{2} }), "a message to rank 2 of 2"},
		{with(func(s *Step) { s.To = []int{-1} }), "a message to rank -1 of 2"},
		{with(func(s *Step) { s.To = []int{1, 1} }), "two messages to rank 1"},
		{with(func(s *Step) { s.Channel = Channels }), "a message to rank 1 on channel 2 of 2"},
		{with(func(s *Step) { s.A = fromMessage(0, 0) }), "a message from itself"},
		{with(func(s *Step) { s.B = fromMessage(2, 0) }), "a message from rank 2 of 2"},
		{with(func(s *Step) { s.A = fromMessage(1, -1) }), "a message from rank 1 on channel -1 of 2"},
		{with(func(s *Step) { s.A, s.B = fromMessage(1, 0), fromMessage(1, 0) }), "both operands are the next message of one queue"},
		{with(func(s *Step) { s.After = []Dependency{{Step: 0}} }), "it waits for step 0, which is not an earlier one"},
		{with(func(s *Step) { s.After = []Dependency{{Step: -1}} }), "it waits for step -1"},
	} {
		programs := []Program{{Chunks: 1, Steps: []Step{c.step}}, Flat(1, 2, 0)}
		err := Check(programs, Broadcast, 0, CheckOptions{Slices: 1, Slots: 1})
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "rank 0, step 0") {
			t.Errorf("want %q, got %v", c.want, err)
		}
	}
	one := CheckOptions{Slices: 1, Slots: 1}
	two := []Program{Flat(0, 2, 0), Flat(1, 2, 0)}
	for want, err := range map[string]error{
		"no ranks":                          Check(nil, Barrier, 0, one),
		"collective 9 is unknown":           Check(two, 9, 0, one),
		"root 2 of 2":                       Check(two, Broadcast, 2, one),
		"0 slices and 0 slots":              Check(two, Broadcast, 0, CheckOptions{}),
		"Broadcast has no average":          Check(two, Broadcast, 0, CheckOptions{Slices: 1, Slots: 1, Average: Scale}),
		"rank 1 has 3 chunks, rank 0 has 1": Check([]Program{two[0], {Chunks: 3}}, Broadcast, 0, one),
		"rank 0 has 0 chunks":               Check([]Program{{}}, Broadcast, 0, one),
	} {
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}
