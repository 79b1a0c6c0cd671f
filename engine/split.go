package engine

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"
	"time"
	"unsafe"

	"hcomm/link"
	"hcomm/meet"
	"hcomm/plan"
	"hcomm/simd"
)

// NoColor is the color of a rank that gets no communicator from Split.
const NoColor = -1

// What an allgather is for stands in its signature where a reduction has its operator; a user's has none.
const (
	forSplit simd.Op = 0x40 + iota
	forDup
)

// Split makes one communicator for each color, of the ranks that give it, in the order of their keys and then of their
// ranks here. All ranks call it, as a collective. A rank that gives NoColor gets nil.
func (c *Comm) Split(color, key int, cfg *Config) (*Comm, error) {
	if color < NoColor || int(int32(color)) != color {
		return nil, badArgument("color", "color is %d; it must be 0 or more, or HCOMM_SPLIT_NOCOLOR (HCOMM_UNDEFINED) for none", color)
	}
	return c.divide(forSplit, color, key, cfg)
}

// Dup makes a communicator of the same ranks. All call it, as a collective.
func (c *Comm) Dup(cfg *Config) (*Comm, error) { return c.divide(forDup, 0, 0, cfg) }

// ticket is what a rank tells the others of where it wants to go: color, key, and where to meet if it becomes rank 0.
type ticket struct {
	color, key int32
	id         meet.ID
}

const ticketBytes = 8 + len(meet.ID{})

func (k *ticket) encode() []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(k.color))
	b = binary.LittleEndian.AppendUint32(b, uint32(k.key))
	return append(b, k.id[:]...)
}

func decodeTicket(b []byte) (k ticket) {
	k.color, k.key = int32(binary.LittleEndian.Uint32(b)), int32(binary.LittleEndian.Uint32(b[4:]))
	copy(k.id[:], b[8:])
	return k
}

// divide tells the others this rank's ticket, and joins those with the same color.
func (c *Comm) divide(what simd.Op, color, key int, cfg *Config) (*Comm, error) {
	id, err := meet.NewID()
	if err != nil {
		return nil, fromMeet(err)
	}
	mine := ticket{int32(color), int32(key), id}
	send, recv := mine.encode(), make([]byte, c.Size()*ticketBytes)
	err = c.collective(plan.AllGather, arguments{
		send: unsafe.Pointer(&send[0]), recv: unsafe.Pointer(&recv[0]), count: uint64(ticketBytes), t: simd.Uint8, op: what,
	})
	if err != nil || color == NoColor {
		return nil, err
	}
	tickets := make([]ticket, c.Size())
	var ranks []int
	for q := range tickets {
		if tickets[q] = decodeTicket(recv[q*ticketBytes:]); int(tickets[q].color) == color {
			ranks = append(ranks, q)
		}
	}
	slices.SortStableFunc(ranks, func(a, b int) int { return cmp.Compare(tickets[a].key, tickets[b].key) })
	return c.joinAgain(ranks, tickets[ranks[0]].id, cfg, true)
}

// joinAgain makes a communicator of some ranks of this one, which call it alike. together says that all ranks of this one
// have called: when it is given up meanwhile, some of them may not come.
func (c *Comm) joinAgain(ranks []int, id meet.ID, cfg *Config, together bool) (*Comm, error) {
	point, err := id.Point()
	if err != nil {
		return nil, errorf(InternalError, "rank %d gave no meeting point: %v", ranks[0], err)
	}
	var k Config
	if cfg != nil {
		k = *cfg
	}
	k.Stop = c.inVain(ranks, cfg.stop(), together)
	job := meet.Job{Rank: slices.Index(ranks, c.rank), Size: len(ranks), At: point, Source: "a communicator"}
	made, err := meetAndOpen(job, k.apply(c.values), c.rules.table, c.members[c.rank].id, &k)
	if err != nil {
		err = blame(err, k.Stop)
	}
	return made, err
}

// endsWithin is how long a process may take to end after its sockets were closed.
const endsWithin = 100 * time.Millisecond

// blame finds who is to blame for an error in making a communicator, by its rank in this one.
func blame(err error, inVain func() error) error {
	var e *Error
	for began := time.Now(); errors.As(err, &e) && e.Code == RemoteError && time.Since(began) < endsWithin; time.Sleep(time.Millisecond) {
		if why := inVain(); why != nil {
			return why
		}
	}
	return err
}

// endedAfter is how long one who has left this communicator in order, and whose process has ended, is still waited for: he may
// have been through with the meeting before.
const endedAfter = 2 * time.Second

// inVain is a stop for a meeting of ranks of this communicator, which does not know of the processes of those that have not
// come to it. together says that all ranks of this one have called.
func (c *Comm) inVain(ranks []int, stop func() error, together bool) func() error {
	var since time.Time // of the first look at which a process had ended
	return func() error {
		if stop != nil {
			if err := stop(); err != nil {
				return err
			}
		}
		if c.Freed() {
			return errorf(InvalidUsage, "the communicator was aborted in this process while another was made of it").on("aborted")
		}
		if together {
			if err := c.Failure(); err != nil {
				return err
			}
		}
		q, how := c.endedOf(ranks)
		switch {
		case q < 0:
			return nil
		case since.IsZero():
			since = time.Now()
		}
		if how == link.Left && time.Since(since) < endedAfter {
			return nil
		}
		return errorf(RemoteError, "%s %s before all ranks of the new communicator had met", c.who(q), gone(how)).on("dead-rank")
	}
}

// endedOf is the first of some ranks whose process has ended, before others one that has died; -1 if there is none.
func (c *Comm) endedOf(ranks []int) (rank int, how link.Presence) {
	rank = -1
	c.unclaimed(func() {
		port, ok := c.port.(interface{ HasEnded(peer int) bool })
		for _, q := range ranks {
			if !ok || q == c.rank || !port.HasEnded(q) {
				continue
			}
			if h := c.port.Presence(q); rank < 0 || h == link.Dead {
				rank, how = q, h
			}
		}
	})
	return rank, how
}
