package plan

// cut is how recursive halving and doubling cut a range of ranks in two: low is lo to mid-1, high is mid to hi-1, and low
// may have one more. Rank lo+i pairs with mid+i. So any number of ranks is cut down to single ones, without powers of two.
type cut struct{ lo, mid, hi int }

// cutsOf lists those that a rank is in, from the one of all ranks to the one that leaves it alone. The ranks of a cut agree
// on its number in the list.
func cutsOf(rank, ranks int) []cut {
	var all []cut
	for lo, hi := 0, ranks; hi-lo > 1; {
		c := cut{lo, lo + (hi-lo+1)/2, hi}
		all = append(all, c)
		lo, hi = c.half(rank)
	}
	return all
}

// half is the half that a rank is in, and other the one that it is not in.
func (c cut) half(rank int) (from, to int) {
	if rank < c.mid {
		return c.lo, c.mid
	}
	return c.mid, c.hi
}

func (c cut) other(rank int) (from, to int) {
	if rank < c.mid {
		return c.mid, c.hi
	}
	return c.lo, c.mid
}

// server is the rank of the other half that gives a rank what that half has. The last of low, when there is one more in
// low, shares it with its neighbour.
func (c cut) server(rank int) int {
	if rank >= c.mid {
		return rank - c.mid + c.lo
	}
	return min(rank-c.lo+c.mid, c.hi-1)
}

// served lists the ranks of the other half to which a rank is the server: one, two or none.
func (c cut) served(rank int) []int {
	from, to := c.other(rank)
	var all []int
	for q := from; q < to; q++ {
		if c.server(q) == rank {
			all = append(all, q)
		}
	}
	return all
}

// servedIn lists those of several cuts.
func servedIn(all []cut, rank int) []int {
	var ranks []int
	for _, c := range all {
		ranks = append(ranks, c.served(rank)...)
	}
	return ranks
}

// pieces says where the things lie that an algorithm shares out, one for each rank: they are parts of a block, or blocks.
type pieces struct {
	part    func(q int) int
	input   func(q int) Operand
	partial func(q int) Operand // a sum that is not complete, and at the owner the one that is
	output  func(q int) Operand
}

// partsOfBlock are those of the only block.
var partsOfBlock = pieces{
	part:    func(q int) int { return q },
	input:   func(int) Operand { return input(0) },
	partial: func(int) Operand { return output(0) },
	output:  func(int) Operand { return output(0) },
}

// halve appends a reduce-scatter: for each cut, a rank sends its sums for the other half to its server there, and adds
// what those send that it serves to the sums for its own half. At last it has its own piece.
//
// The sums are stored, not sent on at once: a step that adds would then wait for a slot, and all ranks could wait for each
// other.
func (p *Program) halve(rank, ranks int, at pieces, channel int) {
	value := at.input
	for _, c := range cutsOf(rank, ranks) {
		for q, to := c.other(rank); q < to; q++ {
			p.add(Step{Part: at.part(q), Operands: of(value(q)), To: []int{c.server(rank)}, Channel: channel})
		}
		from := c.served(rank)
		if len(from) == 0 {
			continue
		}
		for q, to := c.half(rank); q < to; q++ {
			s := Step{Part: at.part(q), Operands: of(value(q)), Store: at.partial(q).Location}
			for _, f := range from {
				s.Operands = append(s.Operands, message(f, channel))
			}
			p.add(s)
		}
		value = at.partial
	}
}

// double appends an allgather, after a step that has stored a rank's own piece and sent it to all that it ever serves: from
// the last cut to the first, a rank gets from its server what the other half has. Each piece is sent once, to those of all
// cuts still to come.
func (p *Program) double(rank, ranks int, at pieces, channel int) {
	all := cutsOf(rank, ranks)
	for i := len(all) - 1; i >= 0; i-- {
		server := all[i].server(rank)
		to := servedIn(all[:i], rank)
		for _, q := range gathered(server, ranks, i) {
			p.add(Step{Part: at.part(q), Operands: of(message(server, channel)), Store: at.output(q).Location})
			if len(to) > 0 {
				p.add(Step{Part: at.part(q), Operands: of(at.output(q)), To: to, Channel: channel})
			}
		}
	}
}

// gathered lists the pieces that a rank has before cut i, in the order in which it gets, and sends, them.
func gathered(rank, ranks, i int) []int {
	all := cutsOf(rank, ranks)
	have := []int{rank}
	for j := len(all) - 1; j > i; j-- {
		have = append(have, gathered(all[j].server(rank), ranks, j)...)
	}
	return have
}
