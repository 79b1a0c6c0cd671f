// Package sim says how long the programs of package plan take on a network of package topo, for up to thousands of ranks,
// and what they send over each link.
//
// Each message is a flow over its route. At any time the flows share all links fairly (max-min: nobody can get more but
// from somebody who has no more than he); it arrives the route's latency after it has left. A rank has a processor for
// each lane, which takes its time for messages, copies and reductions as plan.Model has it. There is always room for what
// arrives.
//
// The package is pure, and the same job has the same result everywhere. Start at [Run]. simulation.go has a job under way
// and what happens next, program.go the steps of a rank, actor.go what its processor does when, flow.go messages on their
// way, fair.go how these share links, solve.go whose shares are made anew, and events.go what is due at which time.
//
// May import: plan, topo. Imported by: lanes, sim/simgrid, cmd/hcomm.
package sim
