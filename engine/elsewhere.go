package engine

import (
	"fmt"
	"time"

	"hcomm/link"
)

// Ranks that call two communicators in different orders wait for each other, and in each communicator it looks as if somebody
// has simply not called. So a rank that has waited for a while in one of them says so in its others.

// showAfter is how long a wait lasts before that: before anybody warns or gives up.
func (l *limits) showAfter() time.Duration {
	d := time.Second
	if l.warn > 0 {
		d = min(d, l.warn/2)
	}
	if l.timeout > 0 {
		d = min(d, l.timeout/2)
	}
	return d
}

// showElsewhere tells the peers in this rank's other communicators that it waits in this one.
func (c *Comm) showElsewhere(x waited, idle time.Duration) {
	if c.still.shown || idle < c.limits.showAfter() {
		return
	}
	c.still.shown = true
	others := c.ofThisRank()
	if len(others) == 0 {
		return
	}
	name := ""
	if c.name != "" {
		name = fmt.Sprintf(" %.64q,", c.name)
	}
	c.shown = fmt.Sprintf("in another communicator,%s of %d ranks, in %s", name, c.Size(), x.awaits().what)
	c.shownIn = others
	for _, other := range others {
		other.show(c, "it waits "+c.shown)
	}
}

// hideElsewhere takes that back.
func (c *Comm) hideElsewhere() {
	for _, other := range c.shownIn {
		other.show(c, "")
	}
	c.shownIn = nil
}

// leaveElsewhere is for a wait that has ended with an error. After a time-out what was shown stays, as long as this communicator
// is there: who waits for this rank elsewhere is about to give up, too.
func (c *Comm) leaveElsewhere(e *Error) {
	if e.Code != Timeout {
		c.hideElsewhere()
	}
	for _, other := range c.shownIn {
		other.show(c, "it waited "+c.shown+", until that was a time-out")
	}
}

// show puts up a line of another communicator's for the peers in this one, or takes down the one that it has put up.
func (c *Comm) show(from *Comm, text string) {
	c.showing.Lock()
	defer c.showing.Unlock()
	switch {
	case text != "":
		c.shownFor = from
	case c.shownFor != from:
		return
	default:
		c.shownFor = nil
	}
	c.unclaimed(func() {
		if d, ok := c.port.(link.Display); ok {
			d.Show(text)
		}
	})
}

// elsewhere is what a peer that is there has put up, with a comma before it.
func (c *Comm) elsewhere(peer int) string {
	if d, ok := c.port.(link.Display); ok && c.port.Presence(peer) == link.Alive {
		if text := d.Shown(peer); text != "" {
			return ", and " + text
		}
	}
	return ""
}
