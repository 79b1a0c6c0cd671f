// Package svg has what all pictures of the command share: how they are written, and what their style begins with. Start at
// [Buffer].
//
// May import: nothing of hcomm. Imported by: cmd/hcomm/curves, cmd/hcomm/draw, cmd/hcomm/topodraw.
package svg
