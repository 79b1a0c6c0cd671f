//go:build amd64 || arm64

// Package stack makes room on the stack of the calling goroutine.
//
// A call from C runs on a goroutine's stack of a few KiB. A signal handler of the program that has not asked for the
// alternate stack (SA_ONSTACK) runs there too, and overruns it. May import: nothing of hcomm. Imported by: capi.
package stack

// Bytes is the room that Reserve makes.
const Bytes = 64 << 10

// Reserve has the runtime give the goroutine a stack with at least Bytes free below the caller. It costs 2 ns when that
// is so already. The collector may take the room back while the goroutine does not use it; so it is made at each call.
func Reserve()
