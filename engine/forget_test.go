package engine

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

func twoComms(t *testing.T) []*Comm {
	t.Helper()
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	return comms
}

// What nobody will ask for goes on, and a communicator waits for it, but for receives that no message has matched.
func TestAForgottenRequestIsDoneBeforeTheCommunicatorGoes(t *testing.T) {
	b, got := words(2<<20, 0, 1), make([]byte, 8<<20)
	comms := twoComms(t)
	inParallel(t, comms, func(c *Comm) error {
		if c.Rank() == 1 {
			_, err := c.Recv(tagged8(got, 0, 5))
			return err
		}
		for _, w := range []Work{RecvWork(tagged8(make([]byte, 8), 1, 6)), SendWork(tagged8(b, 1, 5))} {
			r, err := c.Begin(w)
			if err != nil {
				return err
			}
			r.Forget()
		}
		return c.Destroy()
	})
	if err := comms[1].Destroy(); err != nil {
		t.Error(err)
	}
	if string(got) != string(b) {
		t.Error("the message is not there")
	}
}

func TestAWaitForAllEndsWhenOneHasFailed(t *testing.T) {
	together(t, 2, func(c *Comm) error {
		if c.Rank() == 1 {
			if err := c.Send(tagged8(make([]byte, 100), 0, 1)); err != nil {
				return err
			}
			return c.Barrier()
		}
		short, err := c.Begin(RecvWork(tagged8(make([]byte, 10), 1, 1)))
		if err != nil {
			return err
		}
		never, err := c.Begin(RecvWork(tagged8(make([]byte, 10), 1, 2)))
		if err != nil {
			return err
		}
		WaitAllUnlessFailed([]*Request{never, short})
		if never.IsDone() || !short.IsDone() {
			return errors.New("it has waited for the wrong request")
		}
		for range 2 { // a look leaves it as it is
			var e *Error
			if s, err := short.Look(); !errors.As(err, &e) || e.Code != Truncated || s.Bytes != 100 {
				return fmt.Errorf("%v, %v", s, err)
			}
		}
		never.Forget()
		return c.Barrier()
	})
}

func TestAnAbortMayHaveAReason(t *testing.T) {
	comms := twoComms(t)
	inParallel(t, comms, func(c *Comm) error {
		if c.Rank() == 0 {
			c.AbortBecause("the weather")
			return nil
		}
		err := c.Barrier()
		if err == nil || !strings.Contains(err.Error(), "rank 0") || !strings.Contains(err.Error(), "aborted the communicator: the weather") {
			return fmt.Errorf("%v", err)
		}
		return c.Destroy()
	})
}
