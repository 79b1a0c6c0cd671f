// Package link says what a transport has to offer so that programs can run over it: ordered queues of messages between
// ranks whose receive side hands out the arrived bytes where they lie, and whose send side hands out the memory to
// fill.
//
// Start at [Port].
//
// May import: nothing of hcomm. Imported by: engine; implemented by link/shm and, for tests, link/chaos.
package link
