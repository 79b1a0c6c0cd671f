// Package hmm is the memory that hcomm works on. Today it has one kind beside ordinary memory: the arena, one memfd of
// each process that all ranks of a host map read-only, from which hcommMemAlloc takes its pieces; so a peer can read a
// buffer in place and nobody but its owner can ever write to it. What a user has from elsewhere, [Register] makes
// shared: pages of the arena take the place of the private ones.
//
// Start at [Alloc], [Register] and [Shared].
//
// May import: memfd, forked. Imported by: engine, capi, cmd/hcomm/bench.
package hmm
