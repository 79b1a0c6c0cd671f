package engine

import (
	"crypto/sha256"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"hcomm/hmm"
	"hcomm/link/shm"
	"hcomm/meet"
	"hcomm/settings"
	"hcomm/tune"
)

// protocol is the version of what ranks tell each other; different ones cannot work together.
const protocol = 4

// arrival is how ranks that have met become a communicator, in three exchanges: who everybody is and what he can do; the
// memory; and whether all went well, so that an error of one is everyone's.
type arrival struct {
	session    *meet.Session
	rank, size int
	id         uint64 // of this rank
	values     settings.Values
	table      tune.Table // this rank's, and then rank 0's

	cards  []card
	said   []map[string]string // by rank: the settings that all must agree on and that it has set
	rules  rules
	pidfds []int
	layout shm.Layout
	peers  []shm.Peer
}

// card is what a rank says of itself, in a fixed form. The table of rank 0 follows, and its settings, NAME=value lines.
type card struct {
	Protocol uint32
	PID      uint32
	Barrier  uint8 // it can make the kernel run a barrier on all processors
	Race     uint8
	ID       uint64
	Quota    uint32 // processors that its control group may use, in hundredths
	CPUs     [maxCPUs / 8]byte
	Host     [64]byte
	Memory   memory
	Table    [sha256.Size]byte // of the tuning table that it would take
	Encoded  uint32            // how many bytes of that table follow
}

func (a *arrival) open(giveBack func()) (*Comm, error) {
	if err := a.introduce(); err != nil {
		return nil, err
	}
	port, reach, err := a.attach()
	if err != nil {
		return nil, err
	}
	hosts := a.hosts()
	members := make([]member, a.size)
	for q, k := range a.cards {
		members[q] = member{host: hosts[q].name, pid: int(k.PID), id: k.ID}
	}
	c := newComm(a.rank, members, port, newPolicy(a.values.Spin, a.size, hosts), a.rules, func() {
		a.unmapWindows()
		giveBack()
	})
	c.op.windows, c.op.remotes = reach.windows, reach.noRemotes == ""
	c.limits, c.values = limitsOf(a.values), a.values
	c.values.Said = a.said[0]
	c.tellMade(hosts, a.layout, reach.noRemotes)
	return c, nil
}

func (a *arrival) hosts() []host {
	all := make([]host, a.size)
	for q := range all {
		all[q] = a.cards[q].host()
	}
	return all
}

// introduce exchanges the cards.
func (a *arrival) introduce() error {
	own := thisHost()
	k := card{Protocol: protocol, PID: uint32(os.Getpid()), ID: a.id, Quota: own.quota, CPUs: own.cpus, Memory: ownMemory()}
	if shm.Barrier() {
		k.Barrier = 1
	}
	copy(k.Host[:], own.name)
	data, err := a.encodeCard(k)
	if err != nil {
		return err
	}
	pidfd, err := selfPIDFD()
	if err != nil {
		return errorf(SystemError, "%v", err)
	}
	defer unix.Close(pidfd)
	got, err := a.session.Exchange(data, []int{pidfd})
	if err != nil {
		return fromMeet(err)
	}
	var encoded []byte
	for q, g := range got {
		if why, ok := refusal(g.Data); ok {
			closeAll(got)
			return errorf(Mismatch, "rank %d (pid %d) cannot take part: %.500q", q, g.PID, why).on("bad-setting")
		}
		k, table, said, err := decodeCard(g.Data)
		if err == nil && len(g.FDs) != 1 {
			err = fmt.Errorf("it came with %d descriptors, not 1", len(g.FDs))
		}
		if err != nil {
			closeAll(got)
			return errorf(Mismatch, "rank %d (pid %d) runs another hcomm: %v", q, g.PID, err).on("another-hcomm")
		}
		a.cards = append(a.cards, k)
		a.said = append(a.said, said)
		if q == 0 {
			encoded = table
		}
	}
	if err := a.settle(encoded); err != nil {
		closeAll(got)
		return err
	}
	for _, g := range got {
		a.pidfds = append(a.pidfds, g.FDs[0])
	}
	unix.Close(a.pidfds[a.rank])
	a.pidfds[a.rank] = -1
	a.layout = newLayout(a.values, a.size, a.rules.crowded)
	return nil
}

