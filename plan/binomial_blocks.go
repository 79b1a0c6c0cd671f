package plan

import "math/bits"

// Binomial trees that carry a block for each rank. Node v of a tree is rank v behind the root, and the blocks of a subtree
// are the nodes' own. Inner ranks pass them on from message to message, without storing them.

// childTo is the child of node v in whose subtree node w is.
func childTo(v, w int) int { return v + 1<<(bits.Len(uint(w-v))-1) }

var binomialGather = Builder{
	Name: "binomial", Collective: Gather, Build: buildBinomialGather,
	Cost: estimate(logarithmicBlocks), Formula: logarithmicBlocksFormula, Source: thakur,
	About: "Blocks go to the root through a binomial tree.",
}

const logarithmicBlocksFormula = "Lα + (n-1+2L)o + (n+L)wβ + (K-1)((n-1)o + nwβ), at least (n + nL/2)mδ"

func logarithmicBlocks(n, rounds float64) effort {
	return effort{parts: 1, latencies: rounds, path: work{n - 1 + 2*rounds, n + rounds, 0}, busy: work{n - 1, n, 0},
		traffic: n + n*rounds/2}
}

func buildBinomialGather(r Role) Program {
	p := Program{Builder: "binomial", Parts: 1}
	rank := func(v int) int { return (r.Root + v) % r.Ranks }
	v := mod(r.Rank-r.Root, r.Ranks)
	parent, size, _ := binomial(v, r.Ranks)
	for w := v; w < v+size; w++ {
		from := input(r.Rank)
		if w > v {
			from = message(rank(childTo(v, w)), 0)
		}
		if v == 0 {
			p.copy(from, output(rank(w)))
		} else {
			p.add(Step{Operands: of(from), To: []int{rank(parent)}})
		}
	}
	return p.order()
}

var binomialScatter = Builder{
	Name: "binomial", Collective: Scatter, Build: buildBinomialScatter,
	Cost: estimate(logarithmicBlocks), Formula: logarithmicBlocksFormula, Source: thakur,
	About: "Blocks go from the root through a binomial tree.",
}

// buildBinomialScatter sends the blocks with the longest way first.
func buildBinomialScatter(r Role) Program {
	p := Program{Builder: "binomial", Parts: 1}
	rank := func(v int) int { return (r.Root + v) % r.Ranks }
	v := mod(r.Rank-r.Root, r.Ranks)
	parent, size, _ := binomial(v, r.Ranks)
	for w := v + size - 1; w >= v; w-- {
		from := message(rank(parent), 0)
		if v == 0 {
			from = input(rank(w))
		}
		if w == v {
			p.copy(from, output(r.Rank))
		} else {
			p.add(Step{Operands: of(from), To: []int{rank(childTo(v, w))}})
		}
	}
	return p.order()
}
