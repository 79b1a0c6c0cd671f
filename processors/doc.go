// Package processors says how many processors this process may use. Start at [Quota].
//
// May import: nothing of hcomm. Imported by: engine, cmd/hcomm/launch.
package processors
