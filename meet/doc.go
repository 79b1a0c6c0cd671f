// Package meet is how the ranks of a job on one host find each other, prove that they belong, and give each other small
// cards and file descriptors through rank 0.
//
// Start at [FromEnv] or [NewID] (where to meet), then [Join] (until all are there), then [Session.Exchange] (what the
// ranks tell each other). Rank 0's side is root.go and door.go, the others' guest.go and ask.go; both end in a
// [Session]. roster.go, proof.go and frame.go are pure: no clock, no socket. Every wait goes through patience.go, every
// socket through socket.go. No goroutine is left running, ever: rank 0 is one loop over poll(2), in the caller's
// thread.
//
// # Protocol
//
// The meeting is on an abstract Unix SOCK_SEQPACKET socket of rank 0, which closes when all are there, before anybody
// is told so; the next meeting may be at the same point. A job that only knows host:port goes there first, over TCP,
// for the name of that socket.
//
//	root → rank  challenge  meeting number, nonce                      over TCP and over Unix alike;
//	rank → root  proof      rank, nonce, HMAC-SHA256                   uids are compared before (Unix), and
//	root → rank  answer     HMAC-SHA256, socket name (TCP)             no descriptor is let in until here
//	rank → root  hello      protocol version, rank, size, patience
//	root → rank  welcome    ... go when all are there, or fail with the reason
//	rank → root  card       number of the exchange, data, descriptors
//	root → rank  card × size
//	either way   leave      with the reason
//
// Who fails the proof, or takes longer than 2 s, is dropped without a word and counted. Who passes it and contradicts
// rank 0, dies or leaves ends the meeting for all, with one text for all. The most impatient rank's time is everyone's.
//
// May import: forked. Imported by: engine, capi.
package meet
