package engine

import (
	"fmt"
	"time"

	"hcomm/observe"
)

// limits are how long a wait may last in which nothing moves; 0: for ever.
type limits struct {
	warn    time.Duration // then a line says who is late
	timeout time.Duration // then the wait is an error
}

// clocks is looked at before each sleep of a wait. The error is one that ends the communicator.
func (c *Comm) clocks(x waited, idle time.Duration) *Error {
	l := &c.limits
	if l.timeout > 0 && idle >= l.timeout {
		return c.tooLate(x.awaits(), idle)
	}
	if l.warn > 0 && idle >= l.warn && !c.still.warned {
		c.still.warned = true
		c.warn(x.awaits(), idle)
	}
	return nil
}

// longestNap bounds one sleep, so that the clocks are looked at now and then.
const longestNap = time.Second

// nap is how long a wait may sleep before a clock has to be looked at.
func (c *Comm) nap(idle time.Duration) time.Duration {
	d := longestNap
	if t := c.limits.timeout; t > 0 {
		d = min(d, t-idle)
	}
	if t := c.limits.warn; t > 0 && !c.still.warned {
		d = min(d, t-idle)
	}
	return max(d, time.Millisecond)
}

// warn says who is late: one line for all who wait in the same collective.
func (c *Comm) warn(a awaited, idle time.Duration) {
	if c.lowerWaits(a) {
		return
	}
	until := "there is no time-out (HCOMM_TIMEOUT=0)"
	if c.limits.timeout > 0 {
		until = fmt.Sprintf("an error after %s (HCOMM_TIMEOUT)", seconds(c.limits.timeout))
	}
	observe.Warn("%s in %s has waited for %s: %s; the wait goes on, %s ("+pages+"late-rank.md)",
		c.who(c.rank), c.named(a.what), seconds(idle), c.late(a), until)
}

// lowerWaits says whether a rank with a lower number waits in the same collective, and so will write the line.
func (c *Comm) lowerWaits(a awaited) bool {
	if a.op == 0 {
		return false
	}
	for q := range c.rank {
		if c.port.Intent(q).Op == a.op {
			return true
		}
	}
	return false
}

func (c *Comm) tooLate(a awaited, idle time.Duration) *Error {
	l := c.lateHere(a)
	return errorf(Timeout, "%s; %s has waited for %s in %s (HCOMM_TIMEOUT)",
		l.say(c, c.doingOf), c.who(c.rank), seconds(idle), c.named(a.what)).on("late-rank").by(l.ranks...)
}

func seconds(d time.Duration) string {
	if d >= 100*time.Second {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return fmt.Sprintf("%.3g s", d.Seconds())
}
