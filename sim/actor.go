package sim

import "slices"

// actor is a rank in a lane: its processor does one slice of one step at a time, of those that are ready in turn.
type actor struct {
	*program
	lane     int32
	position int32
	pairs    int32    // the first of its own in simulation.pairs, in the order of program.peers
	done     []uint32 // slices, by step times stride; with the bit listed
	stride   int
	inbox    []inbox // by queue
	ready    []int32 // steps, in ascending order
	turn     int32   // the step to look at first
	doing    int32   // a step, or idle
	free     float64 // when it last had nothing to do
	left     int     // slices of steps that are not done
}

// inbox is what has arrived in a queue.
type inbox struct {
	messages int32
	turn     int32 // whose is the next: one of the queue's takers
}

const (
	idle   = -1
	listed = 1 << 31 // in actor.done: the next slice is ready, or being done
)

// slices is how many slices of a step are done, and whether it is listed.
func (a *actor) slices(j int32) *uint32 { return &a.done[int(j)*a.stride] }

// isReady says whether the next slice of a step can be done, and nobody knows yet.
func (s *simulation) isReady(a *actor, j int32) bool {
	k := *a.slices(j)
	if k&listed != 0 || k == s.lanes[a.lane].slices {
		return false
	}
	for _, d := range a.afterOf(j) {
		if int64(*a.slices(d.step)&^listed) <= int64(k)-int64(d.lag) {
			return false
		}
	}
	for _, q := range a.fromOf(j) {
		if a.inbox[q].messages == 0 {
			return false
		}
	}
	return true
}

// consider lists a step if it is ready.
func (s *simulation) consider(a *actor, j int32) {
	if !s.isReady(a, j) {
		return
	}
	*a.slices(j) |= listed
	at, _ := slices.BinarySearch(a.ready, j)
	a.ready = slices.Insert(a.ready, at, j)
}

// arrive is a message in a queue.
func (s *simulation) arrive(actor int32, queue int32, at float64) {
	a := &s.actors[actor]
	in := &a.inbox[queue]
	in.messages++
	if in.messages > 1 {
		return // whose turn it is knows already
	}
	s.consider(a, a.takers[a.queues[queue].takers.begin+in.turn])
	s.work(actor, at)
}

// work lets the processor begin what is ready, if it is idle.
func (s *simulation) work(actor int32, at float64) {
	a := &s.actors[actor]
	at = max(at, a.free)
	for a.doing == idle && len(a.ready) > 0 {
		i, _ := slices.BinarySearch(a.ready, a.turn)
		if i == len(a.ready) {
			i = 0
		}
		j := a.ready[i]
		a.ready = slices.Delete(a.ready, i, i+1)
		a.doing, a.turn = j, j+1
		if s.job.Watch != nil {
			s.job.Watch(int(a.lane), s.job.Lanes[a.lane].rank(int(a.position)), int(j))
		}
		for _, q := range a.fromOf(j) {
			in := &a.inbox[q]
			in.messages--
			if takers := a.queues[q].takers; in.turn+1 < takers.end-takers.begin {
				in.turn++
			} else {
				in.turn = 0
			}
		}
		if seconds := a.steps[j].seconds; seconds > 0 {
			s.later.push(event{at: at + seconds, id: actor, what: processor})
			return
		}
		s.finish(actor, at)
	}
}

// finish ends the slice that an actor is doing: what it sends is on its way, and other steps may be ready.
func (s *simulation) finish(actor int32, at float64) {
	a := &s.actors[actor]
	j := a.doing
	a.doing, a.free = idle, at
	k := a.slices(j)
	*k = *k&^listed + 1
	a.left--
	s.left--
	s.lanes[a.lane].end = max(s.lanes[a.lane].end, at)
	for _, to := range a.toOf(j) {
		s.post(a.pairs+to.peer, to.channel, at)
	}
	s.consider(a, j)
	for _, next := range a.nextOf(j) {
		s.consider(a, next)
	}
}
