package plan

// In the chain algorithms each rank passes on to the next what it got from the one before. Slow for one slice, they keep
// every rank equally busy when there are many.

// up and down are the channels of algorithms that go to a root and back: what waits to be reduced must not hold up what is
// finished.
const (
	up   = 0
	down = 1
)

var chainAllReduce = Builder{
	Name: "chain", Collective: AllReduce, Order: LeftFold, Build: buildChainAllReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 2 * (n - 1), path: work{4 * (n - 1), 3*n - 2, n - 1}, busy: work{4, 3, 1},
			traffic: 3*n - 2}
	}),
	Formula: "2(n-1)α + 4(n-1)o + (3n-2)wβ + (n-1)wγ + (K-1)(4o + 3wβ + wγ), at least (3n-2)mδ",
	Source:  "-",
	About:   "The operands are added up from rank 0 to the last, and the result goes back.",
}

func buildChainAllReduce(r Role) Program {
	p := Program{Builder: "chain", Parts: 1}
	sum := Step{Operands: of(input(0)), Channel: up}
	if r.Rank > 0 {
		sum.Operands = of(message(r.Rank-1, up), input(0))
	}
	back := Step{Store: output(0).Location, Channel: down}
	if r.Rank > 0 {
		back.To = []int{r.Rank - 1}
	}
	if r.Rank == r.Ranks-1 {
		back.Operands = sum.Operands
		p.add(back)
		return p.order()
	}
	sum.To = []int{r.Rank + 1}
	p.add(sum)
	back.Operands = of(message(r.Rank+1, down))
	p.add(back)
	return p.order()
}

var chainBroadcast = Builder{
	Name: "chain", Collective: Broadcast, Build: buildChainBroadcast,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: n - 1, path: work{2 * (n - 1), 2*n - 1, 0}, busy: work{2, 2, 0}, traffic: 2*n - 1}
	}),
	Formula: "(n-1)α + 2(n-1)o + (2n-1)wβ + (K-1)(2o + 2wβ), at least (2n-1)mδ",
	Source:  "-",
	About:   "Each rank passes the root's data on to the next.",
}

func buildChainBroadcast(r Role) Program {
	p := Program{Builder: "chain", Parts: 1}
	s := Step{Operands: of(input(0)), Store: output(0).Location}
	if r.Rank != r.Root {
		s.Operands = of(message(mod(r.Rank-1, r.Ranks), 0))
	}
	if next := (r.Rank + 1) % r.Ranks; next != r.Root {
		s.To = []int{next}
	}
	p.add(s)
	return p.order()
}

var chainReduce = Builder{
	Name: "chain", Collective: Reduce, Order: LeftFold, Build: buildChainReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: n, path: work{2 * n, n + 1, n - 1}, busy: work{3, 2, 1}, traffic: n + 1}
	}),
	Formula: "nα + 2no + (n+1)wβ + (n-1)wγ + (K-1)(3o + 2wβ + wγ), at least (n+1)mδ",
	Source:  "-",
	About:   "The operands are added up from rank 0 to the last, which sends the result to the root.",
}

func buildChainReduce(r Role) Program {
	p := Program{Builder: "chain", Parts: 1}
	last := r.Ranks - 1
	sum := Step{Operands: of(input(0)), Channel: up}
	if r.Rank > 0 {
		sum.Operands = of(message(r.Rank-1, up), input(0))
	}
	switch {
	case r.Rank < last:
		sum.To = []int{r.Rank + 1}
	case r.Rank == r.Root:
		sum.Store = output(0).Location
	default:
		sum.To, sum.Channel = []int{r.Root}, down
	}
	p.add(sum)
	if r.Rank == r.Root && r.Rank < last {
		p.copy(message(last, down), output(0))
	}
	return p.order()
}
