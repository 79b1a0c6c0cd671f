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
	root     int
	programs []Program
	o        CheckOptions // the tests add the seed, and slices and slots if there are none
}

// mistaken changes a sample.
func mistaken(m mistake, change func(p []Program)) mistake {
	for r := range m.programs {
		m.programs[r] = m.programs[r].clone()
	}
	change(m.programs)
	return m
}

func (p Program) clone() Program {
	p.Steps = slices.Clone(p.Steps)
	for j := range p.Steps {
		s := &p.Steps[j]
		s.Operands, s.To = slices.Clone(s.Operands), slices.Clone(s.To)
		s.After, s.Stride = slices.Clone(s.After), slices.Clone(s.Stride)
	}
	return p
}

// without drops some dependencies.
func (p Program) without(drop func(d Dependency) bool) Program {
	p = p.clone()
	for j := range p.Steps {
		p.Steps[j].After = slices.DeleteFunc(p.Steps[j].After, drop)
	}
	return p
}

func mistakes() []mistake {
	var all []mistake
	for _, some := range []func() []mistake{
		mistakesOfContribution, mistakesOfOrder, mistakesOfAverage, mistakesOfBlock, mistakesOfPlace, mistakesOfTime,
		mistakesOfSlots, mistakesOfMessages, mistakesOfBarriers,
	} {
		all = append(all, some()...)
	}
	return all
}

func mistakesOfContribution() []mistake {
	return []mistake{
		mistaken(mistake{name: "rank 1 does not contribute to part 0", want: ErrMissing, text: "it holds x0, x2, but not x1",
			does: AllReduce, programs: sampleOwners(3)}, func(p []Program) {
			p[1].Steps = slices.Delete(p[1].Steps, 0, 1)
			p[0].Steps = slices.Delete(p[0].Steps, 2, 3)
			p[0].Steps[2].Operands[0] = input(0)
			p[0], p[1] = p[0].order(), p[1].order()
		}),
		mistaken(mistake{name: "nothing is ever stored", want: ErrMissing, text: "rank 1, no step, slice 0: output 0, part 0: the output was never written",
			does: Broadcast, programs: sampleTell(2)}, func(p []Program) {
			p[1].Scratch, p[1].Steps[0].Store = 1, scratch(0).Location
		}),
		mistaken(mistake{name: "rank 1 adds its own twice", want: ErrDouble, text: "rank 1, step 2 (reduce), slice 0: output 0, part 0: it holds x0, x1, x1",
			does: AllReduce, programs: sampleExchange(2)}, func(p []Program) {
			p[1].Steps = append(p[1].Steps, Step{Operands: of(output(0), input(0)), Store: output(0).Location})
			p[1].Apart = true
			p[1] = p[1].order()
		}),
		mistaken(mistake{name: "rank 1 takes rank 0's for its own", want: ErrDouble, text: "rank 1, step 2 (reduce), slice 0: output 0, part 0: it holds x0, x0",
			does: AllReduce, programs: sampleExchange(2)}, func(p []Program) {
			p[1].Steps[1].Operands = of(message(0, 0))
			p[1].Steps = append(p[1].Steps, Step{Operands: of(output(0), output(0)), Store: output(0).Location})
			p[1] = p[1].order()
		}),
	}
}

func mistakesOfOrder() []mistake {
	return []mistake{
		mistaken(mistake{name: "rank 2 swaps the operands", want: ErrOrder, text: "it holds (x0 (x2 x1))",
			does: AllReduce, programs: sampleOwners(3), o: CheckOptions{Order: RankOrder}}, func(p []Program) {
			slices.Reverse(p[2].Steps[2].Operands)
		}),
		{name: "not folded from the left", want: ErrOrder, text: "part 2: it holds (x0 (x1 x2)), ((x0 op x1) op x2)… is wanted",
			does: AllReduce, programs: sampleOwners(3), o: CheckOptions{Order: LeftFold}},
		mistaken(mistake{name: "not folded from the left, and divided", want: ErrOrder, text: "part 2: it holds divide((x0 (x1 x2)))",
			does: AllReduce, programs: sampleOwners(3), o: CheckOptions{Order: LeftFold, Average: Divide}}, func(p []Program) {
			for r := range p {
				p[r] = p[r].DivideLast()
			}
		}),
		mistaken(mistake{name: "not folded in one step", want: ErrOrder, text: "it holds ((x0 x1) x2), ((x0 op x1) op x2)… in one step is wanted",
			does: AllReduce, programs: sampleExchange(3), o: CheckOptions{Order: OneFold}}, foldTwice),
		mistaken(mistake{name: "rank 1 rounds between", want: ErrDiffers, text: "it holds ((x0 x1) x2), rank 0 holds (x0 x1 x2)",
			does: AllReduce, programs: sampleExchange(3), o: CheckOptions{Order: LeftFold}}, foldTwice),
		mistaken(mistake{name: "rank 0 folds from the right", want: ErrDiffers, text: "it holds (x0 x1 x2), rank 0 holds (x0 (x1 x2))",
			does: AllReduce, programs: sampleExchange(3)}, func(p []Program) {
			p[0].Steps[1].Operands = of(message(1, 0), message(2, 0))
			p[0].Steps = append(p[0].Steps, Step{Operands: of(input(0), output(0)), Store: output(0).Location})
			p[0].Apart = true
			p[0] = p[0].order()
		}),
	}
}

