package simgrid

import (
	"iter"

	"hcomm/topo"
)

// Experiment is what several lanes do at the same time. Each has a process on every rank.
type Experiment struct {
	About   string // for who reads the files
	Network *topo.Network
	Lanes   []Lane
}

// Lane is one of them.
type Lane struct {
	Ports   []topo.Port                     // by rank
	Actions func(rank int) iter.Seq[Action] // what the rank does, in order; may be asked for more than once
}

// Action is one thing that a rank does: it takes messages, waiting for them in turn, works, and sends messages, for which it
// does not wait.
type Action struct {
	Receives []Message
	Seconds  float64
	Sends    []Message
}

// Message is one from or to another rank. Those of one queue are received in the order in which they were sent.
type Message struct {
	Peer, Queue int
	Bytes       float64
}
