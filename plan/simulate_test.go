package plan

import (
	"math"
	"testing"
)

// plain is a model with numbers that are easy to add up.
var plain = Model{Latency: 100, Overhead: 10, Copy: 1, Reduce: 2, Slice: 1000, Slots: 2}

func simulated(t *testing.T, c Collective, name string, ranks int, bytes float64, m Model, want float64) {
	t.Helper()
	b, err := Find(c, name)
	if err != nil {
		t.Fatal(err)
	}
	if got := Simulate(b.Programs(ranks, 0), c, bytes, m); math.Abs(got-want) > 1e-6*want {
		t.Errorf("%v/%s, %d ranks, %g bytes: %g seconds, want %g", c, name, ranks, bytes, got, want)
	}
}

func TestSimulateOneSlice(t *testing.T) {
	// The root copies twice, to its output and to the slot, and posts; the other takes and reads.
	simulated(t, Broadcast, "flat", 2, 50, plain, 10+2*50+100+10+50)
	// Each reads two messages and reduces twice.
	simulated(t, AllReduce, "direct", 3, 50, plain, 2*10+50+100+2*10+2*50+2*2*50)
	simulated(t, Barrier, "dissemination", 4, 50, plain, 2*(10+100+10))
	simulated(t, AllReduce, "ring", 1, 50, plain, 50)
}

// The second slice is copied while the first is under way; but with one slot it waits until that is free.
func TestSimulateSlots(t *testing.T) {
	const copied, taken = 10 + 2*1000, 10 + 1000
	simulated(t, Broadcast, "flat", 2, 2000, plain, 2*copied+100+taken)
	one := plain
	one.Slots = 1
	simulated(t, Broadcast, "flat", 2, 2000, one, copied+100+taken+100+copied+100+taken)
	one.Inline = 1000
	simulated(t, Broadcast, "flat", 2, 2000, one, 2*copied+100+taken)
}

// Three that copy at once, at half of a byte's time each, take half as long again as one.
func TestSimulateSharedMemory(t *testing.T) {
	shared := plain
	shared.Memory = 0.5
	simulated(t, AllReduce, "direct", 3, 50, shared, 2*10+1.5*50+100+2*10+1.5*2*50+2*2*50)
}

func TestSimulateDeadlock(t *testing.T) {
	wait := func(from int) Program {
		return Program{Parts: 1, Steps: []Step{{Operands: of(message(from, 0)), Store: output(0).Location}}}.order()
	}
	if got := Simulate([]Program{wait(1), wait(0)}, AllReduce, 8, plain); !math.IsInf(got, 1) {
		t.Errorf("two ranks that wait for each other are done after %g seconds", got)
	}
}
