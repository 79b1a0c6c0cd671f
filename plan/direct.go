package plan

// Direct builds the allreduce for small messages: every rank sends its whole input to every other and reduces all of
// them itself, in rank order: ((x0 op x1) op x2)…, so it keeps the order of operands. One message time; (ranks-1) times
// the bytes. The chunk must fit the scratch buffer.
func Direct(rank, ranks int) Program {
	p := Program{Builder: "direct", Chunks: 1}
	own := Input
	send := Step{A: at(Input), To: others(rank, ranks), Eager: true}
	if rank >= 2 {
		// x0 op x1 will be stored in the output, which may be the input.
		send.Store, own = Scratch, Scratch
	}
	if ranks == 1 {
		send.Store = Output
	}
	p.Steps = append(p.Steps, send)
	operand := func(q int) Operand {
		if q == rank {
			return at(own)
		}
		return fromMessage(q, 0)
	}
	left := operand(0)
	for q := 1; q < ranks; q++ {
		p.Steps = append(p.Steps, Step{A: left, B: operand(q), Store: Output})
		left = at(Output)
	}
	return p.order()
}

// others lists all ranks but one, starting behind it, so that not all ranks turn to rank 0 first.
func others(rank, ranks int) []int {
	to := make([]int, 0, ranks-1)
	for i := 1; i < ranks; i++ {
		to = append(to, (rank+i)%ranks)
	}
	return to
}
