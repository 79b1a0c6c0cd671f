package draw

import (
	"reflect"
	"strings"
	"testing"

	"hcomm/plan"
)

func send(to ...int) plan.Step {
	return plan.Step{Operands: []plan.Operand{{Location: plan.Location{Place: plan.Input}}}, To: to}
}

func receive(from int) plan.Step {
	return plan.Step{
		Operands: []plan.Operand{{Location: plan.Location{Place: plan.Message}, From: from}},
		Store:    plan.Location{Place: plan.Output},
	}
}

func after(s plan.Step, steps ...plan.Dependency) plan.Step {
	s.After = steps
	return s
}

func programs(ranks ...[]plan.Step) []plan.Program {
	all := make([]plan.Program, len(ranks))
	for r, steps := range ranks {
		all[r] = plan.Program{Parts: 1, Steps: steps}
	}
	return all
}

// Rank 0 sends twice, rank 1 receives both; its second step comes after its first, and rank 0's last after the message
// back. A step that comes after the slice before waits for nothing here.
func TestTrace(t *testing.T) {
	got, err := Trace(programs(
		[]plan.Step{after(send(1), plan.Dependency{Step: 1, Lag: 1}), send(1), receive(1)},
		[]plan.Step{receive(0), after(receive(0), plan.Dependency{Step: 0}), after(send(0), plan.Dependency{Step: 1})},
	))
	want := &Events{
		Rounds: [][]int{{0, 0, 4}, {1, 2, 3}}, Last: 4,
		Messages: []Message{{At{0, 0}, At{1, 0}, 0}, {At{0, 1}, At{1, 1}, 0}, {At{1, 2}, At{0, 2}, 0}},
	}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// Those that take slots of one channel do so in turn.
func TestTraceTakesSlotsInTurn(t *testing.T) {
	p := programs([]plan.Step{send(1), send(2)}, []plan.Step{receive(0)}, []plan.Step{receive(0)})
	p[0].Senders[0] = []int{0, 1}
	got, err := Trace(p)
	if want := [][]int{{0, 1}, {1}, {2}}; err != nil || !reflect.DeepEqual(got.Rounds, want) {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestTraceRefuses(t *testing.T) {
	for _, c := range []struct {
		programs []plan.Program
		want     string
	}{
		{programs([]plan.Step{send(1)}, nil), "rank 0's step 0 sends to rank 1 on channel 0, which nobody reads"},
		{programs(nil, []plan.Step{receive(0)}), "1 messages are waited for that nobody sends"},
		{programs(
			[]plan.Step{receive(1), after(send(1), plan.Dependency{Step: 0})},
			[]plan.Step{receive(0), after(send(0), plan.Dependency{Step: 0})},
		), "4 steps wait for each other for ever"},
	} {
		if got, err := Trace(c.programs); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %+v, %v, want %s", got, err, c.want)
		}
	}
}
