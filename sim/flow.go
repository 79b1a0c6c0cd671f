package sim

import "math"

// pair is a rank that sends to another, in a lane. Its messages have one size, and leave one after the other, in order: so
// there is at most one flow.
type pair struct {
	to       int32    // actor
	inbox    [2]int32 // its queues, by channel; -1 if it takes nothing there
	route    span     // of network.routes
	latency  float64
	most     float64 // the bandwidth of the thinnest link
	bytes    float64 // of a message
	messages int64   // that were posted

	waiting []uint8   // the channels of those that have not left, from head on
	posted  []float64 // and when they were posted, which matters with a grain only
	head    int32

	rest  float64 // bytes that are left of the first of them, at the time of since
	rate  float64 // 0 if it has none yet
	since float64
	next  float64 // the rate that a solution gives it, or 0
	seen  int32   // the last solution that it was in
	tight int32   // the link that keeps it from more; none if it has the most that it can get
}

// flows says whether a message is under way.
func (f *pair) flows() bool { return int(f.head) < len(f.waiting) }

// post is a message that a pair is to carry.
func (s *simulation) post(p int32, channel uint8, at float64) {
	f := &s.pairs[p]
	f.messages++
	f.waiting = append(f.waiting, channel)
	if s.job.Grain > 0 {
		f.posted = append(f.posted, at)
	}
	if len(f.waiting)-int(f.head) == 1 {
		s.depart(p, at)
	}
}

// depart begins with the message that waits. What takes no time has left at once.
func (s *simulation) depart(p int32, at float64) {
	f := &s.pairs[p]
	if f.bytes == 0 || math.IsInf(f.most, 1) {
		s.leave(p, at)
		return
	}
	f.rest, f.rate, f.since = f.bytes, 0, at
	s.join(p)
}

// end is that of a flow. If the next message follows on it, it has the same share of the links.
func (s *simulation) end(p int32, at float64) {
	f := &s.pairs[p]
	s.leave(p, at)
	switch {
	case !f.flows():
		s.part(p)
	case s.job.Grain > 0 && f.posted[f.head] > at:
		s.part(p)
		s.depart(p, f.posted[f.head])
	default:
		f.rest, f.since = f.bytes, at
		s.ends.set(p, at+f.rest/f.rate)
	}
}

// leave is the end of a message at the sender: it arrives a latency later.
func (s *simulation) leave(p int32, at float64) {
	f := &s.pairs[p]
	s.later.push(event{at: at + f.latency, id: p, what: arrival + what(f.waiting[f.head])})
	if f.head++; !f.flows() {
		f.waiting, f.posted, f.head = f.waiting[:0], f.posted[:0], 0
	}
}

// arrived is a message that its receiver sees.
func (s *simulation) arrived(p int32, channel uint8, at float64) {
	f := &s.pairs[p]
	if q := f.inbox[channel]; q != none {
		s.arrive(f.to, q, at)
	} else {
		s.lost++
	}
}
