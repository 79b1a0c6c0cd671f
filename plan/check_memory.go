package plan

// cell is the memory of one slice. The version tells a reader whether it still holds what was sent.
type cell struct {
	value   *value
	version int
	writer  int // the step that wrote last, or nobody
}

func (c *cell) write(v *value, step int) {
	c.value, c.writer = v, step
	c.version++
}

// delivery is what one slice of a step sent, the same to all receivers.
type delivery struct {
	memory       *cell // of the user, of a slot, or its own
	version      int
	from, step   int
	chunk, slice int
	token        bool
	inPlace      bool
	slot         *slot // that it occupies, or nil
	readers      int   // that have not consumed it
}

type queue []*delivery

// pool is the slots of a rank on one channel.
type pool struct {
	slots  []slot
	next   int
	inTurn bool // a free slot helps only when it is the next one
}

type slot struct {
	cell
	busy bool
}

// free is a slot to use next, or nil.
func (p *pool) free() *slot {
	if p.inTurn {
		if p.slots[p.next].busy {
			return nil
		}
		return &p.slots[p.next]
	}
	for i := range p.slots {
		if !p.slots[i].busy {
			return &p.slots[i]
		}
	}
	return nil
}

func (p *pool) take() *slot {
	s := p.free()
	s.busy = true
	p.next = (p.next + 1) % len(p.slots)
	return s
}
