// Package chaos is a transport for tests: links in one process that deliver messages in pieces, late, and in any order
// that the contract of [link.Port] allows, as a seed chooses.
//
// A [World] holds the ports of all ranks and what is under way between them. Nothing happens by itself: [World.Step]
// lets one thing happen. A test that steps the ranks and the world in an order drawn from the same seed replays
// exactly. Memory that nobody may read holds [Poison]: the receiver's before all pieces are there, and after its
// release.
//
// May import: link. Imported by: tests.
package chaos
