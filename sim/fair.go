package sim

import (
	"cmp"
	"math"
	"slices"
)

// Who shares no full link with anybody gets what the thinnest link of its route has: so a link can only hold up those on it
// if together they could send more than it has. Such links are called full here. A flow that starts or ends can change
// the rates of those only that full links join to it, directly or by way of others.

// link is a directed link, and who is on it.
type link struct {
	bandwidth float64
	load      float64 // the sum of what those on it could send if it were not there
	flows     []crossing
	dirty     bool

	// While a solution is made:
	seen  int32 // the last one that looked at it
	count int   // of flows without a rate
	rest  float64
	share float64
}

// crossing is a flow on a link: its pair, and the index in fair.places that has its place among the link's flows.
type crossing struct{ pair, index int32 }

// fair is the network and its flows.
type fair struct {
	links  []link
	routes []int32 // of all pairs, one after the other
	places []int32 // for each element of routes, while there is a flow

	fresh  []int32 // flows that have no rate yet
	dirty  []int32 // links whose flows may get other rates
	number int32   // of the solution

	flows  []int32 // of the solution
	full   []int32 // links of the solution
	shares []*link // a heap of those by share
}

const (
	tolerance = 1 + 1e-9 // no sum of loads gets there by rounding alone
	same      = 1e-13    // rates that differ by less, for their size, are
)

func (l *link) full() bool { return l.load > l.bandwidth*tolerance }

func (f *fair) soil(i int32) {
	if l := &f.links[i]; !l.dirty {
		l.dirty = true
		f.dirty = append(f.dirty, i)
	}
}

// join puts a pair's flow on its links.
func (s *simulation) join(p int32) {
	f := &s.pairs[p]
	for at := f.route.begin; at < f.route.end; at++ {
		l := &s.links[s.routes[at]]
		s.places[at] = int32(len(l.flows))
		l.flows = append(l.flows, crossing{p, at})
		l.load += f.most
	}
	s.fresh = append(s.fresh, p)
}

// part takes it off them.
func (s *simulation) part(p int32) {
	f := &s.pairs[p]
	for at := f.route.begin; at < f.route.end; at++ {
		i := s.routes[at]
		l := &s.links[i]
		if l.full() {
			s.soil(i)
		}
		last := l.flows[len(l.flows)-1]
		l.flows[s.places[at]] = last
		s.places[last.index] = s.places[at]
		l.flows = l.flows[:len(l.flows)-1]
		if l.load -= f.most; len(l.flows) == 0 {
			l.load = 0 // and with it what rounding has left
		}
	}
}

// solve gives a rate to all flows that may have another one than before.
func (s *simulation) solve(now float64) {
	if len(s.fresh) == 0 && len(s.dirty) == 0 {
		return
	}
	s.gather()
	s.fill()
	for _, p := range s.flows {
		s.adopt(p, now)
	}
}

// gather lists those flows, and the full links that they share. To begin with, each flow has the most that it can get.
func (s *simulation) gather() {
	s.number++
	s.flows, s.full = s.flows[:0], s.full[:0]
	for _, p := range s.fresh {
		s.take(p)
	}
	for _, i := range s.dirty {
		s.links[i].dirty = false
		for _, c := range s.links[i].flows {
			s.take(c.pair)
		}
	}
	s.fresh, s.dirty = s.fresh[:0], s.dirty[:0]
	for next := 0; next < len(s.flows); next++ {
		f := &s.pairs[s.flows[next]]
		for _, i := range s.routes[f.route.begin:f.route.end] {
			l := &s.links[i]
			if !l.full() || l.seen == s.number {
				continue
			}
			l.seen, l.count, l.rest = s.number, len(l.flows), l.bandwidth
			s.full = append(s.full, i)
			for _, c := range l.flows {
				s.take(c.pair)
			}
		}
	}
}

func (s *simulation) take(p int32) {
	if f := &s.pairs[p]; f.seen != s.number {
		f.seen, f.next = s.number, 0
		s.flows = append(s.flows, p)
	}
}

// fill is progressive filling: all rates rise together; a flow's stops at the most that it can have, or when a link that it
// is on has no more to give.
func (s *simulation) fill() {
	s.shares = s.shares[:0]
	for _, i := range s.full {
		l := &s.links[i]
		l.share = l.rest / float64(l.count)
		s.shares = append(s.shares, l)
	}
	for i := len(s.shares)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
	least := func(p, q int32) int { return cmp.Compare(s.pairs[p].most, s.pairs[q].most) }
	if len(s.shares) > 0 && !slices.IsSortedFunc(s.flows, least) {
		slices.SortStableFunc(s.flows, least)
	}
	level := 0.0
	for _, p := range s.flows {
		f := &s.pairs[p]
		for f.next == 0 {
			l := s.thinnest(level)
			if l == nil || f.most <= l.share {
				s.fix(p, f.most)
				break
			}
			level = l.share
			for _, c := range l.flows {
				if s.pairs[c.pair].next == 0 {
					s.fix(c.pair, level)
				}
			}
		}
		level = max(level, f.next)
	}
}

// thinnest is the link that would have no more to give first. Shares only grow as others' flows are fixed, so that it is
// enough to look again at the first.
func (s *simulation) thinnest(level float64) *link {
	for len(s.shares) > 0 {
		l := s.shares[0]
		if l.count == 0 {
			s.shares[0] = s.shares[len(s.shares)-1]
			s.shares = s.shares[:len(s.shares)-1]
		} else if share := max(l.rest/float64(l.count), level); share > l.share {
			l.share = share
		} else {
			return l
		}
		s.sink(0)
	}
	return nil
}

// sink moves the link at place i of the heap down to where it belongs.
func (s *simulation) sink(i int) {
	a := s.shares
	for {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < len(a); c++ {
			if a[c].share < a[least].share {
				least = c
			}
		}
		if least == i {
			return
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
}

// fix gives a flow its rate.
func (s *simulation) fix(p int32, rate float64) {
	f := &s.pairs[p]
	f.next = rate
	for _, i := range s.routes[f.route.begin:f.route.end] {
		if l := &s.links[i]; l.seen == s.number {
			l.count--
			l.rest -= rate
		}
	}
}

// adopt makes the new rate the flow's.
func (s *simulation) adopt(p int32, now float64) {
	f := &s.pairs[p]
	if f.rate > 0 { // else it has waited for its rate since it began
		if math.Abs(f.next-f.rate) < f.rate*same {
			return
		}
		now = max(now, f.since)
		f.rest = max(f.rest-f.rate*(now-f.since), 0)
		f.since = now
	}
	f.rate = f.next
	s.ends.set(p, f.since+f.rest/f.rate)
}
