// Package ring turns what is known about the links between nodes into the order in which they pass data on: a ring whose
// total cost is low, and whose slowest hop is.
//
// It is pure: no clock, no socket, and no number in it depends on the machine, so all ranks find the same ring. Start at
// [Build]. graph.go makes integers of the costs, closure.go makes them metric; christofides.go and dendrogram.go make the
// first rings, local.go and kick.go better ones, exact.go the best one of few nodes, and bound.go says how far that is
// from what no ring can go below.
//
// May import: nothing of hcomm. Imported by: topo, lanes, sim, cmd/hcomm.
package ring
