package lanes

import "slices"

// One is what all shares add up to.
const One = 1 << 20

// Equal gives each of so many lanes the same share, as near as it goes.
func Equal(lanes int) []uint32 {
	shares := make([]uint32, lanes)
	for i := range shares {
		shares[i] = uint32(One*(i+1)/lanes - One*i/lanes)
	}
	return shares
}

// Sample is what one operation took on one lane: the bytes that were split to it, and the time from the operation's start
// to its end there. A lane that has nothing to report leaves one of them zero.
type Sample struct{ Bytes, Nanoseconds int64 }

// Shares says how much of the data each lane gets, and follows what is measured. It is the same on all ranks as long as
// all of them give it the same samples in the same order. So they must agree on these: the bytes are known to all, and the
// time of a lane is that of the slowest rank (the maximum over the ranks, which a later operation can carry).
//
// The aim is that all lanes end at the same time. So what counts is how the lanes of one operation compare: what it calls
// for is its bytes, divided anew so that they would have ended together. A small share does not look slow for the latency
// that it has as large ones have it. How long that is, operations that carry next to nothing tell, such as barriers; where
// there are none, shares still go the right way, in more and smaller steps the more of the time is latency.
//
// Of what the last five operations call for, the middle three count, so that a stray or two are without effect; and of
// these the mean, which begins anew when they are far from it. The shares move when one of them is away from its mean by
// more than a dead band. None falls below a bound, where a lane still carries enough to be seen when it is fast again.
type Shares struct {
	lanes  []lane
	shares []uint32
}

// The constants of the rule, chosen by simulation with times that are off by up to 20 %, of which a fifth is latency: of 8
// lanes one slows to a tenth, and they get 85 % of what is left within 20 operations in 99 of 100 cases; and the shares of
// equal lanes move once in 1,000 operations.
const (
	window   = 5       // operations of which the middle ones count
	ready    = 3       // so many, at least
	memory   = 16      // operations in a mean
	kept     = 4       // of them after a move, for what lanes do may depend on their shares
	deadBand = 12      // the time of a lane may be wrong by a twelfth,
	few      = 4       // and by so many more twelfths, divided by the operations in its mean
	bound    = 64      // no share is less than a 64th of an equal one
	forgets  = 64      // that part of a latency for each operation that is too small
	least    = 8 << 10 // an operation of fewer bytes for each lane carries next to nothing
)

// lane is what is known of one.
type lane struct {
	recent  [window]uint32 // what operations called for
	seen    int            // of these, since it began
	mean    uint32
	counts  int    // operations in the mean
	latency int64  // of operations that carry next to nothing, in nanoseconds
	moving  uint64 // the percentage of the last operation's time that is not latency
}

// NewShares starts with the given shares, which add up to [One]: equal ones, or what the lanes are expected to carry.
func NewShares(start []uint32) *Shares {
	s := &Shares{lanes: make([]lane, len(start)), shares: slices.Clone(start)}
	for i := range s.lanes {
		s.lanes[i].mean = start[i]
	}
	s.bounded()
	s.move()
	return s
}

// Now is the share of each lane.
func (s *Shares) Now() []uint32 { return slices.Clone(s.shares) }

// Observe takes one operation's samples, one for each lane, and says whether the shares have changed.
func (s *Shares) Observe(samples []Sample) bool {
	if len(samples) != len(s.lanes) {
		panic("lanes: there must be a sample for each lane")
	}
	if s.tooSmall(samples) {
		return false
	}
	wanted := s.wanted(samples)
	if wanted == nil {
		return false
	}
	for i, w := range wanted {
		if w > 0 {
			s.lanes[i].take(w, samples[i])
		}
	}
	s.bounded()
	if !s.wrong() {
		return false
	}
	s.move()
	return true
}

// tooSmall says whether the operation is too small to tell speeds: it tells latencies if it carries next to nothing, and
// nothing if no lane took twice as long as that. Where that goes on, the latencies may be wrong, and are forgotten bit by bit.
func (s *Shares) tooSmall(samples []Sample) bool {
	total := int64(0)
	for _, x := range samples {
		total += min(max(x.Bytes, 0), 1<<50)
	}
	if total < int64(least*len(s.lanes)) {
		s.waited(samples)
		return true
	}
	s.doubt(samples)
	for i, x := range samples {
		if x.Nanoseconds/2 >= s.lanes[i].latency {
			return false
		}
	}
	for i := range s.lanes {
		l := &s.lanes[i]
		l.latency -= l.latency / forgets
	}
	return true
}

