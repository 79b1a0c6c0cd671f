// Package bench times collectives and verifies their results.
//
// A [Plan] says what is measured; [Plan.RunRank] is one rank of it. Every iteration rewrites the input, synchronises,
// times the call, then reads the whole output and compares it: no figure rests on data that lay unmodified in a cache,
// and none on a wrong result. A row is about the time from the last rank's entry to the last rank's return.
//
// May import: engine, hmm, plan, simd. Imported by: cmd/hcomm, cmd/hcomm/tuner.
package bench
