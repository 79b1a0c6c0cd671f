package sim

import (
	"fmt"

	"hcomm/plan"
)

// none is no place, no queue, no link.
const none = -1

// simulation is a job under way.
type simulation struct {
	job    Job
	lanes  []lane
	actors []actor // of the first lane, by position, then of the next
	pairs  []pair  // of the first actor, then of the next
	fair

	later events
	ends  endings
	steps int // of all actors
	lost  int // messages that go where nobody takes them

	left, all int // slices of steps
	progress  func(fraction float64)
	solved    func(now float64) // for tests
}

type lane struct {
	slices uint32  // of each part
	slice  float64 // its bytes
	end    float64
}

func newSimulation(job Job) (*simulation, error) {
	if err := job.check(); err != nil {
		return nil, err
	}
	s := &simulation{job: job}
	for i, l := range job.Network.Links {
		s.links = append(s.links, link{bandwidth: l.Bandwidth, seen: none, number: int32(i)})
	}
	for i := range job.Lanes {
		if err := s.addLane(i); err != nil {
			return nil, fmt.Errorf("lane %d: %w", i, err)
		}
	}
	s.places = make([]int32, len(s.routes))
	s.ends.place = make([]int32, len(s.pairs))
	for i := range s.ends.place {
		s.ends.place[i] = none
	}
	for i := range s.actors {
		a := &s.actors[i]
		s.left += a.left
		for _, j := range a.first {
			s.consider(a, j)
		}
	}
	s.all = s.left
	return s, nil
}

// addLane adds its actors and pairs.
func (s *simulation) addLane(i int) error {
	l := &s.job.Lanes[i]
	n, begin := len(l.Ports), int32(len(s.actors))
	bytes := l.Bytes
	if l.Builder.Collective == plan.Barrier {
		bytes = 0
	}
	role := plan.Role{Ranks: n, Root: s.position(i, s.job.Root)}
	parts := l.Builder.Build(role).Parts
	slices, slice := s.job.Model.Slices(bytes / float64(parts))
	if slices >= listed {
		return fmt.Errorf("a part of %v bytes is in too many slices of %v", bytes/float64(parts), s.job.Model.Slice)
	}
	s.lanes = append(s.lanes, lane{slices: uint32(slices), slice: slice})
	programOf := func(position int) *program {
		role.Rank = position
		return compile(l.Builder.Build(role), s.job.Model, slice)
	}
	first, middle := programOf(0), programOf(n/2)
	if err := roomFor(n, first, middle); err != nil {
		return err
	}
	if l.Builder.Rotates {
		programOf = func(int) *program { return first }
	}
	var shared []uint32
	for p := range n {
		a := actor{program: programOf(p), lane: int32(i), position: int32(p), pairs: int32(len(s.pairs)), doing: idle}
		if !l.Builder.Rotates {
			a.done, a.stride = make([]uint32, a.count()), 1
		} else { // ranks are about at the same step, and so at the same place
			if p == 0 {
				shared = make([]uint32, n*a.count())
			}
			a.done, a.stride = shared[p:], n
		}
		if err := s.addActor(a, l, begin); err != nil {
			return err
		}
	}
	s.connect(s.actors[begin:])
	return nil
}

// addActor adds one of a lane whose actors begin at one, with its pairs.
func (s *simulation) addActor(a actor, l *Lane, begin int32) error {
	a.inbox, a.left = make([]inbox, len(a.queues)), a.count()*int(s.lanes[a.lane].slices)
	s.actors = append(s.actors, a)
	if s.steps += a.count(); !l.Builder.Rotates { // else it is the same program for all
		if err := room(len(s.pairs)+len(a.peers), s.steps, 0); err != nil {
			return err
		}
	}
	return s.addPairs(&a, l, begin)
}

// position is where a rank is in a lane's order.
func (s *simulation) position(lane, rank int) int {
	for p, r := range s.job.Lanes[lane].Order {
		if r == rank {
			return p
		}
	}
	return rank
}

// rank is who is at a position.
func (l *Lane) rank(position int) int {
	if l.Order == nil {
		return position
	}
	return l.Order[position]
}

// round is the position that a peer of a program means.
func (l *Lane) round(position, peer int32) int32 {
	if l.Builder.Rotates {
		return (position + peer) % int32(len(l.Ports))
	}
	return peer
}

// addPairs adds those of an actor, whose lane's actors begin at one.
func (s *simulation) addPairs(a *actor, l *Lane, begin int32) error {
	for _, peer := range a.peers {
		to := l.round(a.position, peer)
		route, err := s.job.Network.Route(l.Ports[l.rank(int(a.position))], l.Ports[l.rank(int(to))])
		if err != nil {
			return fmt.Errorf("from rank %d to rank %d: %w", l.rank(int(a.position)), l.rank(int(to)), err)
		}
		p := pair{
			to: begin + to, inbox: [2]int32{none, none}, bytes: s.lanes[a.lane].slice, seen: none,
			most: s.links[route[0]].bandwidth,
		}
		for _, i := range route {
			p.latency += s.job.Network.Links[i].Latency
			p.most = min(p.most, s.links[i].bandwidth)
		}
		p.route.begin = int32(len(s.routes))
		s.routes = append(s.routes, route...)
		if err := room(len(s.pairs), 0, len(s.routes)); err != nil {
			return err
		}
		p.route.end = int32(len(s.routes))
		s.pairs = append(s.pairs, p)
	}
	return nil
}

