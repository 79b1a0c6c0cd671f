// Package plan holds collectives as data: for each algorithm a builder, a pure function that gives every rank a short
// [Program] of [Step]s over the parts of its buffers.
//
// One program serves several readers: the engine's executor runs it on real links, and [Check] runs it on symbols, in
// many orders, to prove that every result holds each contribution exactly once and that nothing is overwritten or
// awaited for ever. The package is pure: no clock, no memory of the job, no sockets. Start at [Step], then [Builder],
// builders.go and direct.go.
//
// May import: nothing of hcomm. Imported by: engine, tune, capi, sim, sim/simgrid, cmd/hcomm, cmd/hcomm/bench,
// cmd/hcomm/draw, cmd/hcomm/tuner, docs/gen.
package plan
