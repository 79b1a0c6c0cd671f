package plan

// Place is where an operand of a step lies.
type Place uint8

// The places. Input and Output are the user's buffers, which in an in-place call are the same memory: programs are
// ordered, and checked, as if they always were.
const (
	Nowhere Place = iota
	Input         // the step's chunk of the input buffer
	Output        // the step's chunk of the output buffer
	Scratch       // the step's chunk of a private buffer; only small messages use it
	Message       // the next message from a peer
)

// Operand is one input of a step.
type Operand struct {
	Place   Place
	From    int // the sending rank, for Message
	Channel int // the channel it comes on, for Message
}

// Map is a function that a step applies to each element of its only operand.
type Map uint8

// The maps: both serve averages.
const (
	Identity Map = iota
	Scale        // times 1/ranks; for floats, before the sum
	Divide       // divided by ranks, toward zero; for integers, after the sum
)

// Step is one instruction: result = Map(A) or A op B; the result is stored, sent, or both. A is the left operand of the
// reduction. The step covers all slices of its chunk in order.
//
// The forms and their usual names: Input→To send; Message→Output recv; Message op Input→Output recv-reduce; the same
// with To recv-reduce-send; Input→Output copy.
type Step struct {
	Chunk int
	A, B  Operand // B.Place is Nowhere when nothing is reduced
	Map   Map     // Identity unless B.Place is Nowhere
	Store Place   // Output, Scratch, or Nowhere

	// To are the ranks that get the result as a message, on Channel. All are sent the same slot, which is written once.
	To      []int
	Channel int
	// Eager sends leave the result in a slot or in the message itself even where the peers could read it in place, so
	// that the place may be overwritten at once.
	Eager bool

	// Token marks a step of exactly one empty message, for barriers.
	Token bool

	// After lists earlier steps of the program that must have finished slice k before this step does slice k. The
	// builders leave it to order().
	After []Dependency
}

// Dependency is an earlier step that a step waits for.
type Dependency struct {
	Step int
	// Whole means that all slices of the step must be done, not only the same one.
	Whole bool
	// Read means that the peers must have read what the step sent in place, since this step overwrites it.
	Read bool
}

// Channels is the number of independent message queues between two ranks. A message queue is first in, first out;
// stages that must not wait for each other use different channels.
const Channels = 2

// Program is what one rank does in one collective, whatever the count.
type Program struct {
	Builder string // the name of the algorithm
	Chunks  int    // into how many chunks the buffers are cut
	Steps   []Step
}

func fromMessage(from, channel int) Operand {
	return Operand{Place: Message, From: from, Channel: channel}
}

func at(p Place) Operand { return Operand{Place: p} }
