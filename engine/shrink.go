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
	first, e := c.agreeToShrink(board, out, began, cfg)
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
	return c.joinAgain(ranks, first, false, cfg)
}

// staleAfter is how long the list of a rank whose earlier attempt has failed is taken for one that it will replace.
const staleAfter = 2 * time.Second

// agreeToShrink waits until all who remain have the same list, and returns the note of the first of them.
func (c *Comm) agreeToShrink(board link.Board, out []bool, began time.Duration, cfg *Config) (first meet.ID, e *Error) {
	for round := 0; ; round++ {
		missing := 0
		var late []int
		for q := range out {
			if out[q] {
				continue
			}
			p, stage := board.Proposal(q)
			switch {
			case stage == link.NoProposal || stage == link.OldProposal && p.Made < began && board.Now()-began < staleAfter:
				missing++
				late = append(late, q)
			case !slices.Equal(p.Out, out):
				if e := c.differentLists(board, q, p.Out, out); e != nil {
					return first, e
				}
				missing++
				late = append(late, q)
			case stage == link.OldProposal:
				missing++
				late = append(late, q)
			case q == slices.Index(out, false):
				first = p.Note
			}
		}
		if missing == 0 {
			return first, nil
		}
		if e := c.cannotShrink(late, board.Now()-began, cfg); e != nil {
			return first, e
		}
		time.Sleep(min(time.Duration(round+1)*20*time.Microsecond, time.Millisecond))
	}
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
			return c.excludeToo(q, how)
		}
	}
	if waited > c.values.InitTimeout {
		return errorf(Timeout, "%s; all ranks that are not excluded must shrink (waited for %s, HCOMM_INIT_TIMEOUT)",
			c.tell(late, "has not called hcommCommShrink", "have not called hcommCommShrink"), seconds(waited))
	}
	return nil
}

func (c *Comm) excludeToo(q int, how link.Presence) *Error {
	return errorf(RemoteError, "%s %s before the communicator was shrunk: exclude it, too", c.who(q), gone(how))
}

// gone says how a rank went.
func gone(how link.Presence) string {
	if how == link.Left {
		return "left the communicator"
	}
	return "died"
}

// goneSoon is what is known of a rank that another one excludes, who may have heard of its end first.
func (c *Comm) goneSoon(board link.Board, rank int) link.Presence {
	for began := board.Now(); ; time.Sleep(time.Millisecond) {
		if how := c.port.Presence(rank); how != link.Alive || board.Now()-began > newsWithin {
			return how
		}
	}
}

// newsWithin is how long the news of a rank's death may take to come here after another has heard of it.
const newsWithin = 100 * time.Millisecond

// differentLists is the error for another rank's list; nil if that rank will yet learn of one who is gone, and come again.
func (c *Comm) differentLists(board link.Board, q int, theirs, ours []bool) *Error {
	onlyGone := true
	for r := range ours {
		switch {
		case theirs[r] == ours[r]:
		case ours[r]:
			onlyGone = onlyGone && c.port.Presence(r) != link.Alive
		default:
			if how := c.goneSoon(board, r); how != link.Alive {
				return c.excludeToo(r, how)
			}
			onlyGone = false
		}
	}
	if onlyGone {
		return nil
	}
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

// Revoke ends all calls on the communicator, on all ranks, as an error would: Shrink, Abort, Destroy and queries remain.
func (c *Comm) Revoke() error {
	if c.Freed() {
		return errorf(InvalidUsage, "the communicator was destroyed or aborted")
	}
	c.unclaimed(func() { c.condemn(errorf(RemoteError, "%s revoked the communicator", c.who(c.rank)).on("revoked")) })
	c.rouse()
	return nil
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
