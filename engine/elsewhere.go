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
	text := fmt.Sprintf("it waits in another communicator,%s of %d ranks, in %s", name, c.Size(), x.awaits().what)
	for _, other := range others {
		other.show(c, text)
	}
	c.shownIn = others
}

// hideElsewhere takes that back.
func (c *Comm) hideElsewhere() {
	for _, other := range c.shownIn {
		other.show(c, "")
	}
	c.shownIn = nil
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

// elsewhere is what a peer has put up, with a comma before it.
func (c *Comm) elsewhere(peer int) string {
	if d, ok := c.port.(link.Display); ok {
		if text := d.Shown(peer); text != "" {
			return ", and " + text
		}
	}
	return ""
}
