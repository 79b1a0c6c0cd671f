package ring

// search makes a ring better by small changes: two links are exchanged (2-opt; Croes: A method for solving traveling-salesman
// problems, 1958), or up to three nodes in a row are moved (Or-opt; Or, 1976). It looks at near nodes only, and only around
// nodes where something has changed (Bentley: Fast algorithms for geometric traveling salesman problems, 1992).
type search struct {
	*tour
	c      *costs
	near   [][]int32 // by node: the nearest others, the nearest first
	ban    int64     // hops that cost as much or more are to be avoided
	queue  []int32   // nodes to look at
	queued []bool
	random uint64
}

// banned is what a hop that is to be avoided costs more: more than any ring, and four of them are no overflow.
const banned int64 = 1 << 60

func newSearch(c *costs, order []int32) *search {
	return &search{tour: newTour(order), c: c, near: nearest(c), ban: none, queued: make([]bool, c.n), random: 1}
}

// hop is what the search lets a hop cost.
func (s *search) hop(a, b int32) int64 {
	d := s.c.at(a, b)
	if d >= s.ban {
		d += banned
	}
	return d
}

// push has the search look at nodes.
func (s *search) push(nodes ...int32) {
	for _, node := range nodes {
		if !s.queued[node] {
			s.queued[node] = true
			s.queue = append(s.queue, node)
		}
	}
}

// pushAll has the search look at all nodes, along the ring.
func (s *search) pushAll() { s.push(s.order...) }

// run changes the ring until no change around the nodes in the queue makes it better, and says by how much it is cheaper.
func (s *search) run() (gain int64) {
	if s.c.n < 4 {
		s.queue = s.queue[:0]
		clear(s.queued)
		return 0
	}
	for head := 0; head < len(s.queue); head++ {
		if node := s.queue[head]; s.queued[node] {
			s.queued[node] = false
			for g := s.improve(node); g > 0; g = s.improve(node) {
				gain += g
			}
		}
		if head > 2*s.c.n { // or it would grow for ever
			s.queue = s.queue[:copy(s.queue, s.queue[head+1:])]
			head = -1
		}
	}
	s.queue = s.queue[:0]
	return gain
}

// change is one that makes the ring cheaper by gain.
type change struct {
	gain        int64
	p, s, e, q  int32 // the piece to move, and what it is next to; of an exchange only p and s
	c, d        int32
	piece, keep bool
}

// improve makes the best change around a node, and says by how much the ring is cheaper; 0 if there is none.
func (s *search) improve(a int32) int64 {
	var best change
	for _, forward := range [2]bool{true, false} {
		s.exchanges(a, forward, &best)
		s.moves(a, forward, &best)
	}
	if best.gain <= 0 {
		return 0
	}
	if best.piece {
		s.insert(best.p, best.s, best.e, best.q, best.c, best.d, best.keep)
		s.push(best.p, best.s, best.e, best.q, best.c, best.d)
	} else {
		s.exchange(best.p, best.s, best.c, best.d)
		s.push(best.p, best.s, best.c, best.d)
	}
	return best.gain
}

// after is the node behind another one, in a direction.
func (s *search) after(node int32, forward bool) int32 {
	if forward {
		return s.next(node)
	}
	return s.previous(node)
}

// exchanges looks at what takes out the link from a to the node behind it.
func (s *search) exchanges(a int32, forward bool, best *change) {
	b := s.after(a, forward)
	old := s.hop(a, b)
	for _, c := range s.near[a] {
		first := old - s.hop(a, c)
		if first <= 0 {
			return // and so it is with those that are farther away
		}
		d := s.after(c, forward)
		if gain := first + s.hop(c, d) - s.hop(b, d); gain > best.gain && c != b && d != a {
			*best = change{gain: gain, p: a, s: b, c: c, d: d}
		}
	}
}

// longestPiece is how many nodes are moved together.
const longestPiece = 3

// moves looks at what moves a, with nodes behind it, to a near node.
func (s *search) moves(a int32, forward bool, best *change) {
	p, e := s.after(a, !forward), a
	for length := 1; length <= min(longestPiece, s.c.n-3); length++ {
		q := s.after(e, forward)
		freed := s.hop(p, a) + s.hop(e, q) - s.hop(p, q)
		for _, c := range s.near[a] {
			rest := freed - s.hop(c, a)
			if rest <= 0 {
				break
			}
			if s.within(c, a, length, forward) {
				continue
			}
			if d := s.after(c, forward); c != p {
				if gain := rest - s.hop(e, d) + s.hop(c, d); gain > best.gain {
					*best = change{gain, p, a, e, q, c, d, true, true}
				}
			}
			if d := s.after(c, !forward); c != q {
				if gain := rest - s.hop(e, d) + s.hop(c, d); gain > best.gain {
					*best = change{gain, p, a, e, q, d, c, true, false}
				}
			}
		}
		e = q
	}
}

// within says whether a node is one of those in a row.
func (s *search) within(node, first int32, length int, forward bool) bool {
	distance := int(s.place[node] - s.place[first])
	if !forward {
		distance = -distance
	}
	if distance < 0 {
		distance += s.c.n
	}
	return distance < length
}

// total is what the ring costs.
func (s *search) total() int64 { return ringCost(s.c, s.order) }

func ringCost(c *costs, order []int32) (total int64) {
	last := order[len(order)-1]
	for _, node := range order {
		total += c.at(last, node)
		last = node
	}
	return total
}
