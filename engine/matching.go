package engine

// Wildcards of a receive or probe, and the rank that nobody is; the numbers of the MPI ABI.
const (
	AnySource = -1
	AnyTag    = -2
	ProcNull  = -3
)

// pattern is what a receive or probe asks for.
type pattern struct {
	space  space
	source int   // or AnySource
	tag    int32 // or AnyTag
}

func (p *pattern) matches(e *envelope) bool {
	return p.space == e.space && (p.source == e.source || p.source == AnySource) && (p.tag == e.tag || p.tag == AnyTag)
}

// matcher brings receives and messages together. Of the messages that a receive matches it gets the one that its peer
// sent first, of several peers' the one that arrived first; of the receives that a message matches, the one that was
// posted first gets it. It knows no link and no user memory.
type matcher struct {
	posted   []*receive // in the order of their calls
	kept     []keptList // messages that no receive has matched, by source
	count    int        // of those
	arrivals uint64
	free     *kept // to be used again
	frees    int
}

// kept is a message that has arrived before its receive.
type kept struct {
	packet
	body    []byte // of an eager message: in memory; of an announced one: in the peer's window, if it can be read there
	memory  []byte // what body is copied to; used again
	arrival uint64
	next    *kept
}

// keptList is the messages of one source in the order in which they were sent.
type keptList struct {
	first, last *kept
	size        uint64 // of all, as keepSize counts
}

// keepSize is what keeping a message counts for, so that many small ones count too.
func keepSize(body int) uint64 { return 128 + uint64(body) }

// mostFree bounds the kept messages, none longer than mostReused, whose memory waits for others.
const mostFree, mostReused = 64, 4096

// match takes the first posted receive that a message matches off the list; nil if there is none.
func (m *matcher) match(e *envelope) *receive {
	for i, r := range m.posted {
		if r.pattern.matches(e) {
			m.unpost(i)
			return r
		}
	}
	return nil
}

func (m *matcher) unpost(i int) { m.posted = takenOff(m.posted, i) }

// longList is from what length on the first of a list is taken off by moving its start, which in a short one would cost an
// allocation now and then.
const longList = 64

// takenOff takes the i-th off a list, in place. The first ones of a long list cost no more than those of a short one.
func takenOff[T any](list []*T, i int) []*T {
	last := len(list) - 1
	if i < longList && last > longList {
		copy(list[1:i+1], list[:i])
		list[0] = nil
		return list[1:]
	}
	copy(list[i:], list[i+1:])
	list[last] = nil
	return list[:last]
}

// withdraw takes a receive off the list if it is still there.
func (m *matcher) withdraw(r *receive) {
	for i, x := range m.posted {
		if x == r {
			m.unpost(i)
			return
		}
	}
}

// keep stores a message for a later receive. A body that is to be copied is.
func (m *matcher) keep(p packet, body []byte, copied bool) {
	k := m.free
	if k != nil {
		m.free, k.next = k.next, nil
		m.frees--
	} else {
		k = new(kept)
	}
	k.packet, k.body, k.memory = p, body, k.memory[:0]
	if copied {
		k.memory = append(k.memory, body...)
		k.body = k.memory
	}
	m.count++
	m.arrivals++
	k.arrival = m.arrivals
	l := &m.kept[p.source]
	if l.last == nil {
		l.first = k
	} else {
		l.last.next = k
	}
	l.last = k
	l.size += keepSize(len(k.memory))
}

// find returns the kept message that a receive would get, nil if there is none.
func (m *matcher) find(p *pattern) *kept {
	if m.count == 0 {
		return nil
	}
	if p.source != AnySource {
		k, _ := m.kept[p.source].find(p)
		return k
	}
	var first *kept
	for i := range m.kept {
		if k, _ := m.kept[i].find(p); k != nil && (first == nil || k.arrival < first.arrival) {
			first = k
		}
	}
	return first
}

func (l *keptList) find(p *pattern) (k, before *kept) {
	for k = l.first; k != nil; before, k = k, k.next {
		if p.matches(&k.envelope) {
			return k, before
		}
	}
	return nil, nil
}

// take returns the kept message that a receive gets, taken off its list; nil if there is none. It is to be given back
// with recycle.
func (m *matcher) take(p *pattern) *kept {
	k := m.find(p)
	if k == nil {
		return nil
	}
	l := &m.kept[k.source]
	_, before := l.find(p)
	if before == nil {
		l.first = k.next
	} else {
		before.next = k.next
	}
	if l.last == k {
		l.last = before
	}
	l.size -= keepSize(len(k.memory))
	m.count--
	return k
}

func (m *matcher) recycle(k *kept) {
	if m.frees >= mostFree || cap(k.memory) > mostReused {
		return
	}
	*k = kept{memory: k.memory[:0], next: m.free}
	m.free = k
	m.frees++
}
