package plan

// The algorithms of recursive halving and doubling. See cut for how they work for any number of ranks.

var recursiveDoublingAllReduce = Builder{
	Name: "recursive-doubling", Collective: AllReduce, Order: RankOrder, Build: buildRecursiveDoublingAllReduce,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: rounds, busy: work{2 * rounds, 2 * rounds, rounds}, traffic: 2 * n * rounds}
	}),
	Formula: "Lα + KL(2o + 2wβ + wγ), at least 2nLmδ",
	Source:  thakur,
	About:   "Pairs of ever larger groups of ranks exchange their sums.",
}

// buildRecursiveDoublingAllReduce sends eagerly, since each rank overwrites its sum in the step in which it reads its
// partner's; and the cuts take turns on the channels, since that step also sends the new sum.
func buildRecursiveDoublingAllReduce(r Role) Program {
	if r.Ranks == 1 {
		return alone("recursive-doubling")
	}
	p := Program{Builder: "recursive-doubling", Parts: 1}
	all := cutsOf(r.Rank, r.Ranks)
	send := func(s Step, i int) {
		if i >= 0 {
			s.To, s.Channel = all[i].served(r.Rank), i%Channels
			s.Eager = len(s.To) > 0
		}
		p.add(s)
	}
	send(Step{Operands: of(input(0))}, len(all)-1)
	sum := input(0)
	for i := len(all) - 1; i >= 0; i-- {
		low, high := sum, message(all[i].server(r.Rank), i%Channels)
		if r.Rank >= all[i].mid {
			low, high = high, low
		}
		send(Step{Operands: of(low, high), Store: output(0).Location}, i-1)
		sum = output(0)
	}
	return p.order()
}

var rabenseifnerAllReduce = Builder{
	Name: "rabenseifner", Collective: AllReduce, Build: buildRabenseifner,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: n, latencies: 2 * rounds, busy: work{4 * (n - 1), 3.5*n - 3, n - 1}, traffic: n * (3.5*n - 3)}
	}),
	Formula: "2Lα + K(4(n-1)o + (3.5n-3)wβ + (n-1)wγ), at least (3.5n-3)mδ",
	Source:  "Rabenseifner: Optimization of collective reduction operations, 2004",
	About:   "Recursive halving leaves each rank the sum of one part, recursive doubling tells the parts to all.",
}

func buildRabenseifner(r Role) Program {
	if r.Ranks == 1 {
		return alone("rabenseifner")
	}
	p := Program{Builder: "rabenseifner", Parts: r.Ranks}
	p.halve(r.Rank, r.Ranks, partsOfBlock, scatter)
	own := &p.Steps[len(p.Steps)-1]
	own.To, own.Channel = servedIn(cutsOf(r.Rank, r.Ranks), r.Rank), gather
	p.double(r.Rank, r.Ranks, partsOfBlock, gather)
	return p.order()
}

var recursiveDoublingAllGather = Builder{
	Name: "recursive-doubling", Collective: AllGather, Build: buildRecursiveDoublingAllGather,
	Cost:    estimate(logarithmicAllGather),
	Formula: "Lα + K(2(n-1)o + 1.5nwβ), at least 1.5n²mδ",
	Source:  thakur,
	About:   "Pairs of ever larger groups of ranks exchange their blocks.",
}

func logarithmicAllGather(n, rounds float64) effort {
	return effort{parts: 1, latencies: rounds, busy: work{2 * (n - 1), 1.5 * n, 0}, traffic: 1.5 * n * n}
}

func buildRecursiveDoublingAllGather(r Role) Program {
	p := Program{Builder: "recursive-doubling", Parts: 1}
	p.add(Step{
		Operands: of(input(r.Rank)), Store: output(r.Rank).Location, To: servedIn(cutsOf(r.Rank, r.Ranks), r.Rank),
	})
	p.double(r.Rank, r.Ranks, pieces{part: noPart, output: output}, 0)
	return p.order()
}

func noPart(int) int { return 0 }

var recursiveHalvingReduceScatter = Builder{
	Name: "recursive-halving", Collective: ReduceScatter, Build: buildRecursiveHalving,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: rounds, busy: work{2 * (n - 1), 2 * (n - 1), n - 1}, traffic: 2 * n * (n - 1)}
	}),
	Formula: "Lα + K(2(n-1)(o + wβ) + (n-1)wγ), at least 2n(n-1)mδ",
	Source:  thakur,
	About:   "Pairs of ever smaller groups of ranks exchange their sums of each other's blocks.",
}

// buildRecursiveHalving keeps sums of others' blocks in scratch, since the output holds but the rank's own.
func buildRecursiveHalving(r Role) Program {
	if r.Ranks == 1 {
		return alone("recursive-halving")
	}
	p := Program{Builder: "recursive-halving", Parts: 1}
	first, end := cutsOf(r.Rank, r.Ranks)[0].half(r.Rank)
	p.Scratch = end - first
	partial := func(q int) Operand {
		if q == r.Rank {
			return output(q)
		}
		return scratch(q - first)
	}
	p.halve(r.Rank, r.Ranks, pieces{part: noPart, input: input, partial: partial}, 0)
	return p.order()
}
