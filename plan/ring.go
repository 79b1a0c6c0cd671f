package plan

// In the ring algorithms each rank receives from the one before it and sends to the one behind it. Steps take turns on the
// channels: on one only, everybody could wait for the next rank to free its slot.

var ringAllReduce = Builder{
	Name: "ring", Collective: AllReduce, Rotates: true, Build: buildRingAllReduce,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: n, latencies: 2 * (n - 1), busy: work{4 * (n - 1), 3*n - 2, n - 1}, traffic: n * (3*n - 2)}
	}),
	Formula: "2(n-1)α + K(4(n-1)o + (3n-2)wβ + (n-1)wγ), at least (3n-2)mδ",
	Source:  patarasuk,
	About:   "Each part goes round the ring once to be reduced, and once to be told to all.",
}

// buildRingAllReduce: in step t a rank handles the part that started t ranks before it; the sum is complete at t = n-1.
func buildRingAllReduce(r Role) Program {
	n := r.Ranks
	if n == 1 {
		return alone("ring")
	}
	p := Program{Builder: "ring", Parts: n}
	for t := 0; t <= 2*n-2; t++ {
		s := Step{Part: mod(r.Rank-t, n), Operands: of(around(r, t), input(0))}
		if t == 0 || t >= n {
			s.Operands = s.Operands[:1]
		}
		if t >= n-1 {
			s.Store = output(0).Location
		}
		if t < 2*n-2 {
			s.onward(r, t)
		}
		p.add(s)
	}
	return p.order()
}

// around is what step t has from the rank before, if it is not the first.
func around(r Role, t int) Operand {
	if t == 0 {
		return input(0)
	}
	return message(mod(r.Rank-1, r.Ranks), (t-1)%Channels)
}

// onward makes step t send to the rank behind.
func (s *Step) onward(r Role, t int) {
	s.To, s.Channel = []int{(r.Rank + 1) % r.Ranks}, t%Channels
}

var ringAllGather = Builder{
	Name: "ring", Collective: AllGather, Rotates: true, Build: buildRingAllGather,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: n - 1, busy: work{2 * (n - 1), 2*n - 1, 0}, traffic: n * (2*n - 1)}
	}),
	Formula: "(n-1)α + K(2(n-1)o + (2n-1)wβ), at least n(2n-1)mδ",
	Source:  thakur,
	About:   "Each block goes round the ring once.",
}

func buildRingAllGather(r Role) Program {
	p := Program{Builder: "ring", Parts: 1}
	for t := range r.Ranks {
		block := mod(r.Rank-t, r.Ranks)
		s := Step{Operands: of(around(r, t)), Store: output(block).Location}
		if t == 0 {
			s.Operands = of(input(block))
		}
		if t < r.Ranks-1 {
			s.onward(r, t)
		}
		p.add(s)
	}
	return p.order()
}

var ringReduceScatter = Builder{
	Name: "ring", Collective: ReduceScatter, Rotates: true, Build: buildRingReduceScatter,
	Cost: estimate(func(n, _ float64) effort {
		return effort{parts: 1, latencies: n - 1, busy: work{2 * (n - 1), n, n - 1}, traffic: n * n}
	}),
	Formula: "(n-1)α + K(2(n-1)o + nwβ + (n-1)wγ), at least n²mδ",
	Source:  patarasuk,
	About:   "Each block goes round the ring once, to be reduced, and ends at its rank.",
}

func buildRingReduceScatter(r Role) Program {
	n := r.Ranks
	p := Program{Builder: "ring", Parts: 1}
	for t := range n {
		block := mod(r.Rank-1-t, n)
		s := Step{Operands: of(input(block))}
		if t > 0 {
			s.Operands = of(around(r, t), input(block))
		}
		if t < n-1 {
			s.onward(r, t)
		} else {
			s.Store = output(block).Location
		}
		p.add(s)
	}
	return p.order()
}