// connect tells each pair of a lane where its messages go.
func (s *simulation) connect(actors []actor) {
	for i := range actors {
		to := &actors[i]
		l := &s.job.Lanes[to.lane]
		for q := range to.queues {
			from := &actors[l.round(to.position, to.queues[q].peer)]
			back := to.position
			if l.Builder.Rotates {
				back = int32((int(to.position) - int(from.position) + len(actors)) % len(actors))
			}
			if k, found := from.peer(back); found {
				s.pairs[from.pairs+k].inbox[to.queues[q].channel] = int32(q)
			}
		}
	}
}

// run goes from event to event. What is less than a grain apart is handled before shares are made anew.
func (s *simulation) run() {
	for i := range s.actors {
		s.work(int32(i), 0)
	}
	s.solve(0)
	if s.solved != nil {
		s.solved(0)
	}
	reported := s.left
	for {
		now, any := s.next()
		if !any {
			break
		}
		until := now + max(s.job.Grain, now*same)
		for at, any := now, true; any && at <= until; at, any = s.next() {
			s.happen()
		}
		s.solve(now)
		if s.solved != nil {
			s.solved(now)
		}
		if s.progress != nil && reported-s.left > s.all/500 {
			reported = s.left
			s.progress(1 - float64(s.left)/float64(s.all))
		}
	}
	if s.progress != nil {
		s.progress(1)
	}
}

// next is when something happens next, if anything does.
func (s *simulation) next() (at float64, any bool) {
	switch {
	case len(s.ends.heap) > 0 && (len(s.later) == 0 || s.ends.heap[0].at <= s.later[0].at):
		return s.ends.heap[0].at, true
	case len(s.later) > 0:
		return s.later[0].at, true
	}
	return 0, false
}

// happen does what happens next.
func (s *simulation) happen() {
	if len(s.ends.heap) > 0 && (len(s.later) == 0 || s.ends.heap[0].at <= s.later[0].at) {
		e := s.ends.pop()
		s.end(e.pair, e.at)
		return
	}
	switch e := s.later.pop(); e.what {
	case processor:
		s.finish(e.id, e.at)
		s.work(e.id, e.at)
	default:
		s.arrived(e.id, uint8(e.what-arrival), e.at)
	}
}

// stuck is an error if not all is done.
func (s *simulation) stuck() error {
	for i := range s.actors {
		a := &s.actors[i]
		l := &s.job.Lanes[a.lane]
		rank := l.rank(int(a.position))
		if a.left > 0 {
			return fmt.Errorf("lane %d: rank %d waits for ever: %s", a.lane, rank, s.waits(a, l))
		}
		for q, in := range a.inbox {
			if in.messages > 0 {
				from := l.rank(int(l.round(a.position, a.queues[q].peer)))
				return fmt.Errorf("lane %d: rank %d leaves %d messages of rank %d", a.lane, rank, in.messages, from)
			}
		}
	}
	if s.lost > 0 {
		return fmt.Errorf("%d messages go where nobody takes them", s.lost)
	}
	return nil
}

// waits says for what an actor's first step that is not done waits.
func (s *simulation) waits(a *actor, l *Lane) string {
	for j := range int32(a.count()) {
		k := *a.slices(j)
		if k == s.lanes[a.lane].slices {
			continue
		}
		for _, q := range a.fromOf(j) {
			if a.inbox[q].messages == 0 {
				from := l.rank(int(l.round(a.position, a.queues[q].peer)))
				return fmt.Sprintf("step %d, slice %d, for a message of rank %d on channel %d", j, k, from, a.queues[q].channel)
			}
		}
		return fmt.Sprintf("step %d, slice %d, for another of its steps", j, k)
	}
	return "" // somebody has work left, so it is one of its steps
}

// result adds up what the pairs have carried.
func (s *simulation) result() *Result {
	r := &Result{Links: make([]float64, len(s.links)), Busiest: none}
	for _, l := range s.lanes {
		r.Lanes = append(r.Lanes, l.end)
		r.Seconds = max(r.Seconds, l.end)
	}
	for i := range s.pairs {
		p := &s.pairs[i]
		bytes := float64(p.messages) * p.bytes
		r.Messages += p.messages
		r.Bytes += bytes
		for _, l := range s.routes[p.route.begin:p.route.end] {
			r.Links[l] += bytes
			r.Crossed[s.job.Network.Links[l].Kind] += bytes
		}
	}
	for i, bytes := range r.Links {
		if bytes > 0 && (r.Busiest == none || bytes > r.Links[r.Busiest]) {
			r.Busiest = i
		}
	}
	return r
}
