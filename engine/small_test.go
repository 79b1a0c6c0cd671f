package engine

import (
	"fmt"
	"testing"

	"hcomm/plan"
)

// What the exchange in C does is what the programs say that it stands for: all that a rank sends is of its input, as it
// was before anything arrived; at most one message goes from each rank to each other, on channel 0, and is a block.
func TestExchangesAreThePrograms(t *testing.T) {
	for _, k := range plan.Collectives() {
		b, err := plan.Find(k, exchanges[k])
		if err != nil {
			t.Error(err)
			continue
		}
		if k.Reduces() && b.Order < plan.OneFold {
			t.Errorf("%v:%s keeps only %v", k, b.Name, b.Order)
		}
		for ranks := 2; ranks <= plan.Host.Few; ranks++ {
			for rank := range ranks {
				for _, inPlace := range []bool{false, true} {
					p := b.Build(plan.Role{Rank: rank, Ranks: ranks, Root: ranks / 2, InPlace: inPlace})
					if err := isExchange(&p); err != nil {
						t.Errorf("%v:%s, rank %d of %d: %v", k, b.Name, rank, ranks, err)
					}
				}
			}
		}
	}
}

func isExchange(p *plan.Program) error {
	sent, received := map[int]int{}, map[int]int{}
	if p.Parts != 1 || p.Scratch != 0 {
		return fmt.Errorf("%d parts and %d blocks of scratch", p.Parts, p.Scratch)
	}
	for i := range p.Steps {
		s := &p.Steps[i]
		for _, to := range s.To {
			sent[to]++
		}
		for _, x := range s.Operands {
			if x.Place == plan.Message {
				received[x.From]++
			}
			if x.Place != plan.Input && len(s.To) > 0 || s.Channel != 0 || x.Channel != 0 {
				return fmt.Errorf("step %d sends what is not of the input, or not on channel 0", i)
			}
		}
	}
	for q, n := range sent {
		if n > 1 || received[q] > 1 {
			return fmt.Errorf("%d messages to rank %d, and %d from there", n, q, received[q])
		}
	}
	return nil
}

// Blocks that fit an entry take the exchange, unless another builder is forced.
func TestBelow(t *testing.T) {
	forced, err := newRules("alltoall:bruck", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range plan.Collectives() {
		for _, ranks := range []int{2, 5, plan.Host.Few} {
			if got := new(rules).below(k, exchanges[k], ranks, 2241); got < 2049 || got > 2241 {
				t.Errorf("%v among %d ranks takes the exchange below %d bytes", k, ranks, got)
			}
		}
		if got := forced.below(k, exchanges[k], 2, 2241); (got == 0) != (k == plan.AlltoAll) {
			t.Errorf("with another builder for alltoall, %v takes the exchange below %d bytes", k, got)
		}
	}
}
