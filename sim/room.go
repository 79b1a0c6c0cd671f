package sim

import "fmt"

// Bounds of what a simulation takes: of each, as much as some gigabytes hold.
const (
	mostPairs     = 1 << 24
	mostSteps     = 1 << 28
	mostCrossings = 1 << 28 // links on the routes of all pairs
)

// room is an error if so much has no room.
func room(pairs, steps, crossings int) error {
	switch {
	case pairs > mostPairs:
		return fmt.Errorf("more than %d pairs of ranks would send to each other", mostPairs)
	case steps > mostSteps:
		return fmt.Errorf("the ranks would have more than %d steps in all", mostSteps)
	case crossings > mostCrossings:
		return fmt.Errorf("the ways between ranks would have more than %d links in all", mostCrossings)
	}
	return nil
}

// roomFor is an error if n ranks that each do as much as the least of some programs have no room. It comes before there is a
// program for each rank, which takes time and memory, too.
func roomFor(n int, some ...*program) error {
	peers, steps := len(some[0].peers), some[0].count()
	for _, c := range some[1:] {
		peers, steps = min(peers, len(c.peers)), min(steps, c.count())
	}
	return room(n*peers, n*steps, 0)
}
