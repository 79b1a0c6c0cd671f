// Package memfd makes memory that has a descriptor and no name: it can be given to another process, clashes with nothing,
// and is gone with its last user. Start at [Create].
//
// May import: nothing of hcomm. Imported by: link/shm, hmm.
package memfd
