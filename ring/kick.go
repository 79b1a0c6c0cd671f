package ring

// kick exchanges two random short pieces that follow each other, makes the ring better around there, and takes all of it
// back unless the ring is at most as expensive as before (Martin, Otto, Felten: Large-step Markov chains for the traveling
// salesman problem, 1991). It says by how much the ring is cheaper.
func (s *search) kick(near int32) (gain int64) {
	n := int32(s.c.n)
	most := min(longestKick, (n-2)/2)
	place := func(i int32) int32 { return s.order[i%n] }
	at := s.place[near] + n - s.draw(most+1)
	one := at + 1 + s.draw(most)
	two := one + 1 + s.draw(most)
	p, a, e, q, c, d := place(at), place(at+1), place(one), place(one+1), place(two), place(two+1)
	before := len(s.journal)
	gain = s.hop(p, a) + s.hop(e, q) + s.hop(c, d) - s.hop(p, q) - s.hop(c, a) - s.hop(e, d)
	s.insert(p, a, e, q, c, d, true)
	s.push(p, a, e, q, c, d)
	if gain += s.run(); gain < 0 {
		s.undo(before)
		return 0
	}
	return gain
}

// longestKick is how many nodes a piece has at most.
const longestKick = 50

// draw is a number below limit: the same ones in each run.
func (s *search) draw(limit int32) int32 {
	s.random++
	return int32(mix(s.random) % uint64(limit))
}

// kicks kicks the ring up to so many times, anywhere, as long as it costs more than a bound.
func (s *search) kicks(count int, bound int64) {
	total := s.total()
	for k := range count {
		s.c.report("local search", float64(k)/float64(count))
		if total <= bound {
			return
		}
		total -= s.kick(s.draw(int32(s.c.n)))
		s.journal = s.journal[:0]
	}
}