// waited takes the times of an operation that carries next to nothing: the least counts, and what is more counts slowly.
func (s *Shares) waited(samples []Sample) {
	for i, x := range samples {
		switch l := &s.lanes[i]; {
		case x.Nanoseconds <= 0:
		case l.latency == 0 || x.Nanoseconds < l.latency:
			l.latency = x.Nanoseconds
		default:
			l.latency += (x.Nanoseconds - l.latency) / memory
		}
	}
}

// doubt shortens latencies of which one is longer than all that the operation took there; the others may be as wrong.
func (s *Shares) doubt(samples []Sample) {
	for i, x := range samples {
		told := s.lanes[i].latency
		if x.Nanoseconds <= 0 || x.Nanoseconds >= told {
			continue
		}
		for j := range s.lanes {
			l := &s.lanes[j]
			l.latency = int64(scale(uint64(l.latency), uint64(x.Nanoseconds), uint64(told)))
		}
	}
}

// wanted divides what the lanes that report have among them, so that they would have ended together; zero for a lane that
// does not report. There is nothing to compare if fewer than two do.
func (s *Shares) wanted(samples []Sample) []uint32 {
	lines, reports, have := make([]line, len(samples)), 0, uint64(0)
	for i, x := range samples {
		if x.Bytes > 0 && x.Nanoseconds > 0 {
			lines[i] = s.lanes[i].line(x)
			reports++
			have += uint64(s.lanes[i].mean)
		}
	}
	if reports < 2 {
		return nil
	}
	end, sum := meeting(lines), uint64(0)
	bytes := make([]uint64, len(lines))
	for i, l := range lines {
		bytes[i] = l.at(end)
		sum += bytes[i]
	}
	wanted := make([]uint32, len(lines))
	for i, l := range lines {
		if l.speed > 0 {
			wanted[i] = max(uint32(scale(bytes[i], have, max(sum, 1))), 1)
		}
	}
	return wanted
}

// take adds what an operation called for.
func (l *lane) take(wanted uint32, x Sample) {
	l.moving = 100 - scale(uint64(l.waits(x)), 100, uint64(x.Nanoseconds))
	l.recent[l.seen%window] = wanted
	l.seen++
	if l.seen < ready {
		return
	}
	recent := l.recent
	known := recent[:min(l.seen, window)]
	slices.Sort(known)
	middle, mean := int64(known[len(known)/2]), int64(l.mean)
	if 2*middle > 3*mean || 3*middle < 2*mean {
		l.counts = 0
	} else if len(known) == window {
		middle = (int64(known[1]) + int64(known[2]) + int64(known[3])) / 3
	}
	l.counts = min(l.counts+1, memory)
	l.mean = uint32(mean + (middle-mean)/int64(l.counts))
}

// bounded makes the means add up to One again, and lifts them to the bound; what that takes, the others give.
func (s *Shares) bounded() {
	sum, floor := uint64(0), uint64(max(One/bound/len(s.lanes), 1))
	for i := range s.lanes {
		sum += uint64(s.lanes[i].mean)
	}
	spare := uint64(One) - floor*uint64(len(s.lanes))
	above := uint64(0) // of what is above the bound
	parts := make([]uint64, len(s.lanes))
	for i := range s.lanes {
		fair := scale(uint64(s.lanes[i].mean), One, max(sum, 1))
		parts[i] = max(fair, floor) - floor
		above += parts[i]
	}
	left, largest := uint64(One), 0
	for i := range s.lanes {
		mean := floor + scale(parts[i], spare, max(above, 1))
		s.lanes[i].mean = uint32(mean)
		left -= mean
		if mean > uint64(s.lanes[largest].mean) {
			largest = i
		}
	}
	s.lanes[largest].mean += uint32(left) // what rounding has lost
}

// wrong says whether a share is so far away from its mean that its lane's time is wrong by more than the dead band, which
// is wider while the mean is of few.
func (s *Shares) wrong() bool {
	for i := range s.lanes {
		l := &s.lanes[i]
		share, mean, counts := int64(s.shares[i]), int64(l.mean), int64(l.counts)
		if away := max(share-mean, mean-share); away*int64(l.moving)*deadBand*counts > 100*share*(counts+few) {
			return true
		}
	}
	return false
}

// move makes the means the shares.
func (s *Shares) move() {
	for i := range s.lanes {
		l := &s.lanes[i]
		s.shares[i], l.counts = l.mean, min(l.counts, kept)
	}
}
