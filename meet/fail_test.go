package meet

import (
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func self() string { return fmt.Sprintf("pid %d", os.Getpid()) }

// wantAll lets the ranks join and wants the same error from all.
func wantAll(t *testing.T, rs []rank, kind error, text string) {
	t.Helper()
	for _, j := range join(rs) {
		if j.s != nil {
			j.s.Close()
		}
		wantError(t, j.err, kind, text)
	}
}

func TestWrongSize(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 4)
		rs[3].job.Size = 8
		wantAll(t, []rank{rs[0], rs[3]}, ErrDisagree, "rank 3 says that the job has 8 ranks, rank 0 says 4")
	})
}

func TestOtherVersion(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 2)
	zero := rs[0].startOpen()
	fd := byHand(t, rs[1].job)
	send(fd, hello{2, 1, 2, patient}.encode(), nil)
	text := "rank 1 (" + self() + ") speaks version 2 of the meeting protocol, rank 0 version 1: all ranks must load the same libhcomm"
	wantNotice(t, fd, frameFail, ErrDisagree, text)
	unix.Close(fd)
	wantError(t, (<-zero).err, ErrDisagree, text)
}

func TestDoubleRank(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 4)
		rs[3].job.Rank = 2
		wantAll(t, []rank{rs[0], rs[2], rs[3]}, ErrDisagree, "two processes say that they are rank 2 ("+self()+" and "+self()+")")
	})
}

func TestDoubleRoot(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 2)
		zero := rs[0].startOpen()
		text := "two processes say that they are rank 0 (" + self() + " and " + self() + ")"
		wantError(t, (<-rs[0].start()).err, ErrDisagree, text)
		wantError(t, (<-zero).err, ErrDisagree, text)
	})
}

// Both roots at the same moment: one gets the place, and both hear of it.
func TestTwinRoots(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		r := ranks(at, 2)[0]
		wantAll(t, []rank{r, r}, ErrDisagree, "two processes say that they are rank 0")
	})
}

func TestMissingRanks(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 8)
		r := openRoot(t, rs[0].job)
		var cs []<-chan joined
		for _, i := range []int{2, 3, 4} {
			cs = append(cs, rs[i].start())
		}
		for _, i := range []int{2, 3, 4} {
			r.await(t, i)
		}
		text := "4 of 8 ranks came within 2m0s (HCOMM_INIT_TIMEOUT); missing: rank 1, 5-7"
		wantError(t, r.late(t, 2*time.Minute), ErrTimeout, text)
		for _, c := range cs {
			wantError(t, (<-c).err, ErrTimeout, text)
		}
	})
}

// The most impatient rank's time is everyone's: it would leave anyway, and this way all hear who is missing.
func TestImpatientRank(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 4)
	r := openRoot(t, rs[0].job)
	two := rs[2].start()
	r.await(t, 2)
	greeting := make(chan int)
	go func() { greeting <- greeted(t, rs[1].job, wait{time.Second, time.Millisecond}) }()
	err := r.gather()
	r.fail(err)
	text := "3 of 4 ranks came within 1s (HCOMM_INIT_TIMEOUT); missing: rank 3"
	wantError(t, err, ErrTimeout, text)
	wantError(t, (<-two).err, ErrTimeout, text)
	fd := <-greeting
	wantWelcome(t, fd)
	wantNotice(t, fd, frameFail, ErrTimeout, text)
	unix.Close(fd)
}

// A root that is stopped (SIGSTOP) answers nothing: a rank that is in gives up by itself.
func TestSilentRoot(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 3)
	r := openRoot(t, rs[0].job)
	in := make(chan bool)
	p := newPatience(long, nil)
	p.stop = func() error {
		select {
		case <-in:
			p.deadline = time.Now()
		default:
		}
		return nil
	}
	gaveUp := make(chan error)
	go func() {
		_, err := visit(rs[1].job, p)
		gaveUp <- err
	}()
	r.await(t, 1)
	close(in)
	wantError(t, <-gaveUp, ErrTimeout, "rank 1: not all of 3 ranks came within 20s; rank 0 ("+self()+") is at "+rs[0].job.At.String()+" and has not said who is missing")
	err := r.failure(t)
	wantError(t, err, ErrGone, "rank 1 ("+self()+") left while others were still awaited: it gave up after 20s")
	r.fail(err)
}

func TestRankDies(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 4)
	r := openRoot(t, rs[0].job)
	two := rs[2].start()
	r.await(t, 2)
	greeting := make(chan int)
	go func() { greeting <- greeted(t, rs[1].job, patient) }()
	r.await(t, 1)
	unix.Close(<-greeting)
	text := "rank 1 (" + self() + ") died or was cut off while others were still awaited"
	err := r.failure(t)
	wantError(t, err, ErrGone, text)
	r.fail(err)
	wantError(t, (<-two).err, ErrGone, text)
}

func TestRankBreaksRules(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 3)
	r := openRoot(t, rs[0].job)
	greeting := make(chan int)
	go func() { greeting <- greeted(t, rs[1].job, patient) }()
	r.await(t, 1)
	fd := <-greeting
	send(fd, []byte("what?"), nil)
	err := r.failure(t)
	wantError(t, err, ErrRefused, "rank 1 ("+self()+") sent a frame that does not belong in a meeting: all ranks must load the same libhcomm")
	r.fail(err)
	unix.Close(fd)
}

// A rank that has been let in hears of the root's death at once.
func TestRootDies(t *testing.T) {
	noLeak(t)
	rs := ranks(socketPoint(t), 3)
	r := openRoot(t, rs[0].job)
	one := rs[1].start()
	r.await(t, 1)
	r.closeDoors()
	unix.Close(r.members[1].fd)
	wantError(t, (<-one).err, ErrGone, "rank 0 ("+self()+") died or was cut off while others were still awaited")
}

// A root that hangs up before the hello was accepted may be one of an older meeting: the rank looks again.
func TestOldListener(t *testing.T) {
	onBoth(t, func(t *testing.T, at Point) {
		rs := ranks(at, 2)
		old := openRoot(t, rs[0].job)
		one := rs[1].start()
		for waiting := 0; waiting == 0; {
			if err := old.turn(); err != nil {
				t.Fatal(err)
			}
			for _, d := range old.doors {
				waiting += len(d.waiting)
			}
		}
		old.closeDoors()
		zero := <-rs[0].start()
		if zero.err != nil {
			t.Fatal(zero.err)
		}
		zero.s.Close()
		j := <-one
		if j.err != nil {
			t.Fatal(j.err)
		}
		j.s.Close()
	})
}