func closeAll(cards []meet.Card) {
	for _, c := range cards {
		for _, fd := range c.FDs {
			unix.Close(fd)
		}
	}
}

// attach exchanges the memory, maps everyone's and opens the port; all ranks have succeeded, or all fail.
func (a *arrival) attach() (port *shm.Port, r reach, err error) {
	own, failed := shm.Create(a.layout, a.rank)
	var fds []int
	if failed == nil {
		a.peers = make([]shm.Peer, a.size)
		a.peers[a.rank] = shm.Peer{Segment: own, PIDFD: -1}
		fds = append(fds, own.FD())
		if _, arena := hmm.Arena(); arena >= 0 {
			fds = append(fds, arena)
		}
	}
	got, err := a.session.Exchange(nil, fds)
	if err != nil {
		a.discard()
		return nil, r, fromMeet(err)
	}
	defer closeAll(got)
	r.windows = true
	for q := range got {
		if failed == nil && q != a.rank {
			failed = a.mapPeer(q, got[q].FDs)
		}
		r.windows = r.windows && failed == nil && (q == a.rank || a.peers[q].Window != nil)
	}
	if failed == nil {
		own.CloseFD()
		r.noRemotes = a.tryMemories()
		port, failed = shm.Open(a.layout, a.rank, a.peers, a.fenced())
		if failed != nil {
			a.unmapWindows()
			a.peers = nil // Open has freed the rest
		}
	}
	r, err = a.agree(r, failed)
	switch {
	case err == nil:
		return port, r, nil
	case port != nil:
		port.Leave()
		a.unmapWindows()
	default:
		a.discard()
	}
	return nil, r, err
}

// fenced says whether some rank cannot make the kernel run a barrier on all processors.
func (a *arrival) fenced() bool {
	for _, k := range a.cards {
		if k.Barrier == 0 {
			return true
		}
	}
	return false
}

// mapPeer maps the segment of a peer, and its arena if that goes.
func (a *arrival) mapPeer(q int, fds []int) error {
	if len(fds) == 0 {
		return fmt.Errorf("rank %d has no shared memory", q)
	}
	segment, err := shm.Attach(a.layout, q, fds[0])
	if err != nil {
		return err
	}
	a.peers[q] = shm.Peer{Segment: segment, PIDFD: a.pidfds[q]}
	a.pidfds[q] = -1
	if len(fds) > 1 {
		a.peers[q].Window, _ = hmm.Attach(fds[1])
	}
	return nil
}

// agree tells the others how the mapping went, and fails if it failed for anybody. What one cannot reach, nobody can.
func (a *arrival) agree(r reach, failed error) (reach, error) {
	word := r.word()
	if failed != nil {
		word = failed.Error()
	}
	got, err := a.session.Exchange([]byte(word[:min(len(word), 1000)]), nil)
	if err != nil {
		return r, fromMeet(err)
	}
	closeAll(got)
	r = reach{windows: true}
	for q, g := range got {
		if !r.limit(string(g.Data)) {
			return r, errorf(SystemError, "rank %d (pid %d) could not open its links: %.1000q", q, g.PID, g.Data)
		}
	}
	return r, nil
}

// discard gives back what an arrival that failed has got.
func (a *arrival) discard() {
	for _, p := range a.peers {
		if p.Segment != nil {
			p.Segment.Release()
		}
		if p.PIDFD >= 0 && p.Segment != nil {
			unix.Close(p.PIDFD)
		}
	}
	for _, fd := range a.pidfds {
		if fd >= 0 {
			unix.Close(fd)
		}
	}
	a.unmapWindows()
}

func (a *arrival) unmapWindows() {
	for _, p := range a.peers {
		hmm.Detach(p.Window)
	}
}
