package engine

import (
	"slices"
	"time"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
	"hcomm/status"
)

// A snapshot is made while another goroutine, or the path in C, is in a call. So it reads only what does not change, what
// ranks tell each other in shared memory, and atomic fields; and it holds back whoever would free the port for a
// moment only, since there may be many ranks.

// lateAfter is how long nothing must have moved before somebody is called late.
const lateAfter = 100 * time.Millisecond

// peek runs f, which reads the port, unless that is freed.
func (c *Comm) peek(f func()) (ok bool) {
	c.unclaimed(func() {
		f()
		ok = true
	})
	return ok
}

// snapshot is what the communicator does now; false if it is freed.
func (c *Comm) snapshot() (s status.Communicator, ok bool) {
	s = status.Communicator{Name: c.name, Rank: c.rank, Size: c.Size(), Late: []status.Late{}}
	for q := range c.members {
		var m status.Member
		if !c.peek(func() { m = c.memberNow(q) }) {
			return s, false
		}
		s.Members = append(s.Members, m)
	}
	since := c.stillSince.Load()
	var h, intent link.Header
	ok = c.peek(func() {
		s.InCall = c.using() == inCall
		h, s.Operation = c.operationNow()
		intent = c.port.Intent(c.rank)
		if c.port.Condemned() {
			e := c.verdict()
			s.Failure = &status.Failure{Code: int(e.Code), Text: e.Text}
		}
	})
	s.InLine, s.InStreams = max(0, int(c.tasks.Load())), max(0, int(c.streamed.Load()))
	if !ok || since == 0 || s.Failure != nil || !s.InCall && s.InLine == 0 {
		return s, ok
	}
	still := max(0, time.Since(time.Unix(0, since)))
	s.Still = still.Seconds()
	if a := c.waitNow(&s, h, intent); still >= lateAfter {
		c.lateNow(&s, a)
	}
	return s, true
}

// memberNow is what is known of a rank.
func (c *Comm) memberNow(q int) status.Member {
	h, inside := c.port.Activity(q)
	m := status.Member{Rank: q, Host: c.members[q].host, PID: c.members[q].pid, Number: h.Op, Inside: inside}
	if q != c.rank {
		switch c.port.Presence(q) {
		case link.Left:
			m.Gone = "left"
		case link.Dead:
			m.Gone = "died"
		}
	}
	return m
}

// operationNow is the collective that this rank is in, or was in last; nil before the first.
func (c *Comm) operationNow() (h link.Header, o *status.Operation) {
	h, inside := c.port.Activity(c.rank)
	for range 8 { // it may be changing
		again, still := c.port.Activity(c.rank)
		if again == h && still == inside {
			break
		}
		h, inside = again, still
	}
	s := h.Signature
	k, t, op := plan.Collective(s.Collective()), simd.Type(s.Type()), simd.Op(s.Op())
	if h.Op == 0 || !t.Valid() {
		return h, nil
	}
	bytes := h.Count * uint64(t.Size())
	o = &status.Operation{Name: k.String(), Number: h.Op, Text: describe(h), Elements: h.Count, Type: t.String(), Bytes: bytes, Inside: inside}
	if k == plan.Barrier {
		o.Elements, o.Type, o.Bytes = 0, "", 0
	}
	if !slices.Contains(plan.Collectives(), k) { // a peer has written there
		return h, o
	}
	narrow := k.Reduces() && c.rules.deterministic && isNarrow(t) && op != simd.Max && op != simd.Min
	b, _ := c.rules.choice(k, c.Size(), plan.ClassOf(bytes), narrow)
	o.Algorithm = b.Name
	return h, o
}

// waitNow is what the communicator waits for, as far as it has told the others.
func (c *Comm) waitNow(s *status.Communicator, h, intent link.Header) awaited {
	a := awaited{}
	switch inside := s.Operation != nil && s.Operation.Inside; {
	case isMessageWait(intent) && s.InCall:
		a.what = describeWait(intent)
		a.peers = c.messages.sources(int(int32(uint32(intent.Op))))
	case inside:
		a.what, a.op = describe(h), h.Op
		a.peers = c.ranksThat(c.whilePeeking(func(q int) bool { return c.works(q, h.Op) }))
	case s.InLine > 0:
		a.what = "what was begun"
	}
	s.Waits = a.what
	return a
}

// works says whether a rank is in a collective and does not wait there.
func (c *Comm) works(q int, op uint64) bool {
	h, inside := c.port.Activity(q)
	return inside && h.Op == op && c.port.Intent(q).Op != op
}

// whilePeeking makes a question about a rank one that can be asked without the claim.
func (c *Comm) whilePeeking(is func(rank int) bool) func(rank int) bool {
	return func(q int) (yes bool) {
		c.peek(func() { yes = is(q) })
		return yes
	}
}

// mostLate bounds the ranks that one communicator calls late.
const mostLate = 64

// lateNow says whom the wait is for.
func (c *Comm) lateNow(s *status.Communicator, a awaited) {
	if a.what == "" {
		return
	}
	l := c.lateness(a, c.whilePeeking)
	does := map[int]string{}
	for i, q := range l.ranks[:min(len(l.ranks), mostLate)] {
		m := c.members[q]
		x := status.Late{Rank: q, Host: m.host, PID: m.pid}
		c.peek(func() {
			x.Called = a.op > 0 && c.hasCome(q, a.op)
			x.Stopped = c.isStopped(q)
			x.Does = c.doingOf(q)
		})
		s.Late = append(s.Late, x)
		if i < mostTold {
			does[q] = x.Does
		}
	}
	s.LateText = l.say(c, func(q int) string { return does[q] })
}
