package engine

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hcomm/meet"
	"hcomm/plan"
	"hcomm/simd"
)

// sums checks a communicator by an allreduce.
func sums(c *Comm, call int) error {
	b := words(1000, c.Rank(), call)
	if err := c.Do(allreduceWork(b)); err != nil {
		return err
	}
	if string(b) != string(sumOf(c.Size(), 1000, call)) {
		return errors.New("the sum is wrong")
	}
	return nil
}

// needsMeeting skips a test in which ranks meet: they give each other their memory's descriptors, and under the race detector
// it has none.
func needsMeeting(t *testing.T) {
	if raceDetector {
		t.Skip("no memory with descriptors under the race detector")
	}
}

func TestSplit(t *testing.T) {
	needsMeeting(t)
	const ranks = 5
	together(t, ranks, func(c *Comm) error {
		for round := range 3 {
			color := c.Rank() % 2
			if c.Rank() == 3 {
				color = NoColor
			}
			half, err := c.Split(color, -c.Rank(), nil)
			if err != nil {
				return err
			}
			if c.Rank() == 3 {
				if half != nil {
					return errors.New("a rank without a color got a communicator")
				}
				continue
			}
			want := map[int][2]int{0: {2, 3}, 2: {1, 3}, 4: {0, 3}, 1: {0, 1}}[c.Rank()]
			if half.Rank() != want[0] || half.Size() != want[1] {
				return fmt.Errorf("rank %d became %d of %d", c.Rank(), half.Rank(), half.Size())
			}
			if err := sums(half, round); err != nil {
				return err
			}
			if members, _ := half.HasSameRanks(c); members {
				return errors.New("it has the same ranks")
			}
			if err := half.Destroy(); err != nil {
				return err
			}
		}
		twin, err := c.Dup(nil)
		if err != nil {
			return err
		}
		if members, order := twin.HasSameRanks(c); !members || !order {
			return errors.New("a twin has other ranks")
		}
		if err := sums(twin, 1); err != nil {
			return err
		}
		if err := twin.Complete(); err != nil {
			return err
		}
		var e *Error
		if err := twin.Barrier(); !errors.As(err, &e) || e.Code != InvalidUsage || !strings.Contains(e.Text, "finalized") {
			return fmt.Errorf("after Complete: %v", err)
		}
		return twin.Destroy()
	})
}

// Who waits for ranks of a communicator that is given up, to make another, does not wait for those that found out before.
func TestSplitOfWhatIsGivenUp(t *testing.T) {
	comms, err := InitAll(os.Getenv, 3)
	if err != nil {
		t.Fatal(err)
	}
	id, err := meet.NewID()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, c := range comms[:2] {
		wg.Go(func() {
			_, err := c.joinAgain([]int{0, 1, 2}, id, nil, true)
			var e *Error
			if !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 2") || !strings.Contains(e.Text, "revoked") {
				t.Errorf("rank %d: %v", c.Rank(), err)
			}
		})
	}
	comms[2].Revoke()
	wg.Wait()
	for _, c := range comms {
		c.Destroy()
	}
}

func TestShrinkAfterAnError(t *testing.T) {
	needsMeeting(t)
	comms, err := InitAll(os.Getenv, 4)
	if err != nil {
		t.Fatal(err)
	}
	comms[2].Destroy() // leaves early
	inParallel(t, []*Comm{comms[0], comms[1], comms[3]}, func(c *Comm) error {
		var e *Error
		if err := c.Barrier(); !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 2") {
			return fmt.Errorf("the barrier: %v", err)
		}
		if failed := c.Failed(); c.Failure() == nil || !slices.Equal(failed, []int{2}) {
			return fmt.Errorf("those who have failed: %v", failed)
		}
		small, err := c.Shrink([]int{2}, false, nil)
		if err != nil {
			return err
		}
		if small.Size() != 3 || small.Rank() != c.Rank()-c.Rank()/3 {
			return fmt.Errorf("rank %d became %d of %d", c.Rank(), small.Rank(), small.Size())
		}
		return errors.Join(sums(small, 3), small.Destroy(), c.Destroy())
	})
}

