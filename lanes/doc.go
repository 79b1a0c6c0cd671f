// Package lanes lays several rings over the same ranks, one for each rail, each NUMA domain, or as many as asked, and says
// how much of the data each of them carries.
//
// [Build] makes the rings from a network, [Split] cuts a block into one range for each, and [Shares] keeps their shares in
// step with the speeds that are measured. The package is pure: no clock, no socket; the same input gives the same lanes and
// the same shares on every rank.
//
// May import: ring, topo. Imported by: cmd/hcomm.
package lanes
