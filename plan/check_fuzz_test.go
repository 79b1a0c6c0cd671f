package plan

import (
	"math/rand/v2"
	"testing"
)

// Check answers for whatever it is given, with an error that has a name.
func FuzzCheck(f *testing.F) {
	for seed := range uint64(500) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		random := rand.New(rand.NewPCG(seed, 2))
		all := subjects()
		s := all[random.IntN(len(all))]
		ranks := 2 + random.IntN(4)
		root := random.IntN(s.roots(ranks))
		worlds := s.options(seed >> 8)
		o := worlds[random.IntN(len(worlds))]
		var programs []Program
		switch random.IntN(3) {
		case 0:
			programs = mutate(s, ranks, root, random).programs
		case 1:
			programs = s.programs(ranks, root, someInPlace(random.Uint64()))
			for range 1 + random.IntN(3) {
				p := &programs[random.IntN(ranks)]
				*p = p.clone()
				g := garbage{random, ranks}
				g.spoil(p)
			}
		case 2:
			g := garbage{random, ranks}
			for range ranks {
				programs = append(programs, g.program())
			}
		}
		for _, p := range programs {
			Explain(p)
		}
		if err := Check(programs, s.Collective, root, o); err != nil && !known(err) {
			t.Errorf("an error without a name: %v", err)
		}
	})
}

// garbage draws what no builder would make.
type garbage struct {
	*rand.Rand
	ranks int
}

// number is one that is right now and then.
func (g garbage) number() int {
	switch g.IntN(40) {
	case 0:
		return -1 - g.IntN(3)
	case 1:
		return 1 << (10 + g.IntN(50))
	}
	return g.IntN(g.ranks + 1)
}

func (g garbage) numbers() []int {
	var all []int
	for range g.IntN(3) {
		all = append(all, g.number())
	}
	return all
}

func (g garbage) location() Location { return Location{Place(g.IntN(6)), g.number()} }

func (g garbage) operand() Operand {
	x := Operand{g.location(), g.number(), g.IntN(3), Map(g.IntN(4))}
	if x.Place == Message {
		x.Block = 0
	}
	return x
}

func (g garbage) step() Step {
	s := Step{Part: g.IntN(2), Store: g.location(), To: g.numbers(), Channel: g.IntN(3), Eager: g.IntN(2) == 0}
	for range g.IntN(4) {
		s.Operands = append(s.Operands, g.operand())
	}
	for range g.IntN(3) {
		s.After = append(s.After, g.dependency())
	}
	s.Stride = g.numbers()
	return s
}

func (g garbage) dependency() Dependency {
	return Dependency{Step: g.number(), Lag: g.number() % 3, Read: g.IntN(2) == 0}
}

func (g garbage) program() Program {
	p := Program{Parts: 1 + g.IntN(2), Scratch: g.number(), Apart: g.IntN(2) == 0}
	for range g.IntN(5) {
		p.Steps = append(p.Steps, g.step())
	}
	if g.IntN(4) > 0 {
		g.mend(&p)
	}
	return p
}

// mend makes what is derived right, so that more than that comes to be looked at.
func (g garbage) mend(p *Program) {
	for j := range p.Steps {
		if len(p.Steps[j].Operands) == 0 {
			return
		}
	}
	if g.IntN(2) == 0 {
		*p = p.order()
	} else {
		p.derived()
	}
}

// spoil changes one thing of a program.
func (g garbage) spoil(p *Program) {
	if g.IntN(10) == 0 || len(p.Steps) == 0 {
		p.Parts, p.Scratch, p.Apart = g.number(), g.number(), !p.Apart
		return
	}
	s := &p.Steps[g.IntN(len(p.Steps))]
	switch g.IntN(10) {
	case 0:
		s.Part = g.number()
	case 1:
		s.Operands = append(s.Operands, g.operand())
	case 2:
		s.Operands[g.IntN(len(s.Operands))] = g.operand()
	case 3:
		s.Store = g.location()
	case 4:
		s.To = g.numbers()
	case 5:
		s.Channel = g.number()
	case 6:
		s.After = append(s.After, g.dependency())
	case 7:
		s.After = nil
	case 8:
		s.Stride = g.numbers()
	case 9:
		p.Steps = append(p.Steps, g.step())
	}
	if g.IntN(4) > 0 {
		g.mend(p)
	}
}
