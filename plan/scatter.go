package plan

// ScatterGather builds the allreduce for large messages: a pipelined reduce-scatter and allgather, in which each rank
// owns one chunk, reduces it from everyone's input and sends the result to all.
//
// Each rank reads and writes 2*(ranks-1)/ranks of the buffer. The owner r folds its neighbours first and goes outwards,
// … x[r-2] op ((x[r-1] op x[r]) op x[r+1]) …: every operand stays on its side, and no scratch is needed in place. The
// ranks also send in this order, nearest first and upwards before downwards; so the first message that has not been
// folded is always the next one for both its ends, and one slot on each rank is enough. The two stages use two channels,
// for a slice that waits to be reduced must not hold up one that is finished.
func ScatterGather(rank, ranks int) Program {
	const scatter, gather = 0, 1
	p := Program{Builder: "scatter-gather", Chunks: ranks}
	for d := 1; d < ranks; d++ {
		for _, owner := range within(ranks, rank+d, rank-d) {
			p.Steps = append(p.Steps, Step{Chunk: owner, A: at(Input), To: []int{owner}, Channel: scatter})
		}
	}
	own := at(Input)
	fold := func(q int) {
		s := Step{Chunk: rank, A: own, B: fromMessage(q, scatter), Store: Output}
		if q < rank {
			s.A, s.B = s.B, s.A
		}
		p.Steps = append(p.Steps, s)
		own = at(Output)
	}
	for d := 1; d < ranks; d++ {
		for _, q := range within(ranks, rank-d, rank+d) {
			fold(q)
		}
	}
	if ranks == 1 {
		p.Steps = append(p.Steps, Step{A: own, Store: Output})
	}
	last := &p.Steps[len(p.Steps)-1]
	last.To, last.Channel = others(rank, ranks), gather
	for _, owner := range others(rank, ranks) {
		p.Steps = append(p.Steps, Step{Chunk: owner, A: fromMessage(owner, gather), Store: Output})
	}
	return p.order()
}

// within keeps those that are ranks.
func within(ranks int, some ...int) []int {
	var kept []int
	for _, r := range some {
		if r >= 0 && r < ranks {
			kept = append(kept, r)
		}
	}
	return kept
}
