// Package memfd makes memory that has a descriptor and no name: it can be given to another process, clashes with
// nothing, and is gone with its last user. Start at [Create].
//
// May import: forked. Imported by: link/shm, hmm.
package memfd
