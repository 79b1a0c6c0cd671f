package hmm

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"
)

func bytesAt(p unsafe.Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// TestRandomUse checks that pieces are zeroed, apart from each other, found by Shared, and all given back.
func TestRandomUse(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	live := map[unsafe.Pointer]int{}
	for i := range 2000 {
		if rng.IntN(2) == 0 || len(live) == 0 {
			n := 1 + rng.IntN(50_000)
			p, err := Alloc(uint64(n))
			if err != nil {
				t.Fatal(err)
			}
			if uint64(uintptr(p))%page != 0 {
				t.Fatalf("%p is not page-aligned", p)
			}
			for j, b := range bytesAt(p, n) {
				if b != 0 {
					t.Fatalf("round %d: byte %d of a new piece is %d", i, j, b)
				}
			}
			for j := range n {
				bytesAt(p, n)[j] = byte(n)
			}
			if s := Shared(p, uint64(n)); s.From != 0 || s.To != uint64(n) || &process().mem[s.At] != (*byte)(p) {
				t.Fatal("Shared does not find a piece")
			}
			live[p] = n
			continue
		}
		for p, n := range live {
			for _, b := range bytesAt(p, n) {
				if b != byte(n) {
					t.Fatal("somebody else wrote into a piece")
				}
			}
			if err := Free(p); err != nil {
				t.Fatal(err)
			}
			if err := Free(p); err != ErrNotAllocated {
				t.Fatalf("freed twice: %v", err)
			}
			delete(live, p)
			break
		}
	}
	for p := range live {
		if err := Free(p); err != nil {
			t.Fatal(err)
		}
	}
	if a := process(); len(a.free) != 1 || a.free[0].size != uint64(len(a.mem)) {
		t.Errorf("after all was freed the free list is %v", a.free)
	}
}

func TestStrangersAreRefused(t *testing.T) {
	b := make([]byte, 10)
	p, err := Alloc(3 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer Free(p)
	for _, q := range []unsafe.Pointer{unsafe.Pointer(&b[0]), unsafe.Add(p, page), unsafe.Add(p, 1)} {
		if err := Free(q); err != ErrNotAllocated {
			t.Errorf("Free of what Alloc did not give: %v", err)
		}
	}
	if s := Shared(unsafe.Pointer(&b[0]), 10); s != (Span{}) {
		t.Error("Shared takes ordinary memory for the arena's")
	}
	if err := Free(nil); err != nil {
		t.Errorf("Free of nil: %v", err)
	}
	if _, err := Alloc(1 << 62); err == nil {
		t.Error("2^62 bytes were given")
	}
	if p, err := Alloc(0); p != nil || err != nil {
		t.Errorf("Alloc of 0 bytes: %v, %v", p, err)
	}
}

// TestWithoutArena runs in a process that may not have files of any size.
func TestWithoutArena(t *testing.T) {
	if os.Getenv("HMM_TEST_CHILD") == "" {
		c := exec.Command("sh", "-c", "ulimit -f 0; exec \"$0\" -test.run=TestWithoutArena", os.Args[0])
		c.Env = append(os.Environ(), "HMM_TEST_CHILD=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if Why() == nil {
		t.Skip("there is an arena all the same")
	}
	if !strings.Contains(Why().Error(), "ulimit -f") {
		t.Errorf("the reason is %q", Why())
	}
	p, err := Alloc(100_000)
	if err != nil {
		t.Fatal(err)
	}
	bytesAt(p, 100_000)[99_999] = 1
	if s := Shared(p, 1); s != (Span{}) {
		t.Error("Shared finds private memory")
	}
	if x, err := Register(p, 100_000); err != nil || x.pages != nil {
		t.Errorf("Register without an arena: %+v, %v", x, err)
	} else if done, err := x.Close(); !done || err != nil {
		t.Errorf("Close: %v, %v", done, err)
	}
	if Free(p) != nil || Free(p) != ErrNotAllocated {
		t.Error("Free of private memory does not work, or works twice")
	}
}
