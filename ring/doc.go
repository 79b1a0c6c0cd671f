// Package ring turns what is known about the links between nodes into the order in which they pass data on: a ring whose
// total cost is low, and whose slowest hop is fast.
//
// It is pure: no clock, no socket, and no number in it depends on the machine, so all ranks find the same ring. Start at
// [Build]. graph.go makes integers of the costs, canonical.go forgets how the nodes were numbered, closure.go makes the
// costs metric (ways.go finds cheaper ways; twins.go and metric.go save it work). find.go has the steps: christofides.go
// (with tree.go, and matching.go and blossom.go) and dendrogram.go make the first rings, local.go and kick.go better ones,
// slowest.go those with a faster slowest hop, exact.go the best one of few nodes, and bound.go says how far that is from
// what no ring can go below. read.go and tsplib.go read files.
//
// May import: nothing of hcomm. Imported by: topo, lanes, sim, cmd/hcomm.
package ring