// foldTwice has rank 1 of 3 fold two, and then the third.
func foldTwice(p []Program) {
	last := &p[1].Steps[1]
	p[1].Steps = append(p[1].Steps, Step{Operands: of(output(0), last.Operands[2]), Store: output(0).Location})
	last = &p[1].Steps[1]
	last.Operands = last.Operands[:2]
	p[1] = p[1].order()
}

func mistakesOfAverage() []mistake {
	return []mistake{
		mistaken(mistake{name: "a sum is scaled", want: ErrAverage, text: "it holds (scale(x0) scale(x1))",
			does: AllReduce, programs: sampleOwners(2)}, func(p []Program) {
			p[0], p[1] = p[0].ScaleFirst(), p[1].ScaleFirst()
		}),
		mistaken(mistake{name: "only rank 0 scales", want: ErrAverage, text: "it holds (scale(x0) x1)",
			does: AllReduce, programs: sampleExchange(2), o: CheckOptions{Average: Scale}}, func(p []Program) {
			p[0] = p[0].ScaleFirst()
		}),
		mistaken(mistake{name: "scaled twice", want: ErrAverage, text: "it holds (scale(scale(x0)) scale(x1))",
			does: AllReduce, programs: sampleExchange(2), o: CheckOptions{Average: Scale}}, func(p []Program) {
			p[0], p[1] = p[0].ScaleFirst(), p[1].ScaleFirst()
			p[1].Steps[1].Operands[0].Map = Scale
		}),
		mistaken(mistake{name: "a sum is scaled as a whole", want: ErrAverage, text: "it holds (scale((x0 x1)) scale(x2))",
			does: AllReduce, programs: sampleExchange(3), o: CheckOptions{Average: Scale, Order: LeftFold}}, func(p []Program) {
			foldTwice(p)
			p[1].Steps[2].Operands[0].Map, p[1].Steps[2].Operands[1].Map = Scale, Scale
			p[0], p[2] = p[0].ScaleFirst(), p[2].ScaleFirst()
			p[0].Steps[0].Operands[0].Map, p[2].Steps[0].Operands[0].Map = Identity, Identity
			for _, r := range []int{0, 2} {
				for i := range p[r].Steps[1].Operands {
					p[r].Steps[1].Operands[i].Map = Scale
				}
			}
		}),
		mistaken(mistake{name: "divided twice", want: ErrAverage, text: "divide(divide(",
			does: AllReduce, programs: sampleOwners(2), o: CheckOptions{Average: Divide}}, func(p []Program) {
			p[0], p[1] = p[0].DivideLast().DivideLast(), p[1].DivideLast().DivideLast()
		}),
		mistaken(mistake{name: "not divided", want: ErrAverage, text: "rank 0",
			does: AllReduce, programs: sampleOwners(2), o: CheckOptions{Average: Divide}}, func(p []Program) {
			p[1] = p[1].DivideLast()
		}),
	}
}

func mistakesOfBlock() []mistake {
	return []mistake{
		{name: "wrong root", want: ErrMalformed, text: "rank 0, step 0 (copy-send), every slice: an operand from input 0, which this rank does not have",
			does: Broadcast, root: 1, programs: sampleTell(2)},
		mistaken(mistake{name: "the wrong block is sent", want: ErrMissing, text: "output 0, part 0: it holds x0[0], but not x0[1]",
			does: AlltoAll, programs: sampleSwap()}, func(p []Program) {
			p[0].Steps[1].Operands[0] = input(0)
		}),
		mistaken(mistake{name: "the wrong block is stored to", want: ErrMissing, text: "rank 0, no step, slice 0: output 0, part 0: the output was never written",
			does: AlltoAll, programs: sampleSwap()}, func(p []Program) {
			p[0].Steps[0].Store.Block = 1
			p[0] = p[0].order()
		}),
		mistaken(mistake{name: "rank 1 reduces rank 0's block", want: ErrMissing, text: "it holds x0[0], x1[0], but not x0[1]",
			does: ReduceScatter, programs: sampleShares()}, func(p []Program) {
			p[0].Steps[0].Operands[0], p[1].Steps[1].Operands = input(0), of(message(0, 0), input(0))
		}),
		mistaken(mistake{name: "what is received is added to something", want: ErrDouble, text: "it holds x0[1], x1[1]",
			does: AlltoAll, programs: sampleSwap()}, func(p []Program) {
			p[1].Steps[2].Operands = append(p[1].Steps[2].Operands, input(1))
		}),
	}
}

