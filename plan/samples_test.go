package plan

// The samples are small programs for the checker's own tests, which count on each of their steps.

func sample(ranks int, build func(rank int) Program) []Program {
	all := make([]Program, ranks)
	for r := range all {
		all[r] = build(r).order()
	}
	return all
}

func except(rank, ranks int) []int {
	var to []int
	for q := range ranks {
		if q != rank {
			to = append(to, q)
		}
	}
	return to
}

// sampleTell is a broadcast from rank 0: one step each.
func sampleTell(ranks int) []Program {
	return sample(ranks, func(rank int) Program {
		s := Step{Operands: of(message(0, 0)), Store: output(0).Location}
		if rank == 0 {
			s.Operands, s.To = of(input(0)), except(0, ranks)
		}
		return Program{Builder: "tell", Parts: 1, Steps: []Step{s}}
	})
}

// sampleExchange is an allreduce: every rank sends its input to all, and folds all of them in one step.
func sampleExchange(ranks int) []Program {
	return sample(ranks, func(rank int) Program {
		fold := Step{Store: output(0).Location}
		for q := range ranks {
			x := message(q, 0)
			if q == rank {
				x = input(0)
			}
			fold.Operands = append(fold.Operands, x)
		}
		send := Step{Operands: of(input(0)), To: except(rank, ranks), Eager: true}
		return Program{Builder: "exchange", Parts: 1, Steps: []Step{send, fold}}
	})
}

// sampleOwners is an allreduce in as many parts as ranks. Steps 0 to ranks-2 send the others' parts of the input on channel
// 0; the next ranks-1 fold the own part, pair by pair, the last of them to all on channel 1; the rest receive.
func sampleOwners(ranks int) []Program {
	return sample(ranks, func(rank int) Program {
		p := Program{Builder: "owners", Parts: ranks}
		own := input(0)
		for _, owner := range except(rank, ranks) {
			p.Steps = append(p.Steps, Step{Part: owner, Operands: of(input(0)), To: []int{owner}})
		}
		for _, q := range append(backwards(rank), except(rank, ranks)[rank:]...) {
			s := Step{Part: rank, Operands: of(own, message(q, 0)), Store: output(0).Location}
			if q < rank {
				s.Operands = of(message(q, 0), own)
			}
			p.Steps, own = append(p.Steps, s), output(0)
		}
		last := &p.Steps[len(p.Steps)-1]
		last.To, last.Channel = except(rank, ranks), 1
		for _, owner := range except(rank, ranks) {
			p.Steps = append(p.Steps, Step{Part: owner, Operands: of(message(owner, 1)), Store: output(0).Location})
		}
		return p
	})
}

func backwards(rank int) []int {
	var down []int
	for q := rank - 1; q >= 0; q-- {
		down = append(down, q)
	}
	return down
}

// sampleRounds is a barrier: in each round a rank signals, and awaits a signal.
func sampleRounds(ranks int) []Program {
	return sample(ranks, func(rank int) Program {
		p := Program{Builder: "rounds", Parts: 1}
		for d := 1; d < ranks; d *= 2 {
			p.Steps = append(p.Steps,
				Step{Operands: of(input(0)), To: []int{(rank + d) % ranks}, Eager: true},
				Step{Operands: of(message((rank-d+ranks)%ranks, 0)), Store: output(0).Location})
		}
		return p
	})
}

// sampleSwap is an alltoall of two ranks: each copies its own block and sends the other.
func sampleSwap() []Program {
	return sample(2, func(rank int) Program {
		other := 1 - rank
		return Program{Builder: "swap", Parts: 1, Apart: true, Steps: []Step{
			{Operands: of(input(rank)), Store: output(rank).Location},
			{Operands: of(input(other)), To: []int{other}},
			{Operands: of(message(other, 0)), Store: output(other).Location},
		}}
	})
}

// sampleCollect is a reduction to rank 0, by a chain: each rank adds what comes from the next.
func sampleCollect(ranks int) []Program {
	return sample(ranks, func(rank int) Program {
		s := Step{Operands: of(input(0))}
		if rank < ranks-1 {
			s.Operands = of(input(0), message(rank+1, 0))
		}
		if rank == 0 {
			s.Store = output(0).Location
		} else {
			s.To = []int{rank - 1}
		}
		return Program{Builder: "collect", Parts: 1, Steps: []Step{s}}
	})
}

// sampleShares is a reduce-scatter of two ranks: each sends the other's block and folds its own.
func sampleShares() []Program {
	return sample(2, func(rank int) Program {
		return Program{Builder: "shares", Parts: 1, Steps: []Step{
			{Operands: of(input(1 - rank)), To: []int{1 - rank}},
			{Operands: of(input(rank), message(1-rank, 0)), Store: output(rank).Location},
		}}
	})
}

// samplePair is an allgather of two ranks: each copies its block, sends it, and receives the other's.
func samplePair() []Program {
	return sample(2, func(rank int) Program {
		return Program{Builder: "pair", Parts: 1, Steps: []Step{
			{Operands: of(input(rank)), Store: output(rank).Location},
			{Operands: of(input(rank)), To: []int{1 - rank}},
			{Operands: of(message(1-rank, 0)), Store: output(1 - rank).Location},
		}}
	})
}
