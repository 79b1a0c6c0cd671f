package plan

// order fills in what each step has to wait for, so that builders need not say it:
//
//   - slice by slice, the earlier steps that touch the same bytes, at least one of the two writing;
//   - on each queue, the step before it; and the first step, the last one's slice before. So both ends of a queue agree
//     that the first slice of every step comes before the second of any.
//
// Slots are taken in the same order; see Program.Senders.
//
// All steps of a program have the same number of slices. Each slice is thus an operation of its own, and what holds for
// one slice, that nobody waits in a circle, holds for many.
func (p Program) order() Program {
	o := orderer{
		steps: p.Steps, apart: p.Apart, cells: map[cellKey]*cellUse{}, queues: map[queueKey]*line{},
	}
	for j := range p.Steps {
		p.Steps[j].After, p.Steps[j].Stride = nil, nil
	}
	p.Senders = [Channels][]int{}
	for j := range p.Steps {
		o.memory(j)
		o.messages(j)
	}
	for _, q := range o.all {
		if q.first != q.last {
			o.after(q.first, Dependency{Step: q.last, Lag: 1})
		}
	}
	for j := range p.Steps {
		s := &p.Steps[j]
		s.After = reduced(s.After, p.Steps)
		for _, to := range s.To {
			s.Stride = append(s.Stride, o.queues[queueKey{true, to, s.Channel}].steps)
		}
		if len(s.To) > 0 && s.Channel >= 0 && s.Channel < Channels {
			p.Senders[s.Channel] = append(p.Senders[s.Channel], j)
		}
	}
	return p
}

// orderer goes through a program once.
type orderer struct {
	steps  []Step
	apart  bool
	cells  map[cellKey]*cellUse
	queues map[queueKey]*line
	all    []*line // the queues in the order of their first use
}

// cellKey is a piece of memory that may be overwritten: a part of a block. Unless a program is for buffers that lie apart,
// input and output are one.
type cellKey struct {
	place       Place
	block, part int
}

// cellUse is who has used it.
type cellUse struct {
	writer  int // the last, or -1
	readers []int
}

func (o *orderer) cell(l Location, part int) *cellUse {
	if l.Place == Input && !o.apart {
		l.Place = Output
	}
	k := cellKey{l.Place, l.Block, part}
	c := o.cells[k]
	if c == nil {
		c = &cellUse{writer: -1}
		o.cells[k] = c
	}
	return c
}

// memory makes step j wait for those that use the same bytes.
func (o *orderer) memory(j int) {
	s := &o.steps[j]
	for _, x := range s.Operands {
		if x.Place == Message {
			continue
		}
		c := o.cell(x.Location, s.Part)
		if c.writer >= 0 {
			o.after(j, Dependency{Step: c.writer})
		}
		c.readers = append(c.readers, j)
	}
	if s.Store.Place == Nowhere {
		return
	}
	c := o.cell(s.Store, s.Part)
	for _, i := range append(c.readers, c.writer) {
		if i < 0 || i == j {
			continue
		}
		from, sent := o.steps[i].Reference()
		o.after(j, Dependency{Step: i, Read: sent && o.cell(from, o.steps[i].Part) == c})
	}
	c.writer, c.readers = j, nil
}

// Reference is where a step that sends has its result, if that is in the user's memory, where peers may be able to read it.
func (s *Step) Reference() (from Location, ok bool) {
	if s.Eager || len(s.To) == 0 || len(s.Operands) == 0 {
		return from, false
	}
	if s.Store.Place != Nowhere {
		return s.Store, s.Store.Place == Output
	}
	x := &s.Operands[0]
	plain := len(s.Operands) == 1 && x.Map == Identity
	return x.Location, plain && (x.Place == Input || x.Place == Output)
}

// IsReference says whether a step that sends has its result there.
func (s *Step) IsReference() bool { _, ok := s.Reference(); return ok }

type queueKey struct {
	sending       bool
	peer, channel int
}

// line is the steps that use one queue.
type line struct {
	first, last, steps int
}

// messages makes step j wait for the step before it on each of its queues.
func (o *orderer) messages(j int) {
	s := &o.steps[j]
	for _, x := range s.Operands {
		if x.Place == Message {
			o.enqueue(j, queueKey{false, x.From, x.Channel})
		}
	}
	for _, to := range s.To {
		o.enqueue(j, queueKey{true, to, s.Channel})
	}
}

func (o *orderer) enqueue(j int, k queueKey) {
	q := o.queues[k]
	if q == nil {
		q = &line{first: j, last: j, steps: 1}
		o.queues[k] = q
		o.all = append(o.all, q)
		return
	}
	o.after(j, Dependency{Step: q.last})
	q.last = j
	q.steps++
}

// after adds a dependency to step j, or makes one that is there as strict.
func (o *orderer) after(j int, d Dependency) {
	list := o.steps[j].After
	for i := range list {
		if have := &list[i]; have.Step == d.Step && have.Lag == d.Lag {
			have.Read = have.Read || d.Read
			return
		}
	}
	o.steps[j].After = append(list, d)
}

// reduced drops the dependencies that two others together imply: in a chain of folds each step then waits for the one
// before it only.
func reduced(after []Dependency, steps []Step) []Dependency {
	var kept []Dependency
	for i, d := range after {
		implied := false
		for k, e := range after {
			if k == i || d.Read {
				continue
			}
			for _, t := range steps[e.Step].After {
				implied = implied || t.Step == d.Step && e.Lag+t.Lag <= d.Lag
			}
		}
		if !implied {
			kept = append(kept, d)
		}
	}
	return kept
}
