// Package stack makes room on the stack of the calling goroutine.
//
// A call from C runs on a goroutine's stack of a few KiB. A signal handler of the program that has not asked for the
// alternate stack (SA_ONSTACK) runs there too, and overruns it. Start at [Reserve].
//
// May import: nothing of hcomm. Imported by: capi.
package stack
