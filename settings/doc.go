// Package settings declares every HCOMM_* variable once: name, default, range and one line of help. Start at [Table].
//
// May import: nothing of hcomm. Imported by: engine, tune, cmd/hcomm, cmd/hcomm/man, docs/gen.
package settings