func mistakesOfPlace() []mistake {
	return []mistake{
		mistaken(mistake{name: "rank 1 has no output", want: ErrMalformed, text: "it stores to output 0, which this rank does not have",
			does: Reduce, programs: sampleCollect(3)}, func(p []Program) {
			p[1].Steps[0].Store = output(0).Location
		}),
		mistaken(mistake{name: "rank 1 has no scratch", want: ErrMalformed, text: "it stores to scratch 0, which this rank does not have",
			does: Reduce, programs: sampleCollect(3)}, func(p []Program) {
			p[1].Steps[0].Store = scratch(0).Location
		}),
		mistaken(mistake{name: "rank 1 reduces into what it has not written", want: ErrUninitialised, text: "rank 1, step 1 (recv-reduce-send), slice 0: nothing was stored in output 0 yet",
			does: AllReduce, programs: sampleOwners(2)}, func(p []Program) {
			p[1].Steps[1].Operands[1] = output(0)
		}),
		mistaken(mistake{name: "rank 1 sends what the others hold", want: ErrUninitialised, text: "rank 1, step 1 (send), slice 0: nothing was stored in output 0 yet",
			does: AllGather, programs: samplePair(), o: CheckOptions{InPlace: true}}, func(p []Program) {
			p[1].Steps[1].Operands[0] = output(0)
			p[1] = p[1].order()
		}),
		mistaken(mistake{name: "rank 1 stores to its input", want: ErrInputChanged, text: "rank 1, step 0 (recv)",
			does: Broadcast, programs: sampleTell(2)}, func(p []Program) {
			p[1].Steps[0].Store = input(0).Location
		}),
		mistaken(mistake{name: "made for buffers apart, run in place", want: ErrMissing, text: "it holds x",
			does: AlltoAll, programs: sampleSwap(), o: CheckOptions{InPlace: true, Send: SendBySlot}}, func(p []Program) {
			for r := range p {
				p[r].Apart = false // but ordered as if it were
			}
		}),
	}
}

func mistakesOfTime() []mistake {
	all := func(Dependency) bool { return true }
	return []mistake{
		mistaken(mistake{name: "the result is divided before all have read it", want: ErrOverwritten, text: "lay where its step",
			does: AllReduce, programs: sampleOwners(3), o: CheckOptions{Average: Divide, Send: SendInPlace}}, func(p []Program) {
			for r := range p {
				p[r] = p[r].DivideLast()
				for j := range p[r].Steps {
					for k := range p[r].Steps[j].After {
						p[r].Steps[j].After[k].Read = false
					}
				}
			}
		}),
		mistaken(mistake{name: "the input is overwritten in place before its peer has read it", want: ErrOverwritten,
			text: "what rank 0's step 0 sent lay where its step 1 has stored since",
			does: AllReduce, programs: sampleExchange(2), o: CheckOptions{InPlace: true, Send: SendInPlace}}, func(p []Program) {
			p[0].Steps[0].Eager = false // and the dependency on its being read is not there
		}),
		mistaken(mistake{name: "the input is overwritten in place before it is sent", want: ErrDouble, text: "it holds x0, x1, x1",
			does: AllReduce, programs: sampleExchange(2), o: CheckOptions{InPlace: true}}, func(p []Program) {
			p[0] = p[0].without(all)
		}),
		mistaken(mistake{name: "each wants to be read before it reads", want: ErrDeadlock, text: "waits for the peers to read what step 0 sent",
			does: AllReduce, o: CheckOptions{InPlace: true, Send: SendInPlace}, programs: sampleExchange(2)}, func(p []Program) {
			for r := range p {
				p[r].Steps[0].Eager = false
				p[r] = p[r].order()
			}
		}),
	}
}

