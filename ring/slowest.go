package ring

import "slices"

// lowerSlowest makes the slowest hop of a ring faster, as long as the ring does not cost more than limit. floor is what no
// ring's slowest hop goes below.
func (s *search) lowerSlowest(limit, floor int64) {
	for {
		s.ban = s.slowest()
		if s.ban <= floor {
			break
		}
		s.journal = s.journal[:0]
		found := false
		for try := 0; try <= slowTries && !found; try++ {
			slow := s.pushSlow()
			if try == 0 {
				s.run()
			} else {
				s.kick(slow)
			}
			found = s.slowest() < s.ban
		}
		if !found || s.total() > limit {
			s.undo(0)
			break
		}
	}
	s.ban = none
}

// slowTries is how many kicks may help to get rid of a slow hop.
const slowTries = 30

// slowest is what the slowest hop costs.
func (s *search) slowest() (cost int64) {
	last := s.order[len(s.order)-1]
	for _, node := range s.order {
		cost = max(cost, s.c.at(last, node))
		last = node
	}
	return cost
}

// pushSlow has the search look at the ends of all hops that are to be avoided, and gives one of them.
func (s *search) pushSlow() (slow int32) {
	last := s.order[len(s.order)-1]
	for _, node := range s.order {
		if s.c.at(last, node) >= s.ban {
			s.push(last, node)
			slow = node
		}
		last = node
	}
	return slow
}

// fastest finds, for few nodes, of the rings that cost at most limit those whose slowest hop is the fastest, and the cheapest
// of these. order is one to begin with.
func fastest(c *costs, order []int32, limit int64) []int32 {
	slowest := newSearch(c, order).slowest()
	var bans []int64
	for i := range int32(c.n) {
		for j := range i {
			bans = append(bans, c.at(i, j))
		}
	}
	slices.Sort(bans)
	bans = slices.Compact(bans)
	low, high := 0, slices.Index(bans, slowest)
	for low <= high {
		middle := (low + high) / 2
		found, total := cheapest(c.n, func(a, b int32) int64 {
			d := c.at(a, b)
			if d > bans[middle] {
				d += banned / fewNodes
			}
			return d
		})
		if total <= limit {
			order, high = found, middle-1
		} else {
			low = middle + 1
		}
	}
	return order
}
