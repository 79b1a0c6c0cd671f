// Package status lets a process tell other programs of its user what its communicators do, and asks such processes.
//
// A process tells through an abstract Unix socket that is named after its user and number: whoever connects and is the
// same user, or root, gets one [Process] as JSON, and nothing is read from him. While nobody asks, that costs nothing
// but the socket: a goroutine waits in the runtime's poller.
//
// Start at tell.go for the side that tells, at ask.go for the one that asks; types.go is what is told.
//
// May import: forked. Imported by: engine, cmd/hcomm.
package status
