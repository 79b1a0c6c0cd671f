package engine

import (
	"strings"
	"testing"
)

// Two ranks that call two communicators in different orders are told so.
func TestCrossedCommunicators(t *testing.T) {
	one, two := newComms(t, 2, "HCOMM_TIMEOUT", "1.5"), newComms(t, 2, "HCOMM_TIMEOUT", "1.5")
	errs := make([]error, 2)
	inParallel(t, []*Comm{one[0], two[1]}, func(c *Comm) error {
		errs[c.Rank()] = c.Barrier()
		return nil
	})
	for rank, want := range []string{
		"rank 1 (host ", "rank 0 (host ",
	} {
		const does = "has not called it: it has called no collective yet, and it wait"
		const where = " in another communicator, of 2 ranks, in Barrier #1"
		if err := errs[rank]; err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), does) || !strings.Contains(err.Error(), where) {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// What a wait has put up elsewhere is taken down with it, and is not what another one has put up.
func TestWaitsAreShownElsewhereWhileTheyLast(t *testing.T) {
	one, two, three := newComms(t, 2), newComms(t, 2), newComms(t, 2, "HCOMM_TIMEOUT", "0.2")
	one[0].name = "first"
	done := make(chan error)
	go func() { done <- one[0].Barrier() }()
	shown := func(c *Comm) string { return c.elsewhere(0) }
	const text = `, and it waits in another communicator, "first", of 2 ranks, in Barrier #1`
	until(t, "it is shown", func() bool { return shown(two[1]) == text && shown(three[1]) == text })
	if shown(one[1]) != "" || shown(two[0]) != text {
		t.Errorf("shown by rank 0 in the same communicator: %q; to rank 0 in the other: %q", shown(one[1]), shown(two[0]))
	}
	if two[0].elsewhere(1) != "" {
		t.Error("rank 1 shows something, too")
	}
	if err := three[0].Barrier(); err == nil { // it shows that it waits there, too, and gives up
		t.Fatal("a barrier of one of two ranks")
	}
	const gaveUp = ", and it waited in another communicator, of 2 ranks, in Barrier #1, until that was a time-out"
	if got := shown(two[1]); got != gaveUp {
		t.Errorf("the last wait is over, and shown is %q", got)
	}
	if err := three[0].Destroy(); err != nil {
		t.Fatal(err)
	}
	if err := one[1].Barrier(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := shown(two[1]) + shown(three[1]); got != "" {
		t.Errorf("the first wait is over, too, and shown is %q", got)
	}
}
