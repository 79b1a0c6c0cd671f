//go:build cgo

package main

import (
	"bytes"
	"fmt"
	"math"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/simd"
)

// A contest is one computation, on operands of one size, by all who can do it. The first contender is hcomm's kernel.
type contest struct {
	what, typ, op string
	bytes         int       // of the widest buffer
	fill          simd.Type // of the operands' elements
	operands      *operands
	contenders    []*contender
	pairs         []*pair

	cursor int // the piece at which the next measurement begins
}

type contender struct {
	name  string
	run   loop
	count int // pieces that take long enough
}

// A pair is measured in turns.
type pair struct {
	mine, other *contender
	mineTimes   []float64 // in nanoseconds for a byte, for each round
	otherTimes  []float64
}

// add lets a contender take part, if there is one.
func (c *contest) add(name string, run loop) *contender {
	if run == nil {
		return nil
	}
	x := &contender{name: name, run: run, count: 1}
	c.contenders = append(c.contenders, x)
	return x
}

// against has two contenders measured in turns, if there are both.
func (c *contest) against(mine, other *contender) {
	if mine != nil && other != nil {
		c.pairs = append(c.pairs, &pair{mine: mine, other: other})
	}
}

// measure verifies the results of all and measures each pair as often as there are rounds; a measurement takes at least
// that long.
func (c *contest) measure(m *memory, rounds int, least time.Duration) error {
	runtime.LockOSThread() // for threadTime
	defer runtime.UnlockOSThread()
	m.fill(c.fill)
	if err := c.verify(m); err != nil {
		return err
	}
	for _, x := range c.contenders {
		c.time(x, least)
	}
	for round := range rounds {
		for _, p := range c.pairs {
			if round%2 == 0 {
				p.mineTimes = append(p.mineTimes, c.time(p.mine, least))
				p.otherTimes = append(p.otherTimes, c.time(p.other, least))
			} else {
				p.otherTimes = append(p.otherTimes, c.time(p.other, least))
				p.mineTimes = append(p.mineTimes, c.time(p.mine, least))
			}
		}
	}
	return nil
}

// time gives the nanoseconds for a byte. Each measurement begins where the one before has ended: what is larger than the
// caches is then in none, whoever comes first.
func (c *contest) time(x *contender, least time.Duration) float64 {
	for {
		begin := threadTime()
		x.run(c.cursor, x.count)
		took := threadTime() - begin
		c.cursor = (c.cursor + x.count) % c.operands.pieces
		if took >= least {
			return float64(took.Nanoseconds()) / float64(x.count*c.operands.counts)
		}
		more := 1.3 * float64(least) / float64(max(took, 1))
		x.count = int(math.Ceil(float64(x.count) * min(max(more, 1.3), 10)))
	}
}

// threadTime is how long this thread has run: while others have the processor, it stands still.
func threadTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		panic(err) // Linux has this clock
	}
	return time.Duration(t.Nano())
}

// verify compares the results of all contenders with those of the first.
func (c *contest) verify(m *memory) error {
	o := c.operands
	for i, x := range c.contenders {
		clear(o.dst)
		clear(o.dst2)
		x.run(0, o.pieces)
		if i == 0 {
			copy(m.want, o.dst)
			copy(m.want2, o.dst2)
			continue
		}
		for _, d := range []struct{ got, want []byte }{{o.dst, m.want[:len(o.dst)]}, {o.dst2, m.want2[:len(o.dst2)]}} {
			if at := differ(d.got, d.want); at >= 0 {
				return fmt.Errorf("%s %s %s: at byte %d of %d, %s has %#02x, and %s %#02x",
					c.what, c.typ, c.op, at, len(d.got), x.name, d.got[at], c.contenders[0].name, d.want[at])
			}
		}
	}
	return nil
}

// differ gives the first byte that is not the same in both, or -1.
func differ(got, want []byte) int {
	if bytes.Equal(got, want) {
		return -1
	}
	for i := range got {
		if got[i] != want[i] {
			return i
		}
	}
	return -1
}
