// Package tuner finds out which algorithm and which slices are the fastest for each collective and size on this host.
//
// A [Plan] says what is compared; [Plan.RunRank] is one rank of it. All ranks go through the same candidates in the
// same order and see the same times, so that all drop the same ones. Start at measure.go.
//
// May import: cmd/hcomm/bench, engine, plan, simd, tune. Imported by: cmd/hcomm.
package tuner
