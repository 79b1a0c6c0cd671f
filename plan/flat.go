package plan

// In the flat algorithms the root exchanges with everybody itself.

var flatBroadcast = Builder{
	Name: "flat", Collective: Broadcast, Build: buildFlatBroadcast,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, path: work{n, 3, 0}, busy: work{n - 1, 2, 0}, traffic: n + 1}
	}),
	Formula: "α + no + 3wβ + (K-1)((n-1)o + 2wβ), at least (n+1)mδ",
	Source:  "-",
	About:   "The root sends every slice once, to all: they read the same slot, or the root's buffer itself.",
}

func buildFlatBroadcast(r Role) Program {
	p := Program{Builder: "flat", Parts: 1}
	if r.Rank == r.Root {
		p.add(Step{Operands: of(input(0)), Store: output(0).Location, To: others(r.Rank, r.Ranks)})
	} else {
		p.copy(message(r.Root, 0), output(0))
	}
	return p.order()
}

var flatReduce = Builder{
	Name: "flat", Collective: Reduce, Order: OneFold, Build: buildFlatReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, path: work{n, n, n - 1}, busy: work{n - 1, n - 1, n - 1}, traffic: 2 * (n - 1)}
	}),
	Formula: "α + no + nwβ + (n-1)wγ + (K-1)(n-1)(o + wβ + wγ), at least 2(n-1)mδ",
	Source:  "-",
	About:   "Every rank sends its input to the root, which folds them all.",
}

func buildFlatReduce(r Role) Program {
	p := Program{Builder: "flat", Parts: 1}
	if r.Rank == r.Root {
		p.add(Step{Operands: inRankOrder(r, input(0), 0), Store: output(0).Location})
	} else {
		p.add(Step{Operands: of(input(0)), To: []int{r.Root}})
	}
	return p.order()
}

var flatGather = Builder{
	Name: "flat", Collective: Gather, Build: buildFlatGather,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, path: work{n, n + 1, 0}, busy: work{n - 1, n, 0}, traffic: 2*n - 1}
	}),
	Formula: "α + no + (n+1)wβ + (K-1)((n-1)o + nwβ), at least (2n-1)mδ",
	Source:  "-",
	About:   "Every rank sends its block to the root.",
}

func buildFlatGather(r Role) Program {
	p := Program{Builder: "flat", Parts: 1}
	if r.Rank != r.Root {
		p.add(Step{Operands: of(input(r.Rank)), To: []int{r.Root}})
		return p.order()
	}
	p.copy(input(r.Rank), output(r.Rank))
	for _, q := range others(r.Rank, r.Ranks) {
		p.copy(message(q, 0), output(q))
	}
	return p.order()
}

var flatScatter = Builder{
	Name: "flat", Collective: Scatter, Build: buildFlatScatter,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, path: work{n, n + 1, 0}, busy: work{n - 1, n, 0}, traffic: 2*n - 1}
	}),
	Formula: "α + no + (n+1)wβ + (K-1)((n-1)o + nwβ), at least (2n-1)mδ",
	Source:  "-",
	About:   "The root sends each rank its block.",
}

func buildFlatScatter(r Role) Program {
	p := Program{Builder: "flat", Parts: 1}
	if r.Rank != r.Root {
		p.copy(message(r.Root, 0), output(r.Rank))
		return p.order()
	}
	for _, q := range others(r.Rank, r.Ranks) {
		p.add(Step{Operands: of(input(q)), To: []int{q}})
	}
	p.copy(input(r.Rank), output(r.Rank))
	return p.order()
}
