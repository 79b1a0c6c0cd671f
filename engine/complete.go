package engine

import (
	"sync/atomic"

	"hcomm/simd"
)

// Complete waits until all that this rank has begun is done, and then for all ranks to come here. After it the
// communicator can only be asked, and destroyed.
func (c *Comm) Complete() error {
	for _, t := range c.underWay() {
		wait([]*task{t}, false)
	}
	if err := c.barrierAs(leaving); err != nil {
		return err
	}
	if e := c.enter(); e != nil {
		return e
	}
	atomic.StoreUint32(&c.shared.Use, completed)
	return nil
}

// leaving stands in a barrier's signature where a reduction has its operator.
const leaving simd.Op = 2

// underWay is what this rank has begun.
func (c *Comm) underWay() []*task {
	if c.tasks.Load() == 0 || c.enter() != nil {
		return nil
	}
	defer c.leave()
	return c.allTasks()
}

// HasSameRanks says whether another communicator has the same members, and whether in the same order.
func (c *Comm) HasSameRanks(other *Comm) (members, order bool) {
	if c.Size() != other.Size() {
		return false, false
	}
	count := map[uint64]int{}
	order = true
	for q := range c.members {
		count[c.members[q].id]++
		count[other.members[q].id]--
		order = order && c.members[q].id == other.members[q].id
	}
	for _, n := range count {
		if n != 0 {
			return false, false
		}
	}
	return true, order
}
