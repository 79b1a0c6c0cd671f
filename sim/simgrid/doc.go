// Package simgrid writes an experiment of package sim for SimGrid, another simulator, so that the two can be compared: a
// platform, a trace of what each rank does, and a script that has SMPI, SimGrid's MPI, replay it (smpirun -replay).
//
// Both then model the same: the directed links of the topology, which all messages that cross them share max-min fairly;
// ranks that do one thing at a time; messages from one rank to another in turn, each first transferred, then delayed by
// the latencies of its links. SMPI left to itself does otherwise: it pays the latency first, gives flows with higher
// latencies smaller shares, and lets messages between two ranks overtake each other. So the latencies are taken off the
// links, and between two ranks there is a wire: one more process, which takes the messages one after the other over
// the links and sends word of each on, over a link of its own that has the latency and no limit.
//
// [Record] simulates a job and makes an [Experiment] of it. Start at [Write]: platform.go writes the platform, trace.go
// the trace, wire.go has the processes of both, and compare_test.go holds SMPI's times to those of package sim.
//
// May import: plan, sim, topo. Imported by: cmd/hcomm.
package simgrid
