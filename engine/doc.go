// Package engine runs collectives and messages from point to point: communicators, their operations, the executor of
// programs, the matching of messages, and how a rank waits.
//
// A [Comm] is one rank of a communicator. A call checks its arguments (arguments.go), chooses a program (choose.go),
// and steps it on the caller's thread until it is done (executor.go, wait.go): no other goroutine takes part, nothing
// is allocated, and no lock is held. Start at comm.go.
//
// A message goes another way (pointtopoint.go): a packet (packet.go) finds its receive (matching.go), and a transfer
// moves what does not fit it (transfer.go, arriving.go). Calls wait for either by one policy.
//
// Requests, streams and groups put calls in line as tasks (work.go, task.go), which whoever has the claim on the
// communicator steps, also while the program computes (worker.go). A wait has clocks (clocks.go), and finds out who is
// late (late.go).
//
// May import: plan, link, link/shm, hmm, simd, meet, settings, observe, processors, status, tune. Imported by: capi,
// cmd/hcomm/bench, cmd/hcomm/tuner.
package engine
