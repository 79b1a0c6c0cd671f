package plan

import "math"

// Model is what a machine's links and memory take, in seconds; the cost of a builder is a formula over it, in which α, o,
// β, γ and δ are these times and the other letters are
//
//	n  ranks
//	m  bytes of a block
//	L  log2 of n, rounded up
//	K  slices of a part: at least one, of no more than Slice bytes
//	w  bytes of a slice
//
// A rank does one thing at a time, copying and reducing included. See docs/collectives.md.
type Model struct {
	Latency  float64 // α: from a post to when the receiver has seen it
	Overhead float64 // o: the work of one message, on each side
	Copy     float64 // β: to write a byte for other ranks or for oneself, or to read one that another rank has written
	Reduce   float64 // γ: to reduce one byte, once it is there
	Memory   float64 // δ: a byte's share of the memory that all ranks use: together they write and read 1/δ in a second

	Slice  float64 // bytes of a slot, and so of a slice, at most
	Slots  int     // that a rank has on each channel
	Inline float64 // bytes that a message can have without a slot
	Few    int     // up to so many ranks such messages are exchanged in C if the program is a collective's simplest
}

// Host is the model of ranks on one host, after measurements with 2 to 8 ranks on a 2-core guest (AMD EPYC of family 25),
// 2026-11. The latency is between that of ranks with a core each (a quarter of a microsecond) and of ranks that share
// cores (several); that two ranks can use the memory at full speed at once, and more cannot, is assumed. An allreduce of
// 2 KiB among 8 ranks takes 13 µs in C and 50 by the builder that the formulas choose.
var Host = Model{
	Latency: 300e-9, Overhead: 60e-9, Copy: 1 / 10e9, Reduce: 1 / 12e9, Memory: 1 / 20e9,
	Slice: 32 << 10, Slots: 4, Inline: 2240, Few: 8,
}

// Slices is into how many a part is cut, and how many bytes each has.
func (m Model) Slices(part float64) (count, bytes float64) {
	count = 1
	if m.Slice > 0 {
		count = max(1, math.Ceil(part/m.Slice))
	}
	return count, part / count
}

// work is what one rank does: messages that it posts or takes, slices that it copies, slices that it reduces.
type work struct{ messages, copies, reductions float64 }

func (w work) seconds(m Model, slice float64) float64 {
	return w.messages*m.Overhead + slice*(w.copies*m.Copy+w.reductions*m.Reduce)
}

// effort is what an algorithm takes for one slice of each part.
type effort struct {
	parts     float64
	latencies float64 // on the longest path through the ranks
	path      work    // on that path; if it is empty, the path is one rank's busy time
	busy      work    // of the rank with most to do, which each further slice takes
	traffic   float64 // slices that all ranks together copy
}

// estimate makes the cost of an algorithm from its effort: the first slice goes along the longest path, the others follow
// as fast as the busiest rank allows, and all ranks share the memory.
func estimate(f func(n, rounds float64) effort) func(m Model, ranks int, bytes float64) float64 {
	return func(m Model, ranks int, bytes float64) float64 {
		if ranks == 1 {
			return bytes * m.Copy
		}
		n := float64(ranks)
		e := f(n, math.Ceil(math.Log2(n)))
		slices, w := m.Slices(bytes / e.parts)
		if e.path == (work{}) {
			e.path = e.busy
		}
		seconds := e.latencies*m.Latency + e.path.seconds(m, w) + (slices-1)*e.busy.seconds(m, w)
		return max(seconds, e.traffic*slices*w*m.Memory)
	}
}
