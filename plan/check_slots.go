package plan

// pool is the slots of a rank on one channel.
type pool struct {
	slots       []slot
	next        int
	inTurn      bool // a free slot helps only when it is the next one
	slice, turn int  // who has to take a slot next: this slice of this one of the senders
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

// slotTurn is the step that has to take the next slot of a channel, if any has to.
func (m *machine) slotTurn(rank, channel int) (step int, ok bool) {
	p, senders := &m.ranks[rank].slots[channel], m.programs[rank].Senders[channel]
	for ; p.slice < m.o.Slices; p.slice, p.turn = p.slice+1, 0 {
		for ; p.turn < len(senders); p.turn++ {
			j := senders[p.turn]
			if m.ranks[rank].steps[j].done <= p.slice && m.way(rank, j, p.slice) == bySlot {
				return j, true
			}
		}
	}
	return nobody, false
}

// wakeSlotTurn has the step looked at again that is to take the next slot.
func (m *machine) wakeSlotTurn(rank, channel int) {
	if step, ok := m.slotTurn(rank, channel); ok {
		if p := &m.ranks[rank].steps[step]; p.wantsSlot {
			p.wantsSlot = false
			m.candidate(rank, step)
		}
	}
}
