// Package launch runs a program as the ranks of one job on this host and sees to their end.
//
// Start at [Job]; [Job.Run] starts the ranks and returns when they, and whatever they left behind, are gone. All that
// happens to a job (a rank ends, a signal, a clock) passes through one loop, [running.loop], so nothing in it needs a
// lock; only what the ranks print passes through goroutines of its own, see [output].
//
// May import: processors. Imported by: cmd/hcomm.
package launch
