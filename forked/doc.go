// Package forked keeps the list of descriptors that a forked child must close, where a handler written in C can read
// it: after fork a child of a Go program may run hardly anything else. Start at [Track].
//
// May import: nothing of hcomm. Imported by: who opens descriptors that stay open (hmm, link/shm, meet, memfd, observe,
// status), and capi.
package forked
