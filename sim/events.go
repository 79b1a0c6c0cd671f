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

// endings is a heap as events is. Each pair's place in it, or none, is by the pair's number: so that to move one does not
// touch the pairs.
type endings struct {
	heap  []ending
	place []int32
}

// set puts a flow's end where it belongs, be it new or moved.
func (h *endings) set(pair int32, at float64) {
	i := h.place[pair]
	if i == none {
		i = int32(len(h.heap))
		h.heap = append(h.heap, ending{})
	}
	h.settle(i, ending{at, pair})
}

// settle puts an ending into the free place i, or up or down from there.
func (h *endings) settle(i int32, e ending) {
	a := h.heap
	for i > 0 {
		up := (i - 1) / 4
		if !e.before(a[up]) {
			break
		}
		a[i] = a[up]
		h.place[a[i].pair], i = i, up
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
		h.place[a[i].pair], i = i, least
	}
	a[i] = e
	h.place[e.pair] = i
}

// pop takes the first to end.
func (h *endings) pop() ending {
	last := len(h.heap) - 1
	first, e := h.heap[0], h.heap[last]
	if h.heap = h.heap[:last]; last > 0 {
		h.settle(0, e)
	}
	h.place[first.pair] = none
	return first
}
