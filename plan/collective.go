package plan

import "fmt"

// Collective says what a program computes. The values travel between ranks in every message.
type Collective uint8

// The collectives. In all of them count is the number of elements in a rank's whole buffer.
const (
	AllReduce Collective = 1 + iota // every output is the reduction of all inputs
	Broadcast                       // every output is the root's input
	Barrier                         // no data; nobody leaves before everybody came
)

// String is the name that users know from hcomm.h.
func (c Collective) String() string {
	switch c {
	case AllReduce:
		return "AllReduce"
	case Broadcast:
		return "Broadcast"
	case Barrier:
		return "Barrier"
	}
	return fmt.Sprintf("collective %d", uint8(c))
}
