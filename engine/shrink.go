package engine

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"hcomm/link"
	"hcomm/meet"
)

// Shrink makes a communicator of the ranks that are not in exclude, in the same order. Those ranks call it, all with the
// same list, also when the communicator is poisoned: they agree through the memory that they share, without a message.
// giveUp ends what is under way first; otherwise that is an error.
func (c *Comm) Shrink(exclude []int, giveUp bool, cfg *Config) (*Comm, error) {
	out, e := c.checkExclude(exclude)
	if e != nil {
		return nil, e
	}
	board, ok := c.port.(link.Board)
	if !ok {
		return nil, errorf(InvalidUsage, "the links of this communicator cannot shrink it")
	}
	if giveUp && c.tasks.Load() > 0 {
		c.Revoke()
	}
	if e := c.enter(); e != nil {
		return nil, e
	}
	returned := false
	defer c.leaveUnless(&returned)
	child, err := c.shrink(board, out, cfg)
	returned = true
	c.leave()
	return child, err
}

// checkExclude makes a set of the list.
func (c *Comm) checkExclude(exclude []int) (out []bool, e *Error) {
	out = make([]bool, c.Size())
	for i, q := range exclude {
		switch {
		case q < 0 || q >= c.Size():
			return nil, badArgument("excludeRanksList", "excludeRanksList[%d] is %d, but the communicator has ranks 0 to %d", i, q, c.Size()-1)
		case out[q]:
			return nil, badArgument("excludeRanksList", "excludeRanksList has rank %d twice", q)
		case q == c.rank:
			return nil, badArgument("excludeRanksList", "excludeRanksList has rank %d, which is this one: ranks that are to be excluded do not call", q)
		}
		out[q] = true
	}
	return out, nil
}

// shrink is Shrink with the claim.
func (c *Comm) shrink(board link.Board, out []bool, cfg *Config) (*Comm, error) {
	if c.tasks.Load() > 0 && !c.port.Condemned() {
		return nil, errorf(InvalidUsage, "%d calls are under way on the communicator: complete them first, or shrink with HCOMM_SHRINK_ABORT", c.tasks.Load()).on("under-way")
	}
	if c.tasks.Load() > 0 {
		c.ended(c.verdict())
	}
	id, err := meet.NewID()
	if err != nil {
		return nil, fromMeet(err)
	}
	began := board.Now()
	board.Propose(link.Proposal{Out: out, Note: id})
	notes, e := c.agreeToShrink(board, out, began, cfg)
	if e != nil {
		board.Withdraw(e.Code == Mismatch)
		return nil, e
	}
	defer board.Withdraw(false)
	var ranks []int
	for q, isOut := range out {
		if !isOut {
			ranks = append(ranks, q)
		}
	}
	child, err := c.joinAgain(ranks, notes[ranks[0]], cfg, false)
	if err == nil {
		c.shrunk = notes
	}
	return child, err
}

// staleAfter is how long the list of a rank whose earlier attempt has failed, or that leaves this one behind, is taken for one
// that it will replace: the ranks may first make a smaller communicator.
const staleAfter = 2 * time.Second

// lists is what a look at the others' lists came to.
type lists struct {
	notes map[int]meet.ID // of those who have the same, by rank
	late  []int           // have none, or one that they will replace
	other []bool          // a list that differs, of rank whose
	whose int
}

// agreeToShrink waits until all who remain have the same list, and returns their notes.
func (c *Comm) agreeToShrink(board link.Board, out []bool, began time.Duration, cfg *Config) (map[int]meet.ID, *Error) {
	differ := began // since when lists do
	without := sightings{}
	for round := 0; ; round++ {
		l := c.lookAtLists(board, out, began, without)
		if l.late == nil && l.other == nil {
			return l.notes, nil
		}
		if e := c.cannotShrink(l.late, board.Now()-began, cfg); e != nil {
			return nil, e
		}
		if l.other == nil {
			differ = board.Now()
		} else if board.Now()-differ > settled {
			return nil, c.differentLists(l.whose, l.other, out)
		}
		time.Sleep(min(time.Duration(round+1)*20*time.Microsecond, time.Millisecond))
	}
}

// settled is how long lists must differ to be a disagreement: one rank may learn of a death before another does.
const settled = 200 * time.Millisecond

// sightings are when lists were first seen, by their notes.
type sightings map[meet.ID]time.Duration

func (s sightings) age(note meet.ID, now time.Duration) time.Duration {
	since, ok := s[note]
	if !ok {
		s[note], since = now, now
	}
	return now - since
}

