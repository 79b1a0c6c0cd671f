package chaos

import (
	"math/rand/v2"

	"hcomm/link"
)

// Poison fills memory that holds nothing.
const Poison = 0xdb

// Options shape a world.
type Options struct {
	Ranks, Channels int
	SlotBytes       int // of a slot as it is usually used
	LargeBytes      int // of the largest message in a slot, if that is more
	Slots           int // of a rank on each channel
	InlineBytes     int // of the largest message that needs no slot
	Depth           int // messages that may wait on a queue
	Window          []byte
	Random          *rand.Rand
}

// World is the links of all ranks.
type World struct {
	o       Options
	ports   []*Port
	queues  []*queue // by (from, to, channel)
	pending []event
	verdict *link.Verdict
}

// event is a thing that may happen next: a piece of a message comes, or the sender hears that one was released.
type event struct {
	queue   *queue
	message *message // nil: a release
	piece   int
}

// New makes a world in which nothing is under way.
func New(o Options) *World {
	w := &World{o: o, queues: make([]*queue, o.Ranks*o.Ranks*o.Channels)}
	for i := range w.queues {
		w.queues[i] = new(queue)
	}
	for r := range o.Ranks {
		p := &Port{world: w, rank: r, pools: make([]pool, o.Channels)}
		for c := range p.pools {
			p.pools[c].slots = make([]slot, o.Slots)
			for i := range p.pools[c].slots {
				p.pools[c].slots[i].bytes = make([]byte, p.LargeBytes())
			}
		}
		w.ports = append(w.ports, p)
	}
	return w
}

// Port is the end of a rank.
func (w *World) Port(rank int) *Port { return w.ports[rank] }

func (w *World) queue(from, to, channel int) *queue {
	return w.queues[(from*w.o.Ranks+to)*w.o.Channels+channel]
}

// Idle says whether nothing is under way.
func (w *World) Idle() bool { return len(w.pending) == 0 }

// Step lets one of the things that are under way happen.
func (w *World) Step() {
	i := w.o.Random.IntN(len(w.pending))
	e := w.pending[i]
	w.pending[i] = w.pending[len(w.pending)-1]
	w.pending = w.pending[:len(w.pending)-1]
	if e.message == nil {
		e.queue.released++
		return
	}
	e.message.deliver(e.piece)
}

// message is one on its way.
type message struct {
	header link.Header
	source []byte // read when a piece comes, not before
	body   []byte // the receiver's
	cuts   []int  // where the pieces end
	here   int    // pieces
	direct bool   // the receiver reads the source itself
	lent   bool   // the source is in the window
	remote bool   // the source is to be fetched
	refuse bool   // which the receiver does not want
}

func (m *message) deliver(piece int) {
	from := 0
	if piece > 0 {
		from = m.cuts[piece-1]
	}
	if !m.direct {
		copy(m.body[from:m.cuts[piece]], m.source[from:m.cuts[piece]])
	}
	m.here++
}

func (m *message) arrived() bool { return m.here == len(m.cuts) }

// queue is the messages from one rank to another on one channel that were not released.
type queue struct {
	messages         []*message
	posted, released uint64
}

// post puts a message on its way, cut in pieces.
func (w *World) post(from, to, channel int, h link.Header, source []byte, direct bool) *message {
	random := w.o.Random
	m := &message{header: h, source: source, direct: direct}
	if !direct {
		m.body = make([]byte, len(source))
		poison(m.body)
	}
	for at := 0; len(m.cuts) < 3 && random.IntN(2) == 0; {
		at += random.IntN(len(source) - at + 1)
		m.cuts = append(m.cuts, at)
	}
	m.cuts = append(m.cuts, len(source))
	q := w.queue(from, to, channel)
	q.messages = append(q.messages, m)
	q.posted++
	for i := range m.cuts {
		w.pending = append(w.pending, event{q, m, i})
	}
	return m
}

func poison(b []byte) {
	for i := range b {
		b[i] = Poison
	}
}
