// Package man writes manual pages from the commands, so that a page and --help say the same. The command itself does
// not import it: a test of cmd/hcomm writes docs/man.
//
// May import: settings. Imported by: tests of cmd/hcomm.
package man
