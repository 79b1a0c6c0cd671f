package plan

// Flat builds the broadcast in which the root sends every slice once, to all: on one host the peers read the same slot,
// or the root's buffer itself.
func Flat(rank, ranks, root int) Program {
	p := Program{Builder: "flat", Chunks: 1}
	if rank == root {
		p.Steps = []Step{{A: at(Input), Store: Output, To: others(rank, ranks)}}
	} else {
		p.Steps = []Step{{A: fromMessage(root, 0), Store: Output}}
	}
	return p.order()
}

// Dissemination builds the barrier of Hensgen, Finkel and Manber ("Two algorithms for barrier synchronization", 1988):
// in round i each rank signals the one 2^i behind it; after ceil(log2 ranks) rounds everyone has heard of everyone.
func Dissemination(rank, ranks int) Program {
	p := Program{Builder: "dissemination", Chunks: 1}
	for d := 1; d < ranks; d *= 2 {
		p.Steps = append(p.Steps,
			Step{A: at(Input), To: []int{(rank + d) % ranks}, Eager: true, Token: true},
			Step{A: fromMessage((rank-d+ranks)%ranks, 0), Store: Output, Token: true})
	}
	return p.order()
}
