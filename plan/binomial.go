package plan

// binomial is the place of node v in the binomial tree over nodes 0 to n-1, whose root is 0. A node's subtree is the nodes
// from v to v+size-1; its children are v+1, v+2, v+4, …, in this order.
func binomial(v, n int) (parent, size int, children []int) {
	size = n
	if v > 0 {
		size = min(v&-v, n-v)
	}
	for d := 1; d < size; d *= 2 {
		children = append(children, v+d)
	}
	return v & (v - 1), size, children
}

var binomialAllReduce = Builder{
	Name: "binomial", Collective: AllReduce, Order: RankOrder, Build: buildBinomialAllReduce,
	Cost: estimate(func(n, rounds float64) effort {
		folds := rounds * (rounds + 1) / 2
		return effort{parts: 1, latencies: 2 * rounds, path: work{rounds * (rounds + 3), folds + 2*rounds + 1, folds},
			busy: work{2 * rounds, rounds + 1, rounds}, traffic: 3*n - 2}
	}),
	Formula: "2Lα + L(L+3)o + (L(L+1)/2 + 2L + 1)wβ + L(L+1)/2wγ + (K-1)(2Lo + (L+1)wβ + Lwγ), at least (3n-2)mδ",
	Source:  thakur,
	About:   "A binomial tree reduces to rank 0 and broadcasts from it.",
}

func buildBinomialAllReduce(r Role) Program {
	r.Root = 0
	p := Program{Builder: "binomial", Parts: 1}
	sum, parent := binomialSum(r, up)
	back := Step{Operands: of(message(parent, down)), Store: output(0).Location, Channel: down}
	_, _, back.To = binomial(r.Rank, r.Ranks)
	if r.Rank == 0 {
		back.Operands = sum
	} else {
		p.add(Step{Operands: sum, To: []int{parent}, Channel: up})
	}
	p.add(back)
	return p.order()
}

// binomialSum lists what a rank adds up in a reduction that keeps rank order: the ranks on either side of the root make a
// tree of their own, and the left one is a mirror image. A rank folds all at once, with nothing to store.
func binomialSum(r Role, channel int) (operands []Operand, parent int) {
	v := r.Rank - r.Root
	if v <= 0 {
		above, _, children := binomial(-v, r.Root+1)
		parent = r.Root - above
		for i := len(children) - 1; i >= 0; i-- {
			operands = append(operands, message(r.Root-children[i], channel))
		}
	}
	operands = append(operands, input(0))
	if v >= 0 {
		above, _, children := binomial(v, r.Ranks-r.Root)
		parent = r.Root + above
		for _, c := range children {
			operands = append(operands, message(r.Root+c, channel))
		}
	}
	return operands, parent
}

var binomialReduce = Builder{
	Name: "binomial", Collective: Reduce, Order: RankOrder, Build: buildBinomialReduce,
	Cost: estimate(func(n, rounds float64) effort {
		folds := rounds * (rounds + 1) / 2
		return effort{parts: 1, latencies: rounds, path: work{rounds * (rounds + 3) / 2, folds + 1, folds},
			busy: work{rounds, rounds, rounds}, traffic: 1.5*n - 1}
	}),
	Formula: "Lα + L(L+3)/2o + (L(L+1)/2 + 1)wβ + L(L+1)/2wγ + (K-1)L(o + wβ + wγ), at least (1.5n-1)mδ",
	Source:  thakur,
	About:   "Two binomial trees, of the ranks on either side of the root, reduce to it.",
}

func buildBinomialReduce(r Role) Program {
	p := Program{Builder: "binomial", Parts: 1}
	sum, parent := binomialSum(r, 0)
	if r.Rank == r.Root {
		p.add(Step{Operands: sum, Store: output(0).Location})
	} else {
		p.add(Step{Operands: sum, To: []int{parent}})
	}
	return p.order()
}

var binomialBroadcast = Builder{
	Name: "binomial", Collective: Broadcast, Build: buildBinomialBroadcast,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: rounds, path: work{rounds * (rounds + 3) / 2, 2*rounds + 1, 0},
			busy: work{rounds, 2, 0}, traffic: 1.5 * n}
	}),
	Formula: "Lα + L(L+3)/2o + (2L+1)wβ + (K-1)(Lo + 2wβ), at least 1.5nmδ",
	Source:  thakur,
	About:   "A binomial tree broadcasts from the root.",
}

func buildBinomialBroadcast(r Role) Program {
	p := Program{Builder: "binomial", Parts: 1}
	parent, _, children := binomial(mod(r.Rank-r.Root, r.Ranks), r.Ranks)
	s := Step{Operands: of(input(0)), Store: output(0).Location}
	if r.Rank != r.Root {
		s.Operands = of(message((r.Root+parent)%r.Ranks, 0))
	}
	for _, c := range children {
		s.To = append(s.To, (r.Root+c)%r.Ranks)
	}
	p.add(s)
	return p.order()
}
