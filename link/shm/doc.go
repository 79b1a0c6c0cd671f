// Package shm moves messages between ranks of one host through memory that they share.
//
// Each rank owns one [Segment], which all ranks map. In it every peer has an inbox: for each channel a ring of eight
// entries with the flag, the header and up to 2240 bytes of payload; so a small message is one write of one cache line.
// Larger payloads lie in a slot of the sender, cut from its pool for the channel (pool.go), in its window (memory of
// package hmm), or elsewhere in its memory, which the kernel reads (remote_unsafe.go), and the entry says where. The
// receiver answers with one counter in the sender's segment, and tells beside it whether their processors share a cache
// (distance.go). [Layout] has the exact places.
//
// Every word is written by one rank only, except the bell and the verdict. Flags are release stores and acquire loads;
// how a rank sleeps without a fence in the senders' path is told at [Port.Arm].
//
// Start at [Layout], then port.go.
//
// May import: link, simd, memfd, forked. Imported by: engine, capi.
package shm
