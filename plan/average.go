package plan

// ScaleFirst makes a sum the average of floats: the output gets the scaled input, and the program works on that.
func (p Program) ScaleFirst() Program {
	q := Program{Builder: p.Builder, Chunks: p.Chunks}
	for c := range p.Chunks {
		q.Steps = append(q.Steps, Step{Chunk: c, A: at(Input), Map: Scale, Store: Output})
	}
	for _, s := range p.Steps {
		if s.A.Place == Input {
			s.A.Place = Output
		}
		if s.B.Place == Input {
			s.B.Place = Output
		}
		q.Steps = append(q.Steps, s)
	}
	return q.order()
}

// DivideLast makes a sum the average of integers: every rank divides what it has got.
func (p Program) DivideLast() Program {
	q := Program{Builder: p.Builder, Chunks: p.Chunks, Steps: append([]Step(nil), p.Steps...)}
	for c := range p.Chunks {
		q.Steps = append(q.Steps, Step{Chunk: c, A: at(Output), Map: Divide, Store: Output})
	}
	return q.order()
}
