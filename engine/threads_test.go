package engine

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"hcomm/hmm"
	"hcomm/simd"
)

// together runs f for every rank of a new communicator whose ranks are goroutines, and destroys it.
func together(t testing.TB, ranks int, f func(c *Comm) error) {
	t.Helper()
	comms, err := InitAll(os.Getenv, ranks)
	if err != nil {
		t.Fatal(err)
	}
	inParallel(t, comms, f)
	for _, c := range comms {
		if err := c.Destroy(); err != nil {
			t.Errorf("Destroy of rank %d: %v", c.Rank(), err)
		}
	}
}

func inParallel(t testing.TB, comms []*Comm, f func(c *Comm) error) {
	t.Helper()
	errs := make([]error, len(comms))
	var wg sync.WaitGroup
	for i, c := range comms {
		wg.Add(1)
		go func() { defer wg.Done(); errs[i] = f(c) }()
	}
	wg.Wait()
	for rank, err := range errs {
		if err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
}

// buffer is n bytes of one kind of memory, with guards around them.
type buffer struct {
	all   []byte
	bytes []byte
	free  func()
}

const guard = 128

func newBuffer(t testing.TB, rng *rand.Rand, n int) *buffer {
	b := &buffer{free: func() {}}
	skip := guard
	switch rng.IntN(4) {
	case 0:
		b.all = make([]byte, n+3*guard)
	case 1:
		b.all = make([]byte, n+3*guard)
		skip += rng.IntN(64)
	case 2:
		p, err := hmm.Alloc(uint64(n + 3*guard))
		if err != nil {
			t.Fatal(err)
		}
		b.all, b.free = unsafe.Slice((*byte)(p), n+3*guard), func() { hmm.Free(p) }
		skip = guard * rng.IntN(2)
	case 3:
		b.all, b.free = partlyRegistered(t, rng, n+3*guard)
	}
	for i := range b.all {
		b.all[i] = 0xa5
	}
	b.bytes = b.all[skip : skip+n : skip+n]
	return b
}

// partlyRegistered is n bytes, some of which, or of those around them, are registered.
func partlyRegistered(t testing.TB, rng *rand.Rand, n int) (b []byte, free func()) {
	page := unix.Getpagesize()
	mem, err := unix.Mmap(-1, 0, n+page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	from, to := rng.IntN(n+page), rng.IntN(n+page)
	if from, to = min(from, to), max(from, to); rng.IntN(3) == 0 {
		from = 0
	} else if rng.IntN(2) == 0 {
		to = len(mem)
	}
	registered, err := hmm.Register(unsafe.Pointer(&mem[from]), uint64(to-from))
	if err != nil {
		t.Fatal(err)
	}
	at := rng.IntN(page)
	return mem[at : at+n], func() {
		if done, err := registered.Close(); !done || err != nil {
			t.Errorf("registered memory: %v", err)
		}
		unix.Munmap(mem)
	}
}

func (b *buffer) intact() bool {
	skip := int(uintptr(unsafe.Pointer(unsafe.SliceData(b.bytes))) - uintptr(unsafe.Pointer(&b.all[0])))
	for i, x := range b.all {
		if (i < skip || i >= skip+len(b.bytes)) && x != 0xa5 {
			return false
		}
	}
	return true
}

func at(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// element is what a rank contributes.
func element(rank, i int) int { return (i*7 + rank*3) % 50 }

// put stores small integers of every rank; want returns the sum.
func put(b []byte, t simd.Type, rank int) {
	for i := 0; i < len(b)/t.Size(); i++ {
		v := element(rank, i)
		switch t {
		case simd.Float64:
			binary.LittleEndian.PutUint64(b[8*i:], math.Float64bits(float64(v)))
		case simd.Float32:
			binary.LittleEndian.PutUint32(b[4*i:], math.Float32bits(float32(v)))
		case simd.Int32:
			binary.LittleEndian.PutUint32(b[4*i:], uint32(v))
		case simd.Uint8:
			b[i] = byte(v)
		}
	}
}

func get(b []byte, t simd.Type, i int) int {
	switch t {
	case simd.Float32:
		return int(math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:])))
	case simd.Int32:
		return int(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return int(b[i])
}

func want(t simd.Type, ranks, i int) int {
	sum := 0
	for r := range ranks {
		sum += (i*7 + r*3) % 50
	}
	if t == simd.Uint8 {
		sum %= 256
	}
	return sum
}

func TestAllReduceOfThreads(t *testing.T) {
	counts := []int{0, 1, 3, 1000, 5000, 300_000}
	if raceDetector || testing.Short() {
		counts = counts[:5]
	}
	for _, ranks := range []int{1, 2, 3, 4, 5, 8, 16} {
		for _, typ := range []simd.Type{simd.Float32, simd.Int32, simd.Uint8} {
			for _, count := range counts {
				for _, inPlace := range []bool{false, true} {
					t.Run(fmt.Sprintf("ranks=%d/%s/count=%d/inplace=%v", ranks, typ, count, inPlace), func(t *testing.T) {
						together(t, ranks, func(c *Comm) error { return oneAllReduce(t, c, typ, count, inPlace) })
					})
				}
			}
		}
	}
}

func oneAllReduce(t testing.TB, c *Comm, typ simd.Type, count int, inPlace bool) error {
	rng := rand.New(rand.NewPCG(uint64(count), uint64(c.Rank())))
	send, recv := newBuffer(t, rng, count*typ.Size()), newBuffer(t, rng, count*typ.Size())
	defer send.free()
	defer recv.free()
	put(send.bytes, typ, c.Rank())
	if inPlace {
		put(recv.bytes, typ, c.Rank())
		send = recv
	}
	if err := c.AllReduce(at(send.bytes), at(recv.bytes), uint64(count), typ, simd.Sum); err != nil {
		return err
	}
	for i := range count {
		if got, want := get(recv.bytes, typ, i), want(typ, c.Size(), i); got != want {
			return fmt.Errorf("element %d is %d, not %d", i, got, want)
		}
		if got, want := get(send.bytes, typ, i), (i*7+c.Rank()*3)%50; !inPlace && got != want {
			return fmt.Errorf("element %d of sendbuff was changed from %d to %d", i, want, got)
		}
	}
	if !send.intact() || !recv.intact() {
		return errors.New("bytes beside a buffer were changed")
	}
	return nil
}

func TestBroadcastAndBarrierOfThreads(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 8} {
		together(t, ranks, func(c *Comm) error {
			for round, count := range []int{1, 100, 70_000, 0, 5} {
				root := round % ranks
				rng := rand.New(rand.NewPCG(uint64(count), uint64(c.Rank())))
				b, d := newBuffer(t, rng, 4*count), newBuffer(t, rng, 4*count)
				defer b.free()
				defer d.free()
				put(b.bytes, simd.Int32, c.Rank())
				if err := c.Broadcast(at(b.bytes), at(d.bytes), uint64(count), simd.Int32, root); err != nil {
					return err
				}
				for i := range count {
					if got, want := get(d.bytes, simd.Int32, i), (i*7+root*3)%50; got != want {
						return fmt.Errorf("count %d: element %d is %d, not %d", count, i, got, want)
					}
				}
				if !d.intact() {
					return errors.New("bytes beside a buffer were changed")
				}
				if err := c.Barrier(); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// TestNoAllocation counts what two ranks allocate in many calls of all forms, after the first of each.
func TestNoAllocation(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	t.Setenv("HCOMM_STATUS", "0") // who asks this process for its status has it allocate
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	const rounds = 200
	var before, after runtime.MemStats
	inParallel(t, comms, func(c *Comm) error {
		b, d := make([]byte, 1<<20), make([]byte, 1<<20)
		calls := func(n uint64) error {
			return errors.Join(
				c.AllReduce(at(b), at(d), n, simd.Float32, simd.Sum),
				c.AllReduce(at(b), at(d), n, simd.Float32, simd.Avg),
				c.AllReduce(at(b), at(b), n, simd.Int32, simd.Avg),
				c.Broadcast(at(b), at(d), n, simd.Float32, 1),
				c.Barrier())
		}
		for i := range rounds + 1 {
			if i == 1 && c.Rank() == 0 {
				runtime.ReadMemStats(&before)
			}
			for _, n := range []uint64{1, 50, 2000, 1 << 18} {
				if err := calls(n); err != nil {
					return err
				}
			}
		}
		if c.Rank() == 0 {
			runtime.ReadMemStats(&after)
		}
		return nil
	})
	// ReadMemStats and the scheduler allocate a little, too.
	if n := after.Mallocs - before.Mallocs; n > rounds/4 {
		t.Errorf("%d allocations in %d rounds of 20 calls on two ranks", n, rounds)
	}
	for _, c := range comms {
		c.Destroy()
	}
}

func TestArgumentsAreNamed(t *testing.T) {
	comms, err := InitAll(os.Getenv, 1)
	if err != nil {
		t.Fatal(err)
	}
	c := comms[0]
	b := make([]byte, 4096)
	p, q := at(b), unsafe.Pointer(&b[100])
	for _, x := range []struct {
		name, text string
		err        error
	}{
		{"sendbuff", "sendbuff is NULL, but count is 5", c.AllReduce(nil, p, 5, simd.Float32, simd.Sum)},
		{"recvbuff", "recvbuff is NULL, but count is 5", c.AllReduce(p, nil, 5, simd.Float32, simd.Sum)},
		{"datatype", "datatype is", c.AllReduce(p, p, 5, 77, simd.Sum)},
		{"op", "which is none of hcommRedOp_t", c.AllReduce(p, p, 5, simd.Float32, 50)},
		{"op", "for integers only, but datatype is float32", c.AllReduce(p, p, 5, simd.Float32, simd.And)},
		{"count", "more bytes than can be addressed", c.AllReduce(p, p, 1<<62, simd.Float32, simd.Sum)},
		{"sendbuff", "over the end of the address space", c.AllReduce(p, p, 1<<55-1, simd.Float32, simd.Sum)},
		{"recvbuff", "overlaps sendbuff", c.AllReduce(p, q, 26, simd.Float32, simd.Sum)},
		{"root", "root is 1, but the communicator has ranks 0 to 0", c.Broadcast(p, p, 5, simd.Float32, 1)},
		{"root", "root is -1", c.Broadcast(p, p, 5, simd.Float32, -1)},
	} {
		var e *Error
		if !errors.As(x.err, &e) || e.Code != InvalidArgument || e.Argument != x.name || !strings.Contains(e.Text, x.text) {
			t.Errorf("error %v; want one for %s with %q", x.err, x.name, x.text)
		}
	}
	if err := c.AllReduce(p, q, 25, simd.Float32, simd.Sum); err != nil {
		t.Errorf("after bad arguments a good call fails: %v", err)
	}
	if err := c.AllReduce(nil, nil, 0, simd.Float32, simd.Sum); err != nil {
		t.Errorf("a count of 0 with NULL fails: %v", err)
	}
	if err := c.Destroy(); err != nil {
		t.Error(err)
	}
	var e *Error
	if err := c.Barrier(); !errors.As(err, &e) || e.Code != InvalidUsage {
		t.Errorf("a call after Destroy: %v", err)
	}
}

func TestDisagreementNamesBothSides(t *testing.T) {
	comms, err := InitAll(os.Getenv, 3)
	if err != nil {
		t.Fatal(err)
	}
	texts := make([]string, 3)
	inParallel(t, comms, func(c *Comm) error {
		b := make([]byte, 4000)
		count := uint64(1000)
		if c.Rank() == 1 {
			count = 999
		}
		err := c.AllReduce(at(b), at(b), count, simd.Float32, simd.Sum)
		var e *Error
		if !errors.As(err, &e) || e.Code != Mismatch {
			return fmt.Errorf("error %v, want a mismatch", err)
		}
		texts[c.Rank()] = e.Text
		if err := c.Barrier(); err == nil || err.Error() != e.Text {
			return fmt.Errorf("the next call gives %v, not the same error", err)
		}
		return c.Destroy()
	})
	if texts[0] != texts[1] || texts[0] != texts[2] {
		t.Errorf("ranks got different texts: %q", texts)
	}
	for _, part := range []string{"rank 1", "of 999 float32 with sum", "of 1000 float32 with sum"} {
		if !strings.Contains(texts[0], part) {
			t.Errorf("%q lacks %q", texts[0], part)
		}
	}
}

func TestLeftRankIsNamed(t *testing.T) {
	comms, err := InitAll(os.Getenv, 3)
	if err != nil {
		t.Fatal(err)
	}
	var inBarrier sync.WaitGroup // who finds that rank 2 has left ends the calls of who has not left the first barrier, too
	inBarrier.Add(2)
	inParallel(t, comms, func(c *Comm) error {
		// What has arrived before rank 2 leaves is still used.
		if err := c.Barrier(); err != nil {
			return err
		}
		if c.Rank() == 2 {
			return c.Destroy()
		}
		inBarrier.Done()
		inBarrier.Wait()
		err := c.Barrier()
		var e *Error
		if !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 2") || !strings.Contains(e.Text, "left the communicator") {
			return fmt.Errorf("error %v, want that rank 2 has left", err)
		}
		return c.Destroy()
	})
}

func TestAbortEndsWaiting(t *testing.T) {
	for range 20 {
		comms, err := InitAll(os.Getenv, 2)
		if err != nil {
			t.Fatal(err)
		}
		entered := make(chan struct{})
		ended := make(chan error, 1)
		go func() {
			close(entered)
			ended <- comms[0].Barrier()
		}()
		<-entered
		for comms[0].using() != inCall {
			time.Sleep(10 * time.Microsecond)
		}
		start := time.Now()
		comms[0].Abort()
		err = <-ended
		if took := time.Since(start); took > longestNap/2 && !raceDetector { // a wake that is lost costs a nap
			t.Errorf("it took %v", took)
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != InvalidUsage || !strings.Contains(e.Text, "aborted") {
			t.Errorf("the waiting call returned %v", err)
		}
		err = comms[1].Barrier()
		if !errors.As(err, &e) || e.Code != RemoteError || !strings.Contains(e.Text, "rank 0") {
			t.Errorf("the other rank's call returned %v", err)
		}
		comms[1].Destroy()
	}
}

func TestTwoThreadsOnOneCommunicatorAreRefused(t *testing.T) {
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- comms[0].Barrier() }()
	for comms[0].using() != inCall {
		time.Sleep(10 * time.Microsecond)
	}
	var e *Error
	if err := comms[0].Barrier(); !errors.As(err, &e) || e.Code != InvalidUsage || !strings.Contains(e.Text, "another thread") {
		t.Errorf("the second call returned %v", err)
	}
	if err := comms[0].Destroy(); !errors.As(err, &e) || e.Code != InvalidUsage {
		t.Errorf("Destroy beside a waiting call returned %v", err)
	}
	if err := comms[1].Barrier(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("the first call returned %v", err)
	}
	for _, c := range comms {
		c.Destroy()
	}
}

func TestZeroCountIsComparedToo(t *testing.T) {
	comms, err := InitAll(os.Getenv, 2)
	if err != nil {
		t.Fatal(err)
	}
	inParallel(t, comms, func(c *Comm) error {
		b := make([]byte, 4)
		err := c.AllReduce(at(b), at(b), uint64(c.Rank()), simd.Float32, simd.Sum)
		var e *Error
		if !errors.As(err, &e) || e.Code != Mismatch {
			return fmt.Errorf("counts 0 and 1 give %v, want a mismatch", err)
		}
		return c.Destroy()
	})
}

// TestRanksThatWaitForEachOther has calls that differ so that no rank would read what the other has sent.
func TestRanksThatWaitForEachOther(t *testing.T) {
	b := make([]byte, 400)
	for name, calls := range map[string][]func(c *Comm, b []byte) error{
		"two roots": {
			func(c *Comm, b []byte) error { return c.Broadcast(at(b), at(b), 100, simd.Float32, 1) },
			func(c *Comm, b []byte) error { return c.Broadcast(at(b), at(b), 100, simd.Float32, 0) },
		},
		"barrier and broadcast": {
			func(c *Comm, b []byte) error { return c.Barrier() },
			func(c *Comm, b []byte) error { return c.Barrier() },
			func(c *Comm, b []byte) error { return c.Broadcast(at(b), at(b), 100, simd.Float32, 0) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			comms, err := InitAll(os.Getenv, len(calls))
			if err != nil {
				t.Fatal(err)
			}
			inParallel(t, comms, func(c *Comm) error {
				err := calls[c.Rank()](c, append([]byte(nil), b...))
				var e *Error
				if !errors.As(err, &e) || e.Code != Mismatch || !strings.Contains(e.Text, "Broadcast #1") {
					return fmt.Errorf("the call gives %v, want a mismatch", err)
				}
				return c.Destroy()
			})
		})
	}
}
