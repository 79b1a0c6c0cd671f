package plan

// Place is where an operand of a step lies, or where its result goes.
type Place uint8

// The places. Input and Output are the user's buffers, which in an in-place call are the same memory; unless a program is
// made for buffers that lie apart, it is ordered, and checked, as if they always were.
const (
	Nowhere Place = iota
	Input
	Output
	Scratch // private memory of the operation: Program.Scratch blocks
	Message // the next message from a peer
)

// Location is a block of a buffer. A step touches one part of it: Step.Part.
type Location struct {
	Place Place
	Block int
}

// Operand is one input of a step.
type Operand struct {
	Location     // a Message has no block
	From     int // the sending rank, for Message
	Channel  int // the channel it comes on, for Message
	Map      Map // applied first
}

// Map is a function that is applied to each element of an operand.
type Map uint8

// The maps: both serve averages.
const (
	Identity Map = iota
	Scale        // times 1/ranks; for floats, before the sum
	Divide       // divided by ranks, toward zero; for integers, after the sum
)

// Step is one instruction: its operands, one or more, are reduced from left to right, ((o0 op o1) op o2)…; the result is
// stored, sent, or both. All of them are the same part of a block, and the step covers the slices of that part in order.
//
// The usual names: Input→To send; Message→Output recv; Message op Input→Output recv-reduce; the same with To
// recv-reduce-send; Message→To recv-send; Input→Output copy.
type Step struct {
	Part     int
	Operands []Operand
	Store    Location // in Output or Scratch; Place is Nowhere when the result is only sent

	// To are the ranks that get the result as a message, on Channel. All are sent the same slot, which is written once.
	To      []int
	Channel int
	// Eager sends leave the result in a slot or in the message itself even where the peers could read it in place, so
	// that the place may be overwritten at once.
	Eager bool

	// The rest is derived by order().

	// After lists what must be finished before this step does a slice.
	After []Dependency
	// Stride says, for each of To, how many steps send on that queue: the step's messages are so far apart on it.
	Stride []int
}

// Dependency is a step that a step waits for: before slice k, that one must have finished slice k-Lag.
type Dependency struct {
	Step int
	// Lag is 0 for an earlier step of the program, 1 for a later one: the slice before.
	Lag int
	// Read means that the peers must also have read what that step sent in place, since this step overwrites it.
	Read bool
}

// Channels is the number of independent message queues between two ranks. A queue is first in, first out. Each rank has
// slots for each channel, taken in turn.
const Channels = 2

// Program is what one rank does in one collective, whatever the count.
type Program struct {
	Builder string // the name of the algorithm
	Parts   int    // into how many parts each block is cut
	Scratch int    // blocks of private memory
	Apart   bool   // it may only run where input and output are different memory
	Steps   []Step

	// Senders are the steps that send on each channel, in order; derived by order(). They take the channel's slots in
	// turn: all that need one for their first slice, then all that need one for their second.
	Senders [Channels][]int
}

// inputs, outputs, scratch and message make operands; the first three, as locations, also say where to store.
func input(block int) Operand   { return Operand{Location: Location{Input, block}} }
func output(block int) Operand  { return Operand{Location: Location{Output, block}} }
func scratch(block int) Operand { return Operand{Location: Location{Scratch, block}} }
func message(from, channel int) Operand {
	return Operand{Location: Location{Place: Message}, From: from, Channel: channel}
}

// of lists the operands of a step.
func of(operands ...Operand) []Operand { return operands }
