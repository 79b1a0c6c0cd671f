package simgrid

import (
	"iter"

	"hcomm/plan"
	"hcomm/sim"
)

// Record simulates a job, and makes an experiment of what its ranks do, in the order in which they do it there. For what a
// rank does next, of all that it could, depends on what has arrived; a trace has one order.
func Record(job sim.Job, progress func(fraction float64)) (Experiment, *sim.Result, error) {
	done := make([][][]int32, len(job.Lanes)) // steps, by lane and rank
	for l := range done {
		done[l] = make([][]int32, len(job.Lanes[l].Ports))
	}
	job.Watch = func(lane, rank, step int) { done[lane][rank] = append(done[lane][rank], int32(step)) }
	result, err := sim.Run(job, progress)
	if err != nil {
		return Experiment{}, nil, err
	}
	e := Experiment{Network: job.Network}
	for l, lane := range job.Lanes {
		b := lane.Builder.Along(lane.Order)
		e.Lanes = append(e.Lanes, Lane{lane.Ports, func(rank int) iter.Seq[Action] {
			p := b.Build(plan.Role{Rank: rank, Ranks: len(lane.Ports), Root: job.Root})
			bytes := lane.Bytes
			if b.Collective == plan.Barrier {
				bytes = 0
			}
			_, slice := job.Model.Slices(bytes / float64(p.Parts))
			return func(yield func(Action) bool) {
				for _, step := range done[l][rank] {
					if !yield(action(&p.Steps[step], job.Model, slice)) {
						return
					}
				}
			}
		}})
	}
	return e, result, nil
}

// action is one slice of a step.
func action(s *plan.Step, m plan.Model, slice float64) Action {
	a := Action{Seconds: s.Seconds(m, slice)}
	for _, x := range s.Operands {
		if x.Place == plan.Message {
			a.Receives = append(a.Receives, Message{x.From, x.Channel, slice})
		}
	}
	for _, to := range s.To {
		a.Sends = append(a.Sends, Message{to, s.Channel, slice})
	}
	return a
}
