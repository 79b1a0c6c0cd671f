// Package hmm is the memory that hcomm works on. Today it has one kind beside ordinary memory: the arena, one memfd of
// each process that all ranks of a host map read-only, from which hcommMemAlloc takes its pieces; so a peer can read a
// buffer in place and nobody but its owner can ever write to it.
//
// Start at [Alloc] and [Shared]. May import: memfd, forked. Imported by: engine, capi, cmd/hcomm/bench.
package hmm
