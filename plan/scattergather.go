package plan

// In these algorithms a block is cut into as many parts as there are ranks, and each rank owns one.

// scatter is the channel on which the parts go to their owners, gather the one on which owners send what they have made:
// a part that waits to be reduced must not hold up one that is finished.
const (
	scatter = 0
	gather  = 1
)

var scatterGatherAllReduce = Builder{
	Name: "scatter-gather", Collective: AllReduce, Order: OneFold, Build: buildScatterGatherAllReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: n, latencies: 2, busy: work{4 * (n - 1), 3*n - 2, n - 1}, traffic: n * (3*n - 2)}
	}),
	Formula: "2α + K(4(n-1)o + (3n-2)wβ + (n-1)wγ), at least (3n-2)mδ",
	Source:  "-",
	About:   "The owner of each part folds everyone's and sends the result to all.",
}

func buildScatterGatherAllReduce(r Role) Program {
	p := Program{Builder: "scatter-gather", Parts: r.Ranks}
	p.scatterToOwners(r)
	p.add(Step{
		Part: r.Rank, Operands: inRankOrder(r, input(0), scatter), Store: output(0).Location,
		To: others(r.Rank, r.Ranks), Channel: gather,
	})
	p.gatherFromOwners(r)
	return p.order()
}

var scatterGatherReduce = Builder{
	Name: "scatter-gather", Collective: Reduce, Order: OneFold, Build: buildScatterGatherReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: n, latencies: 2, busy: work{3 * (n - 1), 3 * (n - 1), n - 1}, traffic: (2*n + 1) * (n - 1)}
	}),
	Formula: "2α + K(n-1)(3o + 3wβ + wγ), at least (2n+1)(n-1)mδ/n",
	Source:  "-",
	About:   "The owner of each part folds everyone's and sends the result to the root.",
}

func buildScatterGatherReduce(r Role) Program {
	p := Program{Builder: "scatter-gather", Parts: r.Ranks}
	p.scatterToOwners(r)
	fold := Step{Part: r.Rank, Operands: inRankOrder(r, input(0), scatter)}
	if r.Rank != r.Root {
		fold.To, fold.Channel = []int{r.Root}, gather
		p.add(fold)
		return p.order()
	}
	fold.Store = output(0).Location
	p.add(fold)
	p.gatherFromOwners(r)
	return p.order()
}

// scatterToOwners sends the parts of the input to their owners. All ranks do so in the same order: the first part that is
// not complete is then what everybody works for, however few slots there are.
func (p *Program) scatterToOwners(r Role) {
	for q := range r.Ranks {
		if q != r.Rank {
			p.add(Step{Part: q, Operands: of(input(0)), To: []int{q}, Channel: scatter})
		}
	}
}

// gatherFromOwners receives the parts of all others.
func (p *Program) gatherFromOwners(r Role) {
	for _, q := range others(r.Rank, r.Ranks) {
		p.add(Step{Part: q, Operands: of(message(q, gather)), Store: output(0).Location})
	}
}

var scatterAllGatherBroadcast = Builder{
	Name: "scatter-allgather", Collective: Broadcast, Build: buildScatterAllGatherBroadcast,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: n, latencies: 2, path: work{2 * n, 2*n + 3, 0}, busy: work{2 * (n - 1), 2 * n, 0},
			traffic: n*n + 2*n - 1}
	}),
	Formula: "2α + 2no + (2n+3)wβ + (K-1)(2(n-1)o + 2nwβ), at least (n²+2n-1)mδ/n",
	Source: "Barnett, Gupta, Payne, Shuler, van de Geijn, Watts: " +
		"Interprocessor collective communication library (InterCom), 1994",
	About: "The root sends each rank its part, and the ranks send their parts to all.",
}

func buildScatterAllGatherBroadcast(r Role) Program {
	p := Program{Builder: "scatter-allgather", Parts: r.Ranks}
	own := of(message(r.Root, scatter))
	if r.Rank == r.Root {
		own = of(input(0))
		for _, q := range others(r.Rank, r.Ranks) {
			p.add(Step{Part: q, Operands: own, Store: output(0).Location, To: []int{q}, Channel: scatter})
		}
	}
	var to []int
	for _, q := range others(r.Rank, r.Ranks) {
		if q != r.Root {
			to = append(to, q)
		}
	}
	p.add(Step{Part: r.Rank, Operands: own, Store: output(0).Location, To: to, Channel: gather})
	if r.Rank != r.Root {
		p.gatherFromOwners(r)
	}
	return p.order()
}