func TestShrinkWithDifferentLists(t *testing.T) {
	comms := newComms(t, 3)
	comms[0].Revoke()
	lists := [][]int{{2}, {}, {}}
	texts := make([]string, 3)
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Go(func() {
			_, err := c.Shrink(lists[i], false, nil)
			var e *Error
			if !errors.As(err, &e) || e.Code != Mismatch {
				t.Errorf("rank %d: %v", i, err)
			}
			texts[i] = fmt.Sprint(err)
		})
	}
	wg.Wait()
	for _, text := range texts {
		if !strings.Contains(text, "excludes rank 2") || !strings.Contains(text, "excludes nobody") {
			t.Errorf("%s", text)
		}
	}
	needsMeeting(t)
	inParallel(t, comms, func(c *Comm) error {
		same, err := c.Shrink(nil, false, nil)
		if err != nil {
			return err
		}
		return errors.Join(sums(same, 4), same.Destroy(), c.Destroy())
	})
}

// A rank may begin the next shrink while another one's list of the last still stands.
func TestShrinkAgain(t *testing.T) {
	needsMeeting(t)
	comms, err := InitAll(os.Getenv, 4)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range comms {
		c.values.InitTimeout = 5 * time.Second
	}
	inParallel(t, comms[:3], func(c *Comm) error {
		for i := range 200 {
			out := []int{3}
			if i%3 == 1 {
				out = append(out, 2) // who comes back the next time
			}
			if slices.Contains(out, c.Rank()) {
				continue
			}
			small, err := c.Shrink(out, false, nil)
			if err != nil {
				return fmt.Errorf("time %d: %v", i, err)
			}
			if err := small.Destroy(); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range comms {
		c.Destroy()
	}
}

// Who does not know yet that a rank is gone is told so, and who knows it waits for the other to come again: they do not just
// hear that their lists differ.
func TestShrinkWhileTheNewsOfAnEndSpreads(t *testing.T) {
	needsMeeting(t)
	comms, err := InitAll(os.Getenv, 4)
	if err != nil {
		t.Fatal(err)
	}
	comms[2].Destroy()
	inParallel(t, []*Comm{comms[0], comms[1], comms[3]}, func(c *Comm) error {
		if c.Rank() != 1 {
			var e *Error
			if _, err := c.Shrink(nil, false, nil); !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 2 ") {
				return fmt.Errorf("with a rank that is gone: %v", err)
			}
		}
		small, err := c.Shrink([]int{2}, false, nil)
		if err != nil {
			return err
		}
		return errors.Join(sums(small, 3), small.Destroy(), c.Destroy())
	})
}

func TestTimeoutNamesTheMissingRank(t *testing.T) {
	comms, err := InitAll(os.Getenv, 3)
	if err != nil {
		t.Fatal(err)
	}
	inParallel(t, comms, (*Comm).Barrier)
	for _, c := range comms {
		c.limits.timeout = 500 * time.Millisecond
	}
	inParallel(t, []*Comm{comms[0], comms[2]}, func(c *Comm) error {
		var e *Error
		err := c.Barrier()
		if !errors.As(err, &e) || e.Code != Timeout || !strings.HasPrefix(e.Text, "rank 1 ") || !strings.Contains(e.Text, "was last in Barrier #1") {
			return fmt.Errorf("not a timeout of rank 1: %v", err)
		}
		return nil
	})
	for _, c := range comms {
		c.Destroy()
	}
}

// A rank that has told the others where it goes, and then has an error, does not come: they must not wait for it.
func TestRevokeEndsASplitThatIsUnderWay(t *testing.T) {
	needsMeeting(t)
	for _, abort := range []bool{false, true} {
		comms := newComms(t, 3)
		met := make(chan error, 2)
		for _, c := range comms[:2] {
			go func() {
				_, err := c.Dup(nil)
				met <- err
			}()
		}
		mine := ticket{}
		send, recv := mine.encode(), make([]byte, 3*ticketBytes)
		if err := comms[2].collective(plan.AllGather, arguments{send: address(send), recv: address(recv), count: uint64(ticketBytes), t: simd.Uint8, op: forDup}); err != nil {
			t.Fatal(err)
		}
		if abort {
			comms[0].Abort()
		} else {
			comms[2].Revoke()
		}
		for range 2 {
			until(t, "Dup has ended", func() bool { return len(met) > 0 })
			var e *Error
			if err := <-met; !errors.As(err, &e) || e.Code != RemoteError && !(abort && e.Code == InvalidUsage) {
				t.Errorf("Dup: %v", err)
			}
		}
	}
}
