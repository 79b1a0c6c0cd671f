package shm

import (
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// seats has the ranks but the first sit on these processors.
func seats(ports []*Port, cpus ...int) {
	for q, cpu := range cpus {
		ports[q+1].sit(cpu)
	}
}

// TestSettle has all ranks be where this one is: it leaves, and may go where it might before.
func TestSettle(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil || before.Count() < 2 {
		t.Skip("there is one processor", err)
	}
	all := ports(t, NewLayout(4, 1, 4096, 1), false)
	p, here := all[0], 0
	for tries, now := 0, 0; p.settling.rest == 0 || now == here; tries++ { // the kernel may have its way in between
		if tries == 1000 {
			t.Fatal("it stays with all the others")
		}
		p.settling = settling{}
		here, _ = processor()
		seats(all, here, here, here)
		p.Settle(2)
		now, _ = processor()
	}
	if p.seated(here) != 3 {
		t.Errorf("it says that %d ranks are on processor %d", p.seated(here), here)
	}
	if err := unix.SchedGetaffinity(0, &after); err != nil || after != before {
		t.Errorf("it may use other processors than before (%v)", err)
	}
}

func TestEmptier(t *testing.T) {
	all := ports(t, NewLayout(4, 1, 4096, 1), false)
	var mask unix.CPUSet
	for _, cpu := range []int{3, 5, 9} {
		mask.Set(cpu)
	}
	for _, c := range []struct {
		others [3]int
		want   int
	}{
		{[3]int{3, 3, 3}, 5}, {[3]int{3, 3, 5}, 9}, {[3]int{5, 5, 9}, -1}, {[3]int{3, 5, 5}, 9}, {[3]int{3, 5, 9}, -1}, {[3]int{3, 4, 4}, 5},
	} {
		all[0].sit(3)
		seats(all, c.others[:]...)
		got, ok := all[0].emptier(3, &mask)
		if !ok {
			got = -1
		}
		if got != c.want {
			t.Errorf("beside others on %v it goes from processor 3 to %d, not %d", c.others, got, c.want)
		}
	}
}

// A rank that has moved stays where the kernel puts it then, at first for a short time.
func TestRest(t *testing.T) {
	var s settling
	now := time.Hour
	if !s.rested(now) {
		t.Error("it must rest before it has moved")
	}
	for _, want := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 128} {
		s.move(now)
		if now += want * time.Millisecond; s.rested(now) {
			t.Errorf("it rests less than %d ms", want)
		}
		if now++; !s.rested(now) {
			t.Errorf("it rests more than %d ms", want)
		}
	}
	now += forgotten
	if s.move(now); !s.rested(now + leastRest + 1) {
		t.Error("after a long time it has forgotten nothing")
	}
}
