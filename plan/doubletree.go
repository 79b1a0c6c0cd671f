package plan

import "math/bits"

// The two-tree algorithms cut a block in two parts, and each goes through a binary tree of its own. A rank that is inside
// one tree is a leaf of the other: so all ranks send and receive both parts at most twice, and no rank has idle links.

// inOrder is the place of node q in the binary tree over nodes 1 to n in which the nodes of a left subtree come before its
// root, those of a right one behind it, and odd nodes are leaves. 0 is no node.
func inOrder(q, n int) (parent, left, right int) {
	first, last := 1, n // of the subtree that q is in
	for {
		root := rootOf(first, last)
		switch {
		case q < root:
			parent, last = root, root-1
		case q > root:
			parent, first = root, root+1
		default:
			return parent, rootOf(first, root-1), rootOf(root+1, last)
		}
	}
}

// rootOf is the root of the subtree of nodes first to last, or 0 if there are none. What lies before the root is a full
// tree, so all subtrees begin at odd nodes.
func rootOf(first, last int) int {
	if last < first {
		return 0
	}
	return first - 1 + 1<<(bits.Len(uint(last-first+1))-1)
}

// place is where a rank is in a tree; -1 is no rank.
type place struct{ parent, left, right int }

// twoTrees is the place of rank v of n in both trees. In the first, rank v is node v+1; in the second it is node v+2 of a
// tree with one more, whose first node, a leaf, is nobody. So the inner nodes of the first are the odd ranks, those of the
// second the even ones, and both keep ranks in order; Sanders, Speck and Träff shift or mirror the second instead.
func twoTrees(v, n int) [2]place {
	var trees [2]place
	for i := range trees {
		shift := i + 1
		parent, left, right := inOrder(v+shift, n+i)
		trees[i] = place{max(parent-shift, -1), max(left-shift, -1), max(right-shift, -1)}
	}
	return trees
}

// children lists them, where there are any.
func (at place) children() []int {
	var all []int
	for _, c := range [...]int{at.left, at.right} {
		if c >= 0 {
			all = append(all, c)
		}
	}
	return all
}

// sum lists what a rank adds up, in rank order.
func (at place) sum(channel int) []Operand {
	var all []Operand
	if at.left >= 0 {
		all = append(all, message(at.left, channel))
	}
	all = append(all, input(0))
	if at.right >= 0 {
		all = append(all, message(at.right, channel))
	}
	return all
}

var doubleTreeAllReduce = Builder{
	Name: "double-tree", Collective: AllReduce, Order: RankOrder, Build: buildDoubleTreeAllReduce,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 2, latencies: 2 * rounds, path: work{6 * rounds, 4*rounds + 1, 2 * rounds}, busy: work{8, 6, 2},
			traffic: 2 * (3*n - 2)}
	}),
	Formula: "2Lα + 6Lo + (4L+1)wβ + 2Lwγ + (K-1)(8o + 6wβ + 2wγ), at least (3n-2)mδ",
	Source:  twoTree,
	About: "Each half of the block is reduced up a binary tree and broadcast down it; " +
		"inner ranks of one are leaves of the other.",
}

func buildDoubleTreeAllReduce(r Role) Program {
	if r.Ranks == 1 {
		return alone("double-tree")
	}
	p := Program{Builder: "double-tree", Parts: 2}
	var back []Step
	for i, at := range twoTrees(r.Rank, r.Ranks) {
		s := Step{Part: i, Operands: at.sum(up), Store: output(0).Location, To: at.children(), Channel: down}
		if at.parent >= 0 {
			p.add(Step{Part: i, Operands: s.Operands, To: []int{at.parent}, Channel: up})
			s.Operands = of(message(at.parent, down))
		}
		back = append(back, s)
	}
	p.Steps = append(p.Steps, back...)
	return p.order()
}

// besideRoot are the trees of the ranks other than the root, from the one behind it round to the one before it. The parent
// of both trees' tops is the root, which is in neither.
func besideRoot(r Role) [2]place {
	n := r.Ranks - 1
	rank := func(v, none int) int {
		if v < 0 {
			return none
		}
		return (r.Root + 1 + v) % r.Ranks
	}
	trees := twoTrees(mod(r.Rank-r.Root-1, r.Ranks), n)
	for i, at := range trees {
		trees[i] = place{rank(at.parent, r.Root), rank(at.left, -1), rank(at.right, -1)}
	}
	return trees
}

// tops are the ranks at the tops of those trees.
func tops(r Role) [2]int {
	n := r.Ranks - 1
	return [2]int{(r.Root + rootOf(1, n)) % r.Ranks, (r.Root + rootOf(1, n+1) - 1) % r.Ranks}
}

var doubleTreeBroadcast = Builder{
	Name: "double-tree", Collective: Broadcast, Build: buildDoubleTreeBroadcast,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 2, latencies: rounds, path: work{3 * rounds, 2*rounds + 3, 0}, busy: work{4, 4, 0}, traffic: 3 * n}
	}),
	Formula: "Lα + 3Lo + (2L+3)wβ + (K-1)(4o + 4wβ), at least 1.5nmδ",
	Source:  twoTree,
	About:   "Each half of the block goes down a binary tree; inner ranks of one are leaves of the other.",
}

func buildDoubleTreeBroadcast(r Role) Program {
	if r.Ranks == 1 {
		return alone("double-tree")
	}
	p := Program{Builder: "double-tree", Parts: 2}
	if r.Rank == r.Root {
		for i, top := range tops(r) {
			p.add(Step{Part: i, Operands: of(input(0)), Store: output(0).Location, To: []int{top}, Channel: i})
		}
		return p.order()
	}
	for i, at := range besideRoot(r) {
		p.add(Step{Part: i, Operands: of(message(at.parent, i)), Store: output(0).Location, To: at.children(), Channel: i})
	}
	return p.order()
}

var doubleTreeReduce = Builder{
	Name: "double-tree", Collective: Reduce, Build: buildDoubleTreeReduce,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 2, latencies: rounds, path: work{3 * rounds, 2*rounds + 1, 2 * rounds}, busy: work{4, 3, 2},
			traffic: 3*n - 2}
	}),
	Formula: "Lα + 3Lo + (2L+1)wβ + 2Lwγ + (K-1)(4o + 3wβ + 2wγ), at least (1.5n-1)mδ",
	Source:  twoTree,
	About:   "Each half of the block goes up a binary tree; inner ranks of one are leaves of the other.",
}

func buildDoubleTreeReduce(r Role) Program {
	if r.Ranks == 1 {
		return alone("double-tree")
	}
	p := Program{Builder: "double-tree", Parts: 2}
	if r.Rank == r.Root {
		for i, top := range tops(r) {
			p.add(Step{Part: i, Operands: of(input(0), message(top, i)), Store: output(0).Location})
		}
		return p.order()
	}
	for i, at := range besideRoot(r) {
		p.add(Step{Part: i, Operands: at.sum(i), To: []int{at.parent}, Channel: i})
	}
	return p.order()
}