// lookAtLists looks once. What a rank has agreed to before is not taken for its new list, which it is yet to write.
func (c *Comm) lookAtLists(board link.Board, out []bool, began time.Duration, without sightings) lists {
	l := lists{notes: map[int]meet.ID{}}
	for q := range out {
		if out[q] {
			continue
		}
		p, stage := board.Proposal(q)
		known, again := c.shrunk[q]
		switch same := slices.Equal(p.Out, out); {
		case stage == link.NoProposal,
			again && p.Note == known,
			stage == link.OldProposal && p.Made < began && board.Now()-began < staleAfter,
			stage == link.OldProposal && same,
			stage == link.OpenProposal && p.Out[c.rank] && without.age(p.Note, board.Now()) < staleAfter,
			!same && c.isGoneBut(p.Out): // it will find that, and give another list
			l.late = append(l.late, q)
		case !same:
			l.other, l.whose = p.Out, q
		default:
			l.notes[q] = p.Note
		}
	}
	return l
}

// isGoneBut says whether a rank is gone that a list does not exclude.
func (c *Comm) isGoneBut(out []bool) bool {
	for q := range out {
		if !out[q] && c.port.Presence(q) != link.Alive {
			return true
		}
	}
	return false
}

// cannotShrink says why there is no use in waiting for ranks longer.
func (c *Comm) cannotShrink(late []int, waited time.Duration, cfg *Config) *Error {
	if c.abortedHere() {
		return errorf(InvalidUsage, "the communicator was aborted in this process while it was shrunk").on("aborted")
	}
	if stop := cfg.stop(); stop != nil {
		if err := stop(); err != nil {
			return errorf(InvalidUsage, "%v", err)
		}
	}
	for _, q := range late {
		if how := c.port.Presence(q); how != link.Alive {
			return errorf(RemoteError, "%s %s before the communicator was shrunk: exclude it, too", c.who(q), gone(how))
		}
	}
	if waited > c.values.InitTimeout {
		return errorf(Timeout, "%s; all ranks that are not excluded must shrink (waited for %s, HCOMM_INIT_TIMEOUT)",
			c.tell(late, "has not called hcommCommShrink", "have not called hcommCommShrink"), seconds(waited))
	}
	return nil
}

// gone says how a rank went.
func gone(how link.Presence) string {
	if how == link.Left {
		return "left the communicator"
	}
	return "died"
}

func (c *Comm) differentLists(q int, theirs, ours []bool) *Error {
	a, b := c.rank, q
	if b < a {
		a, b, ours, theirs = b, a, theirs, ours
	}
	return errorf(Mismatch, "ranks disagree on whom to exclude: %s excludes %s, %s excludes %s; all ranks that remain must give the same list",
		c.who(a), listed(ours), c.who(b), listed(theirs)).on("exclude-lists")
}

func listed(out []bool) string {
	var all []string
	for q, is := range out {
		if is {
			all = append(all, fmt.Sprint(q))
		}
	}
	if len(all) == 0 {
		return "nobody"
	}
	return "rank " + strings.Join(all, ", ")
}

// itself names the communicator.
func (c *Comm) itself() string {
	if c.name == "" {
		return "the communicator"
	}
	return fmt.Sprintf("the communicator %q", c.name)
}

// Revoke ends all calls on the communicator, on all ranks, as an error would: Shrink, Abort, Destroy and queries remain.
func (c *Comm) Revoke() error {
	if c.Freed() {
		return errorf(InvalidUsage, "the communicator was destroyed or aborted")
	}
	c.unclaimed(func() { c.condemn(errorf(RemoteError, "%s revoked %s", c.who(c.rank), c.itself()).on("revoked")) })
	c.rouse()
	return nil
}

// Failed lists the ranks that have died or left, and those for whom the communicator was given up: who did not come in time,
// or aborted. On a rank that was itself too late it has that one.
func (c *Comm) Failed() (ranks []int) {
	c.unclaimed(func() {
		var culprits []int
		if c.port.Condemned() {
			culprits = c.port.Verdict().Culprits
		}
		for q := range c.members {
			if slices.Contains(culprits, q) || q != c.rank && c.port.Presence(q) != link.Alive {
				ranks = append(ranks, q)
			}
		}
	})
	return ranks
}

// Failure is nil while the communicator is usable, otherwise the error that has made it unusable.
func (c *Comm) Failure() error {
	var e *Error
	c.unclaimed(func() {
		if c.port.Condemned() {
			e = c.verdict()
		}
	})
	if e != nil {
		return e
	}
	return nil
}
