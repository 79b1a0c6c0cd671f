package plan

// ScaleFirst makes a sum the average of floats: every contribution is scaled before it is used or sent.
func (p Program) ScaleFirst() Program {
	p.Steps = append([]Step(nil), p.Steps...)
	for j := range p.Steps {
		s := &p.Steps[j]
		s.Operands = append([]Operand(nil), s.Operands...)
		for i := range s.Operands {
			if s.Operands[i].Place == Input {
				s.Operands[i].Map = Scale
			}
		}
	}
	return p.order()
}

// DivideLast makes a sum the average of integers: every rank divides what it has got.
func (p Program) DivideLast() Program {
	p.Steps = append([]Step(nil), p.Steps...)
	type result struct {
		at   Location
		part int
	}
	divided := map[result]bool{}
	for _, s := range p.Steps {
		r := result{s.Store, s.Part}
		if s.Store.Place == Output && !divided[r] {
			divided[r] = true
			x := output(s.Store.Block)
			x.Map = Divide
			p.Steps = append(p.Steps, Step{Part: s.Part, Operands: of(x), Store: s.Store})
		}
	}
	return p.order()
}
