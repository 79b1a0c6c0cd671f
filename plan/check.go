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
	ErrOrder         = errors.New("operands out of rank order")
	ErrAverage       = errors.New("average not taken exactly once")
	ErrDiffers       = errors.New("results differ between ranks")
	ErrMismatch      = errors.New("message of another chunk or slice")
	ErrDeadlock      = errors.New("deadlock")
	ErrOverwritten   = errors.New("overwritten before it was read")
	ErrUninitialised = errors.New("read before it was written")
	ErrInputChanged  = errors.New("the user's input is written")
	ErrUnconsumed    = errors.New("message left over")
	ErrEarly         = errors.New("barrier left early")
)

// Sending says how the checker's ranks send where an executor has a choice.
type Sending uint8

// The ways to send. What may not be read in place takes a slot in all of them.
const (
	SendEither  Sending = iota // at random for each step, as the memory of each buffer decides in an executor
	SendBySlot                 // always take a slot
	SendInPlace                // let the peers read in place; eager messages carry their data themselves
)

// Cut says how many slices each chunk has.
type Cut uint8

// The cuts. A buffer with fewer cache lines than chunks is tiny: some chunks are empty, the others fit into a message.
const (
	CutEven   Cut = iota // Slices
	CutUneven            // 1 to Slices
	CutTiny              // one or none, and every message carries its data itself
)

// CheckOptions is the world in which [Check] runs the programs.
type CheckOptions struct {
	Slices  int // the slices of a chunk
	Cut     Cut
	Slots   int  // the slots of a rank on each channel
	InPlace bool // input and output are the same memory
	Send    Sending
	Average Map    // what an AllReduce must have applied: Scale to each contribution, Divide to the whole, or nothing
	Seed    uint64 // chooses the schedule, how to send, and uneven slices

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
	m := newMachine(programs, o)
	if err := m.finish(); err != nil {
		return err
	}
	want := make([]int, len(programs))
	for r := range want {
		want[r] = r
	}
	if c == Broadcast {
		want = []int{root}
	}
	return m.checkResults(want, o.Average)
}

// checkBarrier keeps one rank from starting until nobody else can move: nobody may have finished by then.
func checkBarrier(programs []Program, late int, o CheckOptions) error {
	m := newMachine(programs, o)
	m.held = late
	if err := m.run(); err != nil {
		return err
	}
	for r := range programs {
		if r != late && m.finished(r) {
			if last := len(programs[r].Steps) - 1; last >= 0 {
				return m.fault(ErrEarly, r, last, max(m.total(r, last)-1, 0), "rank %d has not come yet", late)
			}
			return fmt.Errorf("%w: rank %d has no steps, and rank %d has not come yet", ErrEarly, r, late)
		}
	}
	m.held = nobody
	return m.finish()
}
