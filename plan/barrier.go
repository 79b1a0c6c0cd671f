package plan

// The buffers of a barrier have no bytes. A signal is a message of the input, and to await one is to store it in the
// output; since these are the same memory to order(), signals come after what was awaited before them.

var directBarrier = Builder{
	Name: "direct", Collective: Barrier, Rotates: true, Build: buildDirectBarrier,
	Cost: signals(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, busy: work{2 * (n - 1), 0, 0}}
	}),
	Formula: "α + 2(n-1)o, at least 0",
	Source:  "-",
	About:   "Everyone signals everyone.",
}

func buildDirectBarrier(r Role) Program {
	p := Program{Builder: "direct", Parts: 1}
	if r.Ranks > 1 {
		p.signal(others(r.Rank, r.Ranks), 0)
	}
	for _, q := range others(r.Rank, r.Ranks) {
		p.await(q, 0)
	}
	return p.order()
}

var disseminationBarrier = Builder{
	Name: "dissemination", Collective: Barrier, Rotates: true, Build: buildDissemination,
	Cost: signals(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: rounds, busy: work{2 * rounds, 0, 0}}
	}),
	Formula: "Lα + 2Lo, at least 0",
	Source:  barriers,
	About:   "In round i each rank signals the one 2^i behind it, until everyone has heard of everyone.",
}

func buildDissemination(r Role) Program {
	p := Program{Builder: "dissemination", Parts: 1}
	for d := 1; d < r.Ranks; d *= 2 {
		p.signal([]int{(r.Rank + d) % r.Ranks}, 0)
		p.await(mod(r.Rank-d, r.Ranks), 0)
	}
	return p.order()
}

var binomialBarrier = Builder{
	Name: "binomial", Collective: Barrier, Build: buildBinomialBarrier,
	Cost: signals(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: 2 * rounds, busy: work{2*rounds + rounds*(rounds+3)/2, 0, 0}}
	}),
	Formula: "2Lα + (2L + L(L+3)/2)o, at least 0",
	Source:  barriers,
	About:   "Signals go up a binomial tree to rank 0, which releases the others down the tree: the tournament barrier.",
}

func buildBinomialBarrier(r Role) Program {
	p := Program{Builder: "binomial", Parts: 1}
	parent, _, children := binomial(r.Rank, r.Ranks)
	for _, c := range children {
		p.await(c, up)
	}
	if r.Rank > 0 {
		p.signal([]int{parent}, up)
		p.await(parent, down)
	}
	if len(children) > 0 {
		p.signal(children, down)
	}
	return p.order()
}

func (p *Program) signal(to []int, channel int) {
	p.add(Step{Operands: of(input(0)), To: to, Channel: channel, Eager: true})
}

func (p *Program) await(from, channel int) { p.copy(message(from, channel), output(0)) }

// signals makes the cost of an algorithm that moves no data.
func signals(f func(n, rounds float64) effort) func(m Model, ranks int, _ float64) float64 {
	cost := estimate(f)
	return func(m Model, ranks int, _ float64) float64 { return cost(m, ranks, 0) }
}
