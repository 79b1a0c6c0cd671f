// Package draw draws the programs of all ranks as one picture: a column for each rank, time downwards in rounds, a box
// for each step, an arrow for each message.
//
// What it shows is worked out from the programs alone, for one slice, as if a step took one round: [Trace] matches the
// messages, first in, first out, and lets each step wait for what it must. [SVG] makes the picture. The package is
// pure, and the same programs give the same bytes.
//
// May import: plan, cmd/hcomm/svg. Imported by: cmd/hcomm, docs/gen.
package draw
