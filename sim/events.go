package sim

// event is something that will happen, at a time that does not change.
type event struct {
	at   float64
	id   int32 // a pair, or an actor
	what what
}

type what uint8

const (
	processor what = iota // an actor has done a slice
	arrival               // a message of a pair arrives; on later channels: arrival+1 and so on
)

func (e event) before(f event) bool {
	return e.at < f.at || e.at == f.at && (e.id < f.id || e.id == f.id && e.what < f.what)
}

// events is a heap in which each has four below it: half as high as one of two, and neighbours share cache lines.
type events []event

func (h *events) push(e event) {
	*h = append(*h, e)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(a[up]) {
			break
		}
		a[i], i = a[up], up
	}
	a[i] = e
}

func (h *events) pop() event {
	a := *h
	first, last := a[0], a[len(a)-1]
	a = a[:len(a)-1]
	*h = a
	i := 0
	for {
		least, below := -1, 4*i+1
		for c := below; c < min(below+4, len(a)); c++ {
			if least < 0 || a[c].before(a[least]) {
				least = c
			}
		}
		if least < 0 || !a[least].before(last) {
			break
		}
		a[i], i = a[least], least
	}
	if len(a) > 0 {
		a[i] = last
	}
	return first
}

// ending is when a flow ends, as long as its rate stays.
type ending struct {
	at   float64
	pair int32
}

func (e ending) before(f ending) bool { return e.at < f.at || e.at == f.at && e.pair < f.pair }

// endings is a heap as events is. Each pair knows its place in it.
type endings []ending

// set puts a flow's end where it belongs, be it new or moved.
func (s *simulation) set(p int32, at float64) {
	i := s.pairs[p].place
	if i == none {
		i = int32(len(s.ends))
		s.ends = append(s.ends, ending{})
	}
	s.settle(i, ending{at, p})
}

// settle puts an ending into the free place i, or up or down from there.
func (s *simulation) settle(i int32, e ending) {
	a := s.ends
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(a[up]) {
			break
		}
		a[i] = a[up]
		s.pairs[a[i].pair].place, i = i, up
	}
	for {
		least, below := int32(none), 4*i+1
		for c := below; c < min(below+4, int32(len(a))); c++ {
			if least == none || a[c].before(a[least]) {
				least = c
			}
		}
		if least == none || !a[least].before(e) {
			break
		}
		a[i] = a[least]
		s.pairs[a[i].pair].place, i = i, least
	}
	a[i] = e
	s.pairs[e.pair].place = i
}

// popEnd takes the first to end.
func (s *simulation) popEnd() ending {
	first, last := s.ends[0], s.ends[len(s.ends)-1]
	s.ends = s.ends[:len(s.ends)-1]
	if len(s.ends) > 0 {
		s.settle(0, last)
	}
	s.pairs[first.pair].place = none
	return first
}
