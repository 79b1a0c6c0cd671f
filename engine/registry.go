package engine

import (
	"os"
	"slices"
	"sync"
	"time"

	"hcomm/meet"
	"hcomm/observe"
	"hcomm/status"
)

// registry is what this process has of communicators, for those who look at it from elsewhere. The process tells of it as
// long as something is there.
var registry struct {
	sync.Mutex
	comms  []*Comm // in the order in which they were made
	joins  []*joining
	told   int // how many of all these are told of
	teller *status.Teller
}

// joining is a communicator whose ranks are still awaited.
type joining struct {
	job   meet.Job
	since time.Time
	limit time.Duration
	told  bool
}

// expect enters a communicator that is to be made; done strikes it out.
func expect(job *meet.Job, limit time.Duration, told bool) (done func()) {
	job.Attendance = new(meet.Attendance)
	j := &joining{job: *job, since: time.Now(), limit: limit, told: told}
	registry.Lock()
	defer registry.Unlock()
	registry.joins = append(registry.joins, j)
	keepTelling(told, 1)
	return func() {
		registry.Lock()
		defer registry.Unlock()
		registry.joins = without(registry.joins, j)
		keepTelling(told, -1)
	}
}

// enroll enters a communicator, strike strikes it out if it is there.
func (c *Comm) enroll() {
	registry.Lock()
	defer registry.Unlock()
	registry.comms = append(registry.comms, c)
	keepTelling(c.values.Status, 1)
}

func (c *Comm) strike() {
	registry.Lock()
	defer registry.Unlock()
	n := len(registry.comms)
	if registry.comms = without(registry.comms, c); len(registry.comms) < n {
		keepTelling(c.values.Status, -1)
	}
}

func without[T comparable](list []T, x T) []T {
	if i := slices.Index(list, x); i >= 0 {
		return slices.Delete(list, i, i+1)
	}
	return list
}

// keepTelling keeps the teller there while there is something to tell of. The registry is locked.
func keepTelling(told bool, change int) {
	if !told {
		return
	}
	registry.told += change
	switch {
	case registry.told == 0 && registry.teller != nil:
		registry.teller.Close()
		registry.teller = nil
	case registry.told > 0 && registry.teller == nil && change > 0:
		teller, err := status.Tell(tellProcess)
		if err != nil {
			observe.Info("hcomm status will not show this process: %v", err)
		}
		registry.teller = teller
	}
}

// ofThisRank are the other communicators of the rank of this process that c is of.
func (c *Comm) ofThisRank() (others []*Comm) {
	registry.Lock()
	defer registry.Unlock()
	for _, other := range registry.comms {
		if other != c && other.members[other.rank].id == c.members[c.rank].id {
			others = append(others, other)
		}
	}
	return others
}

// mostMembers bounds the ranks that one answer tells of, over all communicators.
const mostMembers = 1 << 16

// tellProcess is what hcomm status gets. It waits for nobody, and nobody waits for it.
func tellProcess() status.Process {
	registry.Lock()
	comms, joins := slices.Clone(registry.comms), slices.Clone(registry.joins)
	registry.Unlock()
	p := status.Process{PID: os.Getpid(), Host: hostName(), Communicators: []status.Communicator{}, Joining: []status.Joining{}}
	room := mostMembers
	for _, c := range comms {
		if !c.values.Status {
			continue
		}
		if c.Size() > room {
			p.LeftOut++
		} else if s, ok := c.snapshot(); ok {
			room -= c.Size()
			p.Communicators = append(p.Communicators, s)
		}
	}
	for _, j := range joins {
		if j.told {
			p.Joining = append(p.Joining, j.snapshot())
		}
	}
	return p
}

func (j *joining) snapshot() status.Joining {
	missing, met := j.job.Attendance.Missing()
	return status.Joining{
		Rank: j.job.Rank, Size: j.job.Size, At: j.job.At.String(), Waited: time.Since(j.since).Seconds(), Limit: j.limit.Seconds(),
		Missing: append([]int{}, missing...), Met: met,
	}
}
