package plan

import "math/bits"

// The algorithms of Bruck and others take as few rounds as there can be, for any number of ranks. Blocks travel in
// messages of their own, straight to their place: there is nothing to pack or to rotate.

var bruckAllGather = Builder{
	Name: "bruck", Collective: AllGather, Rotates: true, Build: buildBruckAllGather,
	Cost:    estimate(logarithmicAllGather),
	Formula: "Lα + K(2(n-1)o + 1.5nwβ), at least 1.5n²mδ",
	Source:  bruck,
	About:   "In round i each rank sends all blocks that it has to the rank 2^i before it.",
}

// buildBruckAllGather: block r+j comes to rank r in the round of j's highest bit. It is sent once, to those of all later
// rounds.
func buildBruckAllGather(r Role) Program {
	n := r.Ranks
	p := Program{Builder: "bruck", Parts: 1}
	for j := range n {
		block := (r.Rank + j) % n
		var to []int
		for d := 1; j+d < n; d *= 2 {
			if d > j {
				to = append(to, mod(r.Rank-d, n))
			}
		}
		if j == 0 {
			p.add(Step{Operands: of(input(block)), Store: output(block).Location, To: to})
			continue
		}
		from := r.Rank + 1<<(bits.Len(uint(j))-1)
		p.copy(message(from%n, 0), output(block))
		if len(to) > 0 {
			p.add(Step{Operands: of(output(block)), To: to})
		}
	}
	return p.order()
}

var bruckAlltoAll = Builder{
	Name: "bruck", Collective: AlltoAll, Rotates: true, Build: buildBruckAlltoAll,
	Cost: estimate(func(n, rounds float64) effort {
		return effort{parts: 1, latencies: rounds, busy: work{n * rounds, n*rounds + 1, 0}, traffic: n * (n*rounds + 1)}
	}),
	Formula: "Lα + K(nLo + (nL+1)wβ), at least n(nL+1)mδ",
	Source:  bruck,
	About:   "A block for the rank j behind goes by the powers of two that make up j, in one round each.",
}

// buildBruckAlltoAll: scratch block j holds what is on its way by j, between hops. In place the last hop goes there too,
// since the block that belongs where it ends may have to be sent in a later round.
func buildBruckAlltoAll(r Role) Program {
	n := r.Ranks
	p := Program{Builder: "bruck", Parts: 1, Scratch: n, Apart: !r.InPlace}
	p.copy(input(r.Rank), output(r.Rank))
	for d := 1; d < n; d *= 2 {
		for j := d; j < n; j++ {
			if j&d == 0 {
				continue
			}
			from, to := input((r.Rank+j)%n), scratch(j)
			if j&(d-1) != 0 {
				from = scratch(j)
			}
			if j < 2*d && !r.InPlace {
				to = output(mod(r.Rank-j, n))
			}
			p.add(Step{Operands: of(from), To: []int{(r.Rank + d) % n}})
			p.copy(message(mod(r.Rank-d, n), 0), to)
		}
	}
	for j := 1; r.InPlace && j < n; j++ {
		p.copy(scratch(j), output(mod(r.Rank-j, n)))
	}
	return p.order()
}
