package engine

import "errors"

// Shrink makes a communicator of the ranks that are not in exclude, in the same order. Those ranks call it, all with the
// same list, also when the communicator is poisoned. giveUp ends what is under way first; otherwise that is an error.
func (c *Comm) Shrink(exclude []int, giveUp bool, cfg *Config) (*Comm, error) {
	return nil, errors.New("to be written")
}

// Revoke ends all calls on the communicator, on all ranks, as an error would: Shrink, Abort, Destroy and queries remain.
func (c *Comm) Revoke() error { return errors.New("to be written") }

// Complete waits until all that this rank has begun is done, and then for all ranks to come here. After it the
// communicator can only be destroyed.
func (c *Comm) Complete() error { return errors.New("to be written") }

// State is nil while the communicator is usable, otherwise the error that made it unusable.
func (c *Comm) Failure() error { return errors.New("to be written") }

// HasSameRanks says whether another communicator has the same processes, and whether in the same order.
func (c *Comm) HasSameRanks(other *Comm) (members, order bool) { return false, false }
