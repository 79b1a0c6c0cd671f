package plan

import (
	"fmt"
	"strings"
)

// Collective says what a program computes. The values travel between ranks in every message.
type Collective uint8

// The collectives. A buffer is made of blocks of count elements each: of one, or of one for each rank; see [Shape].
const (
	AllReduce     Collective = 1 + iota // every output is the reduction of all inputs
	Broadcast                           // every output is the root's input
	Barrier                             // no data; nobody leaves before everybody came
	Reduce                              // the root's output is the reduction of all inputs
	AllGather                           // block q of every output is rank q's input
	ReduceScatter                       // rank r's output is the reduction of block r of all inputs
	AlltoAll                            // block q of rank r's output is block r of rank q's input
	Gather                              // block q of the root's output is rank q's input
	Scatter                             // rank r's output is block r of the root's input
	collectives
)

// Names are those that users know from hcomm.h.
var Names = [collectives]string{
	AllReduce: "AllReduce", Broadcast: "Broadcast", Barrier: "Barrier", Reduce: "Reduce", AllGather: "AllGather",
	ReduceScatter: "ReduceScatter", AlltoAll: "AlltoAll", Gather: "Gather", Scatter: "Scatter",
}

// Collectives lists all of them.
func Collectives() []Collective {
	all := make([]Collective, 0, collectives-1)
	for c := AllReduce; c < collectives; c++ {
		all = append(all, c)
	}
	return all
}

// ParseCollective finds a collective by its name, in any case.
func ParseCollective(name string) (Collective, error) {
	var known []string
	for _, c := range Collectives() {
		if strings.EqualFold(name, c.String()) {
			return c, nil
		}
		known = append(known, strings.ToLower(c.String()))
	}
	return 0, fmt.Errorf("%.80q is no collective; there are %s", name, strings.Join(known, ", "))
}

// String is the name that users know from hcomm.h.
func (c Collective) String() string {
	if c == 0 || c >= collectives {
		return fmt.Sprintf("collective %d", uint8(c))
	}
	return Names[c]
}

// Rooted says whether one rank has a role of its own.
func (c Collective) Rooted() bool {
	return c == Broadcast || c == Reduce || c == Gather || c == Scatter
}

// Reduces says whether operands are combined.
func (c Collective) Reduces() bool { return c == AllReduce || c == Reduce || c == ReduceScatter }

// Role is one rank's place in a collective.
type Role struct {
	Rank, Ranks int
	Root        int  // of a rooted collective
	InPlace     bool // this rank's input and output are the same memory, block by block
}

// Extent says which blocks a buffer holds.
type Extent uint8

// The extents.
const (
	None Extent = iota // the rank has no such buffer
	Own                // one block only, of the rank's number, at the buffer's start
	All                // every block
)

// Shape says what the buffers of a rank hold. In an in-place call a block that both hold is the same memory.
type Shape struct {
	Blocks        int // in a buffer that holds all
	Input, Output Extent
}

// Shape of a rank's buffers.
func (c Collective) Shape(r Role) Shape {
	atRoot := func(e Extent) Extent {
		if r.Rank == r.Root {
			return e
		}
		return None
	}
	switch c {
	case AllReduce:
		return Shape{1, All, All}
	case Broadcast:
		return Shape{1, atRoot(All), All}
	case Reduce:
		return Shape{1, All, atRoot(All)}
	case AllGather:
		return Shape{r.Ranks, Own, All}
	case ReduceScatter:
		return Shape{r.Ranks, All, Own}
	case AlltoAll:
		return Shape{r.Ranks, All, All}
	case Gather:
		return Shape{r.Ranks, Own, atRoot(All)}
	case Scatter:
		return Shape{r.Ranks, atRoot(All), Own}
	}
	return Shape{1, All, All} // a barrier, whose buffers have no bytes
}
