package plan

// ScatterGather builds the allreduce for large messages: a pipelined reduce-scatter and allgather, in which each rank
// owns one chunk, reduces it from everyone's input and sends the result to all.
//
// Each rank reads and writes 2*(ranks-1)/ranks of the buffer. The owner r folds the lower ranks from the right and then
// the higher ones from the left, x0 op (… op (x[r-1] op x[r])) op x[r+1] …: every operand stays on its side, and no
// scratch is needed in place. The two stages use two channels, for a slice that waits to be reduced must not hold up
// one that is finished.
func ScatterGather(rank, ranks int) Program {
	const scatter, gather = 0, 1
	p := Program{Builder: "scatter-gather", Chunks: ranks}
	for _, owner := range others(rank, ranks) {
		p.Steps = append(p.Steps, Step{Chunk: owner, A: at(Input), To: []int{owner}, Channel: scatter})
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
	for q := rank - 1; q >= 0; q-- {
		fold(q)
	}
	for q := rank + 1; q < ranks; q++ {
		fold(q)
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
