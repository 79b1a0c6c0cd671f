//go:build amd64 || arm64

package stack

// Bytes is the room that Reserve makes.
const Bytes = 64 << 10

// Reserve has the runtime give the goroutine a stack with at least Bytes free below the caller. It costs 2 ns when that
// is so already. The collector may take the room back while the goroutine does not use it; so it is made at each call.
func Reserve()
