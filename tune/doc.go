// Package tune holds tables that say which algorithm, and which size of a slice, a collective takes, by what was
// measured: per collective, number of ranks, and whether these are more than the processors, ranges of block sizes.
// Where a table says nothing, the cost model of plan does.
//
// A table is a file in JSON (read.go, write.go; docs/tune.schema.json), travels between ranks in a short form
// (encode.go), and is checked whole wherever it comes from. One is built in (default.json). Start at [Table].
//
// May import: plan, settings. Imported by: engine, cmd/hcomm, cmd/hcomm/tuner, docs/gen.
package tune
