package ring

// tour is a ring that changes: by turning a piece of it around, which is how all changes are written down, too.
type tour struct {
	order   []int32
	place   []int32    // by node: where in the order it is
	journal [][2]int32 // the pieces that were turned
}

func newTour(order []int32) *tour {
	t := &tour{order: order, place: make([]int32, len(order))}
	for i, node := range order {
		t.place[node] = int32(i)
	}
	return t
}

func (t *tour) next(node int32) int32 {
	if i := int(t.place[node]) + 1; i < len(t.order) {
		return t.order[i]
	}
	return t.order[0]
}

func (t *tour) previous(node int32) int32 {
	if i := t.place[node]; i > 0 {
		return t.order[i-1]
	}
	return t.order[len(t.order)-1]
}

// exchange takes the links a-b and c-d out and puts a-c and b-d in. b is after a and d after c, or both are before.
func (t *tour) exchange(a, b, c, d int32) {
	if t.next(a) == b {
		t.turn(t.place[b], t.place[c])
	} else {
		t.turn(t.place[a], t.place[d])
	}
}

// turn turns the piece between two places, or the rest of the ring, which is the same, if that is shorter.
func (t *tour) turn(from, to int32) {
	n := int32(len(t.order))
	length := to - from + 1
	if length <= 0 {
		length += n
	}
	if 2*length > n {
		from, to, length = to+1, from-1, n-length
		if from == n {
			from = 0
		}
		if to < 0 {
			to = n - 1
		}
	}
	if length < 2 {
		return
	}
	t.journal = append(t.journal, [2]int32{from, to})
	for range length / 2 {
		x, y := t.order[from], t.order[to]
		t.order[from], t.order[to] = y, x
		t.place[y], t.place[x] = from, to
		if from++; from == n {
			from = 0
		}
		if to--; to < 0 {
			to = n - 1
		}
	}
}

// undo takes back all changes since the journal had this length. What was turned twice is as it was.
func (t *tour) undo(length int) {
	for i := len(t.journal) - 1; i >= length; i-- {
		t.turn(t.journal[i][0], t.journal[i][1])
	}
	t.journal = t.journal[:length]
}

// insert moves a piece, from s to e, to between c and d. In one of the two directions the ring is p, s … e, q … c, d. If
// keep, c is next to s then, and e next to d: the piece keeps its direction. Or else, c is next to e.
func (t *tour) insert(p, s, e, q, c, d int32, keep bool) {
	if keep {
		t.exchange(p, s, e, q)
		s, e = e, s
	}
	t.exchange(p, s, c, d)
	t.exchange(p, c, q, e)
}
