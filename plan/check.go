package plan

import (
	"errors"
	"fmt"
)

// What [Check] finds wrong. Each error it returns wraps one of these and names rank, step and slice.
var (
	ErrMalformed     = errors.New("malformed program")
	ErrMissing       = errors.New("contribution missing")
	ErrDouble        = errors.New("contribution held twice, or where it does not belong")
	ErrOrder         = errors.New("operands out of order")
	ErrAverage       = errors.New("average not taken exactly once")
	ErrDiffers       = errors.New("results differ between ranks")
	ErrMismatch      = errors.New("message of another part or slice, or out of turn")
	ErrDeadlock      = errors.New("deadlock")
	ErrOverwritten   = errors.New("overwritten before it was read")
	ErrUninitialised = errors.New("read before it was written")
	ErrInputChanged  = errors.New("the user's input is written")
	ErrUnconsumed    = errors.New("message left over")
	ErrEarly         = errors.New("barrier left early")
)

// Sending says how the checker's ranks send where an executor has a choice.
type Sending uint8

// The ways to send. What may not be read in place takes a slot, or goes inside the message.
const (
	SendEither  Sending = iota // which slices go in place is random for each step, small enough or not for each part and slice
	SendBySlot                 // always take a slot
	SendInPlace                // let the peers read in place what they may; the rest takes slots
	SendInside                 // buffers are tiny: every message carries its data itself
	sendings
)

// CheckOptions is the world in which [Check] runs the programs.
type CheckOptions struct {
	Slices  int  // of each part
	Slots   int  // of a rank on each channel
	InPlace bool // input and output are the same memory, except where a program is made for buffers that lie apart
	Send    Sending
	Order   Order  // what a reduction must keep
	Average Map    // what a reduction must have applied: Scale to each contribution, Divide to the whole, or nothing
	Seed    uint64 // chooses the schedule, and how to send

	freeEarly bool // a fault for the tests: a slot is free when its first reader is done
}

// depth is the number of messages that may wait in a queue, as in the executor.
const depth = 8

// Check runs the programs of all ranks on symbols, in an order that the seed chooses, by the executor's rules: any step
// may do its next slice when what it comes after is done, its messages are there, and there is room for what it sends.
// It returns the first thing that goes wrong. A pass proves this order of events only: call it with many seeds.
func Check(programs []Program, c Collective, root int, o CheckOptions) error {
	if err := wellFormed(programs, c, root, o); err != nil {
		return err
	}
	if c == Barrier {
		for late := range programs {
			if err := checkBarrier(programs, late, o); err != nil {
				return err
			}
		}
		return nil
	}
	m := newMachine(programs, c, root, o)
	if err := m.finish(); err != nil {
		return err
	}
	return m.checkResults()
}

// checkBarrier keeps one rank from starting until nobody else can move: nobody may have finished by then.
func checkBarrier(programs []Program, late int, o CheckOptions) error {
	m := newMachine(programs, Barrier, 0, o)
	m.hold(late)
	if err := m.run(); err != nil {
		return err
	}
	for r := range programs {
		if r != late && m.finished(r) {
			if last := len(programs[r].Steps) - 1; last >= 0 {
				return m.fault(ErrEarly, r, last, o.Slices-1, "rank %d has not come yet", late)
			}
			return fmt.Errorf("%w: rank %d has no steps, and rank %d has not come yet", ErrEarly, r, late)
		}
	}
	m.release()
	return m.finish()
}
