package plan

// builders are all algorithms; for each collective the simplest first.
var builders = []Builder{
	directAllReduce, scatterGatherAllReduce, ringAllReduce, recursiveDoublingAllReduce, rabenseifnerAllReduce,
	binomialAllReduce, doubleTreeAllReduce, chainAllReduce,
	flatBroadcast, binomialBroadcast, doubleTreeBroadcast, chainBroadcast, scatterAllGatherBroadcast,
	flatReduce, scatterGatherReduce, binomialReduce, doubleTreeReduce, chainReduce,
	directAllGather, ringAllGather, recursiveDoublingAllGather, bruckAllGather,
	directReduceScatter, ringReduceScatter, recursiveHalvingReduceScatter,
	pairwiseAlltoAll, bruckAlltoAll,
	flatGather, binomialGather,
	flatScatter, binomialScatter,
	directBarrier, disseminationBarrier, binomialBarrier,
}

// The literature that several of them come from.
const (
	thakur = "Thakur, Rabenseifner, Gropp: Optimization of collective communication operations in MPICH, 2005"
	bruck  = "Bruck, Ho, Kipnis, Upfal, Weathersby: Efficient algorithms for all-to-all communications " +
		"in multiport message-passing systems, 1997"
	patarasuk = "Patarasuk, Yuan: Bandwidth optimal all-reduce algorithms for clusters of workstations, 2009"
	twoTree   = "Sanders, Speck, Träff: Two-tree algorithms for full bandwidth broadcast, reduction and scan, 2009"
	barriers  = "Hensgen, Finkel, Manber: Two algorithms for barrier synchronization, 1988"
)

// alone is the program of the only rank, where an algorithm needs two.
func alone(name string) Program {
	p := Program{Builder: name, Parts: 1}
	p.copy(input(0), output(0))
	return p.order()
}

// add appends a step.
func (p *Program) add(s Step) { p.Steps = append(p.Steps, s) }

// copy appends a step that moves a whole block within the rank.
func (p *Program) copy(from, to Operand) {
	p.add(Step{Operands: of(from), Store: to.Location})
}

// others lists all ranks but one, starting behind it, so that not all ranks turn to rank 0 first.
func others(rank, ranks int) []int {
	to := make([]int, 0, ranks-1)
	for i := 1; i < ranks; i++ {
		to = append(to, (rank+i)%ranks)
	}
	return to
}

// inRankOrder lists a message of every other rank, and the rank's own operand at its place between them.
func inRankOrder(r Role, own Operand, channel int) []Operand {
	all := make([]Operand, 0, r.Ranks)
	for q := range r.Ranks {
		if q == r.Rank {
			all = append(all, own)
		} else {
			all = append(all, message(q, channel))
		}
	}
	return all
}

// mod is i modulo n, from 0 to n-1 for negative numbers too.
func mod(i, n int) int { return (i%n + n) % n }
