package plan

// In the direct algorithms everybody exchanges with everybody, in one round.

var directAllReduce = Builder{
	Name: "direct", Collective: AllReduce, Order: OneFold, Build: buildDirectAllReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, busy: work{2 * (n - 1), n, n - 1}, traffic: n * n}
	}),
	Formula: "α + K(2(n-1)o + nwβ + (n-1)wγ), at least n²mδ",
	Source:  "-",
	About:   "Every rank sends its whole input to all others and folds everyone's itself.",
}

// buildDirectAllReduce sends eagerly, since each rank overwrites what it sends in the step in which it reads the others'.
func buildDirectAllReduce(r Role) Program {
	p := Program{Builder: "direct", Parts: 1}
	if r.Ranks > 1 {
		p.add(Step{Operands: of(input(0)), To: others(r.Rank, r.Ranks), Eager: true})
	}
	p.add(Step{Operands: inRankOrder(r, input(0), 0), Store: output(0).Location})
	return p.order()
}

var directAllGather = Builder{
	Name: "direct", Collective: AllGather, Rotates: true, Build: buildDirectAllGather,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, busy: work{2 * (n - 1), n + 1, 0}, traffic: n * (n + 1)}
	}),
	Formula: "α + K(2(n-1)o + (n+1)wβ), at least n(n+1)mδ",
	Source:  "-",
	About:   "Every rank sends its block once, to all others.",
}

func buildDirectAllGather(r Role) Program {
	p := Program{Builder: "direct", Parts: 1}
	p.add(Step{Operands: of(input(r.Rank)), Store: output(r.Rank).Location, To: others(r.Rank, r.Ranks)})
	for _, q := range others(r.Rank, r.Ranks) {
		p.copy(message(q, 0), output(q))
	}
	return p.order()
}

var directReduceScatter = Builder{
	Name: "direct", Collective: ReduceScatter, Order: OneFold, Build: buildDirectReduceScatter,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, busy: work{2 * (n - 1), 2 * (n - 1), n - 1}, traffic: 2 * n * (n - 1)}
	}),
	Formula: "α + K(2(n-1)(o + wβ) + (n-1)wγ), at least 2n(n-1)mδ",
	Source:  "-",
	About:   "Every rank sends each other one its block, and folds everyone's of its own.",
}

// buildDirectReduceScatter has all ranks send in the same order of blocks. So the first block that is not complete is what
// everybody works for, however few slots there are.
func buildDirectReduceScatter(r Role) Program {
	p := Program{Builder: "direct", Parts: 1}
	for q := range r.Ranks {
		if q != r.Rank {
			p.add(Step{Operands: of(input(q)), To: []int{q}})
		}
	}
	p.add(Step{Operands: inRankOrder(r, input(r.Rank), 0), Store: output(r.Rank).Location})
	return p.order()
}
