package simd

// LatencyBytes is how much of a buffer [Latency] looks at.
const LatencyBytes = 30 * 64

// Latency reads eight cache lines of the first [LatencyBytes] of b, none before the one before it is there, and returns how
// many ticks of the time-stamp counter that took, page faults apart: 0 where there is no telling. It shows whether another
// processor that has just written them shares a cache with this one.
func Latency(b []byte) uint64 {
	return readTicks(&b[:LatencyBytes][0])
}
