package sim

import "math"

// solve gives a rate to all flows that may have another one than before.
//
// Most changes reach few flows of those that full links join. So at first only those that share a full link with what has
// changed get new rates, and all others keep theirs. Then those join in for whom that is not fair, as long as there are
// any. Shares are fair if each flow either has the most that it can get, or crosses a link that is used up and on which
// nobody has more (Bertsekas, Gallager: Data networks, 1992, 6.5.2); and no others are.
func (s *simulation) solve(now float64) {
	if len(s.fresh) == 0 && len(s.dirty) == 0 {
		return
	}
	s.gather()
	for s.fill(); s.widen(); {
		s.fill()
	}
	for _, p := range s.flows {
		s.adopt(p, now)
	}
}

// gather lists the flows to begin with, and the full links that they cross.
func (s *simulation) gather() {
	s.number++
	s.flows, s.full = s.flows[:0], s.full[:0]
	for _, p := range s.fresh {
		s.take(p)
	}
	for _, p := range s.fresh {
		f := &s.pairs[p]
		for _, i := range s.routes[f.route.begin:f.route.end] {
			if s.links[i].full() {
				s.takeAll(i)
			}
		}
	}
	for _, i := range s.dirty {
		s.links[i].dirty = false
		s.takeAll(i)
	}
	s.fresh, s.dirty = s.fresh[:0], s.dirty[:0]
	s.listFull(0)
}

func (s *simulation) take(p int32) {
	if f := &s.pairs[p]; f.seen != s.number {
		f.seen = s.number
		s.flows = append(s.flows, p)
	}
}

// takeAll takes all flows of a link.
func (s *simulation) takeAll(link int32) {
	for _, c := range s.links[link].flows {
		s.take(c.pair)
	}
}

// listFull lists the full links that the flows from one on cross.
func (s *simulation) listFull(from int) {
	for _, p := range s.flows[from:] {
		f := &s.pairs[p]
		for _, i := range s.routes[f.route.begin:f.route.end] {
			if l := &s.links[i]; l.seen != s.number && l.full() {
				l.seen = s.number
				s.full = append(s.full, i)
			}
		}
	}
}

// widen takes flows that cannot keep their rates beside the new ones, and says whether there are any: who has more on a link
// than one whom that link keeps from more, and whom a link has kept from more that is no longer used up, or on which somebody
// has more now.
func (s *simulation) widen() bool {
	s.wider = s.wider[:0]
	for _, i := range s.full {
		l := &s.links[i]
		used, most, held := 0.0, 0.0, math.Inf(1) // held: what those in the solution have whom it keeps from more
		staying := 0
		for _, c := range l.flows {
			f := &s.pairs[c.pair]
			if f.seen != s.number {
				used += f.rate
				staying++
				continue
			}
			used, most = used+f.next, max(most, f.next)
			if f.tight == i {
				held = min(held, f.next)
			}
		}
		if staying == 0 {
			continue
		}
		left := used < l.bandwidth*(1-alike)
		for _, c := range l.flows {
			f := &s.pairs[c.pair]
			if f.seen != s.number && (f.rate > held*(1+alike) || f.tight == i && (left || most > f.rate*(1+alike))) {
				s.wider = append(s.wider, c.pair)
			}
		}
	}
	before := len(s.flows)
	for _, p := range s.wider {
		s.take(p)
	}
	s.listFull(before)
	return len(s.wider) > 0
}
