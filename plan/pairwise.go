package plan

var pairwiseAlltoAll = Builder{
	Name: "pairwise", Collective: AlltoAll, Build: buildPairwise,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: 1, busy: work{2 * (n - 1), 2*n - 1, 0}, traffic: n * (2*n - 1)}
	}),
	Formula: "α + K(2(n-1)o + (2n-1)wβ), at least n(2n-1)mδ",
	Source:  thakur,
	About:   "In round t the ranks whose numbers add up to t, modulo their count, exchange blocks.",
}

// buildPairwise has both ranks of a pair meet in the same round. In place they send eagerly, since each overwrites what it
// sends when it receives.
func buildPairwise(r Role) Program {
	p := Program{Builder: "pairwise", Parts: 1, Apart: !r.InPlace}
	for t := range r.Ranks {
		q := mod(t-r.Rank, r.Ranks)
		if q == r.Rank {
			p.copy(input(q), output(q))
			continue
		}
		p.add(Step{Operands: of(input(q)), To: []int{q}, Eager: r.InPlace})
		p.copy(message(q, 0), output(q))
	}
	return p.order()
}