func mistakesOfSlots() []mistake {
	return []mistake{
		{name: "a slot is free after its first reader", want: ErrOverwritten, text: "stored since",
			does: Broadcast, programs: sampleTell(3), o: CheckOptions{Send: SendBySlot, Slots: 1, freeEarly: true}},
		mistaken(mistake{name: "slots are taken in a circle", want: ErrDeadlock, text: "waits for a slot of channel 0",
			does: AllReduce, programs: sampleOwners(3), o: CheckOptions{Send: SendBySlot, Slots: 1}}, func(p []Program) {
			// Each rank sends to the next one first, and takes from it first.
			p[1].Steps[0], p[1].Steps[1] = p[1].Steps[1], p[1].Steps[0]
			for r := 1; r <= 2; r++ {
				for _, s := range p[r].Steps[2:4] {
					for i := range s.Operands {
						if x := &s.Operands[i]; x.Place == Message {
							x.From = 3 - r - x.From
						}
					}
				}
				p[r] = p[r].order()
			}
		}),
	}
}

func mistakesOfMessages() []mistake {
	return []mistake{
		{name: "nobody takes the message of a queue that is full", want: ErrDeadlock, text: "waits for room in the queue to rank 1 on channel 0",
			does: Broadcast, programs: []Program{sampleTell(2)[0], {Parts: 1}}, o: CheckOptions{Slices: depth + 1, Slots: depth + 1}},
		{name: "nobody takes the message", want: ErrUnconsumed, text: "rank 0, step 0 (copy-send), slice 0: rank 1 never takes this message",
			does: Broadcast, programs: []Program{sampleTell(2)[0], {Parts: 1}}, o: CheckOptions{Slots: 5}},
		mistaken(mistake{name: "rank 0 takes part 1 for part 2", want: ErrMismatch, text: "sent part 1, slice",
			does: AllReduce, programs: sampleOwners(3)}, func(p []Program) {
			p[0].Steps[4].Part = 2
		}),
		mistaken(mistake{name: "rank 0 sends out of turn", want: ErrMismatch, text: "the next message to rank 1 on channel 0 is step 0's slice",
			does: Broadcast, programs: sampleTell(2)}, func(p []Program) {
			p[0].Steps = append(p[0].Steps, Step{Operands: of(input(0)), To: []int{1}})
			p[1].Steps = append(p[1].Steps, p[1].Steps[0])
			p[0], p[1] = p[0].order(), p[1].order()
			p[0].Steps[1].After = nil
		}),
		mistaken(mistake{name: "wrong stride", want: ErrMalformed, text: "stride 2, but 1 steps send to rank 1 on channel 0",
			does: AllReduce, programs: sampleOwners(3)}, func(p []Program) {
			p[0].Steps[0].Stride[0] = 2
		}),
		mistaken(mistake{name: "wrong senders", want: ErrMalformed, text: "rank 0, senders [1 0] of channel 0, but steps [0 1] send on it",
			does: AllReduce, programs: sampleOwners(3)}, func(p []Program) {
			p[0].Senders[0] = []int{1, 0}
		}),
	}
}

func mistakesOfBarriers() []mistake {
	return []mistake{
		mistaken(mistake{name: "both wait first", want: ErrDeadlock,
			text: "rank 0, step 0 (recv), slice 0 waits for a message from rank 1 on channel 0; rank 1, step 0 (recv), slice 0 waits for a message from rank 0 on channel 0",
			does: Barrier, programs: sampleRounds(2)}, func(p []Program) {
			for r := range p {
				slices.Reverse(p[r].Steps)
				p[r] = p[r].order()
			}
		}),
		mistaken(mistake{name: "rank 2 does not wait", want: ErrEarly, text: "rank 2, step 1 (send), slice 0: rank 0 has not come yet",
			does: Barrier, programs: sampleRounds(4), o: CheckOptions{Slices: 1}}, func(p []Program) {
			p[2].Steps = slices.DeleteFunc(p[2].Steps, func(s Step) bool { return s.Operands[0].Place == Message })
			p[2] = p[2].order()
		}),
		mistaken(mistake{name: "rank 2 waits only until it is heard", want: ErrEarly, text: "rank 2, step 1 (send), slice 0: rank 0 has not come yet",
			does: Barrier, programs: sampleRounds(4), o: CheckOptions{Slices: 1, Send: SendInPlace}}, func(p []Program) {
			p[2].Steps = slices.DeleteFunc(p[2].Steps, func(s Step) bool { return s.Operands[0].Place == Message })
			p[2].Steps[0].Eager = false
			p[2] = p[2].order()
		}),
		{name: "an empty barrier", want: ErrEarly, text: "rank 1 has no steps, and rank 0 has not come yet",
			does: Barrier, programs: []Program{{Parts: 1}, {Parts: 1}}},
		mistaken(mistake{name: "half a barrier", want: ErrEarly, text: "has not come yet",
			does: Barrier, programs: sampleRounds(8)}, func(p []Program) {
			for r := range p { // the last round is left out
				p[r].Steps = p[r].Steps[:4]
				p[r] = p[r].order()
			}
		}),
	}
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
				err := Check(m.programs, m.does, m.root, o)
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
