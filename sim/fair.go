package sim

import (
	"cmp"
	"math"
	"slices"
)

// Who shares no full link with anybody gets what the thinnest link of its route has: so a link can only hold up those on it
// if together they could send more than it has. Such links are called full here.

// link is a directed link, and who is on it.
type link struct {
	bandwidth float64
	load      float64 // the sum of what those on it could send if it were not there
	flows     []crossing
	dirty     bool

	// While a solution is made:
	seen   int32 // the last one that looked at it
	number int32 // its own
	count  int   // of flows without a rate
	rest   float64
	share  float64
	kept   float64 // the rate of flows that it keeps from more and that are not in the solution, or 0
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
	wider  []int32 // flows that are to be in it, too
	full   []int32 // links of the solution
	shares []*link // a heap of those by share
}

const (
	tolerance = 1 + 1e-9 // no sum of loads gets there by rounding alone
	same      = 1e-13    // rates that differ by less, for their size, are
	alike     = 1e-11    // rates that differ by less do not take anything from each other
	unknown   = -1       // the rate of a flow that a solution has not given one
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

// empty takes the rates of the solution's flows from them, and gives the links what is theirs to share.
func (s *simulation) empty() {
	for _, p := range s.flows {
		s.pairs[p].next = unknown
	}
	s.shares = s.shares[:0]
	for _, i := range s.full {
		l := &s.links[i]
		l.count, l.rest, l.kept = 0, l.bandwidth, 0
		for _, c := range l.flows {
			f := &s.pairs[c.pair]
			if f.seen == s.number {
				l.count++
				continue
			}
			l.rest -= f.rate
			if f.tight == i {
				l.kept = f.rate
			}
		}
		l.share = l.even(0)
		s.shares = append(s.shares, l)
	}
	for i := len(s.shares)/2 - 1; i >= 0; i-- {
		s.sink(i)
	}
}

// fill is progressive filling: all rates of the solution's flows rise together; a flow's stops at the most that it can have,
// or when a link that it is on has no more to give.
func (s *simulation) fill() {
	s.empty()
	least := func(p, q int32) int { return cmp.Compare(s.pairs[p].most, s.pairs[q].most) }
	if len(s.shares) > 0 && !slices.IsSortedFunc(s.flows, least) {
		slices.SortStableFunc(s.flows, least)
	}
	level := 0.0
	for _, p := range s.flows {
		f := &s.pairs[p]
		for f.next == unknown {
			l := s.thinnest(level)
			if l == nil || f.most <= l.share {
				s.fix(p, f.most, none)
				break
			}
			level = l.share
			for _, c := range l.flows {
				if s.pairs[c.pair].next == unknown {
					s.fix(c.pair, level, l.number)
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
		} else if share := l.even(level); share > l.share {
			l.share = share
		} else {
			return l
		}
		s.sink(0)
	}
	return nil
}

// even is what each flow without a rate could have of what is left, at least level. Rounding alone makes it no other than
// that of flows that keep theirs: or messages that end together would not.
func (l *link) even(level float64) float64 {
	share := max(l.rest/float64(l.count), level)
	if math.Abs(share-l.kept) < l.kept*alike {
		return l.kept
	}
	return share
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

// fix gives a flow its rate, and says which link keeps it from more.
func (s *simulation) fix(p int32, rate float64, tight int32) {
	f := &s.pairs[p]
	f.next, f.tight = rate, tight
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
