// Package lanes lays several rings over the same ranks, one for each rail, each NUMA domain, or as many as asked, and says
// how much of the data each of them carries.
//
// [Build] makes the rings from a network, [Split] cuts a block into one range for each, and [Shares] keeps their shares
// in step with the speeds that are measured; [Shared] says which links two lanes have in common, and line.go how long a
// lane takes, by what was measured. testdata has scenarios of measured speeds, which scenario_test.go explains. The
// package is pure: no clock, no socket; the same input gives the same lanes and the same shares on every rank.
//
// May import: ring, topo. Imported by: cmd/hcomm.
package lanes
