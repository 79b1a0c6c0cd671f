//go:build !race

package hmm

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// area is private memory of so many pages, with one on either side that cannot be accessed, filled with a pattern.
func area(t testing.TB, pages uint64) []byte {
	t.Helper()
	if !canReplace() && runtime.GOARCH == "amd64" {
		t.Fatal("this system, or hcomm, cannot replace pages")
	} else if !canReplace() {
		t.Skip("this system, an emulator perhaps, cannot replace pages")
	}
	mem, err := unix.Mmap(-1, 0, int((pages+2)*page), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(mem) })
	inner := mem[page : (pages+1)*page : (pages+1)*page]
	if err := unix.Mprotect(inner, unix.PROT_READ|unix.PROT_WRITE); err != nil {
		t.Fatal(err)
	}
	for i := range inner {
		inner[i] = byte(i * 7)
	}
	return inner
}

func register(b []byte) (*Registered, error) { return Register(start(b), uint64(len(b))) }

func start(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func mustRegister(t *testing.T, b []byte) *Registered {
	t.Helper()
	x, err := register(b)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func mustClose(t *testing.T, x *Registered) {
	t.Helper()
	if done, err := x.Close(); !done || err != nil {
		t.Fatalf("Close: %v, %v", done, err)
	}
}

// lines are those of /proc/self/smaps that say which mappings are at b, and what is special about them.
func lines(t *testing.T, b []byte) (text []string) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	from := uint64(uintptr(start(b)))
	here := false
	for line := range strings.Lines(string(smaps)) {
		var low, high uint64
		if n, _ := fmt.Sscanf(line, "%x-%x ", &low, &high); n == 2 {
			here = low < from+uint64(len(b)) && high > from
		}
		if here && (strings.Contains(line, "-") || strings.HasPrefix(line, "VmFlags:")) {
			text = append(text, line)
		}
	}
	return text
}

// resident is how much of the mapping that begins at p is in memory.
func resident(t *testing.T, p unsafe.Pointer) (kilobytes int) {
	t.Helper()
	smaps, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	_, here, found := strings.Cut(string(smaps), fmt.Sprintf("\n%x-", uintptr(p)))
	_, rss, found2 := strings.Cut(here, "\nRss:")
	if _, err := fmt.Sscan(rss, &kilobytes); err != nil || !found || !found2 {
		t.Fatalf("%v, %v, %v", found, found2, err)
	}
	return kilobytes
}

func TestRegisteredPagesAreShared(t *testing.T) {
	for _, x := range []struct{ from, to, first, last uint64 }{
		{0, 8 * page, 0, 8},
		{16, 8*page - 5, 1, 7},
		{page - 1, 2*page + 1, 1, 2},
		{1, 2*page - 1, 0, 0},
		{0, 0, 0, 0},
	} {
		b := area(t, 8)
		before, was := lines(t, b), bytes.Clone(b)
		part := b[x.from:x.to]
		r := mustRegister(t, part)
		if !bytes.Equal(b, was) {
			t.Fatal("registering changed the bytes")
		}
		s := Shared(start(b), uint64(len(b)))
		if s.From != x.first*page || s.To != x.last*page {
			t.Fatalf("bytes %d to %d registered: %d to %d are shared, not pages %d to %d", x.from, x.to, s.From, s.To, x.first, x.last)
		}
		if r.pages != nil && resident(t, r.pages.aside) > 0 {
			t.Error("there are two copies of the bytes")
		}
		for i := range b {
			b[i]++
			was[i]++
		}
		if arena, _ := Arena(); !bytes.Equal(arena[s.At:][:s.To-s.From], was[s.From:s.To]) {
			t.Error("the arena does not have the bytes")
		}
		mustClose(t, r)
		if !bytes.Equal(b, was) {
			t.Error("the bytes are others after Close")
		}
		if s := Shared(start(b), uint64(len(b))); s != (Span{}) {
			t.Errorf("shared after Close: %+v", s)
		}
		if after := lines(t, b); !slices.Equal(before, after) {
			t.Errorf("mappings before: %q, after: %q", before, after)
		}
	}
}

// TestNothingIsLeftOfManyTurns also has mappings with attributes of their own, which they keep.
func TestNothingIsLeftOfManyTurns(t *testing.T) {
	b := area(t, (2*turn+3*hugePage)/page)
	for i, advice := range []int{unix.MADV_HUGEPAGE, unix.MADV_DONTFORK, unix.MADV_DONTDUMP} {
		if err := unix.Madvise(b[(3+5*i)<<20:][:2<<20], advice); err != nil {
			t.Fatal(err)
		}
	}
	before, was := lines(t, b), bytes.Clone(b)
	for range 2 {
		mustClose(t, mustRegister(t, b[100:len(b)-100]))
	}
	if !bytes.Equal(b, was) {
		t.Error("the bytes are others")
	}
	if after := lines(t, b); !slices.Equal(before, after) || len(before) < 7 {
		t.Errorf("mappings before: %q, after: %q", before, after)
	}
}

// A mapping that was never used is a special case: the kernel knows less of it.
func TestUnusedMemory(t *testing.T) {
	area(t, 1)
	b, err := unix.Mmap(-1, 0, int(8*page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(b)
	unix.Madvise(b, unix.MADV_DONTDUMP) // or it might melt into its neighbours
	mustClose(t, mustRegister(t, b[page+1:5*page]))
	if after := lines(t, b); len(after) != 2 {
		t.Errorf("mappings: %q", after)
	}
	if !bytes.Equal(b, make([]byte, len(b))) {
		t.Error("zeros are no longer zeros")
	}
}

func mapPages(t *testing.T, fd, access, flags int) []byte {
	t.Helper()
	b, err := unix.Mmap(fd, 0, int(4*page), access, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Munmap(b) })
	return b
}

func TestOtherMemoryIsRefused(t *testing.T) {
	const both = unix.PROT_READ | unix.PROT_WRITE
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	file.Truncate(int64(4 * page))
	hole := area(t, 4)
	locked, guarded, fixed := area(t, 4), area(t, 4), area(t, 4)
	unix.MunmapPtr(unsafe.Pointer(&hole[2*page]), uintptr(page))
	if err := unix.Mlock(locked[page : 2*page]); err != nil {
		t.Fatal(err)
	}
	unix.Mprotect(fixed[3*page:], unix.PROT_READ)
	for name, x := range map[string]struct {
		b    []byte
		want string
	}{
		"a file":          {mapPages(t, int(file.Fd()), both, unix.MAP_PRIVATE), "is of " + file.Name()},
		"a shared file":   {mapPages(t, int(file.Fd()), both, unix.MAP_SHARED), "is shared (" + file.Name()},
		"shared memory":   {mapPages(t, -1, both, unix.MAP_SHARED|unix.MAP_ANONYMOUS), "is shared"},
		"code":            {mapPages(t, -1, both|unix.PROT_EXEC, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS), "is executable"},
		"read-only pages": {fixed, "is not readable and writable"},
		"a hole":          {hole, "there is no memory at"},
		"locked pages":    {locked, "is locked (mlock)"},
		"a page too many": {unsafe.Slice(&guarded[0], 5*page), "is not readable and writable"},
	} {
		before := lines(t, x.b)
		_, err := register(x.b)
		if refusal := Refusal(""); !errors.As(err, &refusal) || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s: %v, not %q", name, err, x.want)
		}
		if after := lines(t, x.b); !slices.Equal(before, after) {
			t.Errorf("%s: mappings before: %q, after: %q", name, before, after)
		}
	}
	if _, err := Register(unsafe.Pointer(&guarded[0]), ^uint64(0)); err == nil || !strings.Contains(err.Error(), "last address") {
		t.Errorf("more than all addresses: %v", err)
	}
}

// The stack is that of the process's first thread.
func TestTheStackIsRefused(t *testing.T) {
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	var low, high uint64
	if line := regexp.MustCompile(`.*\[stack\]\n`).Find(maps); line == nil {
		t.Skip("there is no [stack]")
	} else if _, err := fmt.Sscanf(string(line), "%x-%x", &low, &high); err != nil {
		t.Fatal(err)
	}
	if _, err := borders(high-2*page, page); err == nil || !strings.Contains(err.Error(), "of the stack") {
		t.Errorf("%v", err)
	}
}

func TestOneRangeManyTimes(t *testing.T) {
	b := area(t, 8)
	one, two, three := mustRegister(t, b[1:4*page]), mustRegister(t, b[1:4*page]), mustRegister(t, b[4*page:7*page])
	for _, overlap := range [][]byte{b[:4*page], b[2 : 4*page], b[3*page:], b[1 : 4*page+1]} {
		if _, err := register(overlap); err == nil || !strings.Contains(err.Error(), "overlap") {
			t.Errorf("an overlap: %v", err)
		}
	}
	if s := Shared(start(b), 5*page); s.From != page || s.To != 4*page {
		t.Errorf("the longer of two parts: %+v", s)
	}
	if s, all := Shared(start(b[2*page+5:]), page), Shared(start(b), 4*page); s != (Span{0, page, all.At + page + 5}) {
		t.Errorf("from the middle of one: %+v", s)
	}
	one.Retire()
	one.Retire()
	if s := Shared(start(b), 4*page); s.To != 4*page {
		t.Errorf("one of two is retired: %+v", s)
	}
	two.Retire()
	if s := Shared(start(b), 4*page); s != (Span{}) {
		t.Errorf("both are retired: %+v", s)
	}
	if s := Shared(start(b), 6*page); s.From != 4*page || s.To != 6*page {
		t.Errorf("their neighbour is not: %+v", s)
	}
	mustClose(t, one)
	four := mustRegister(t, b[1:4*page])
	if s := Shared(start(b), 4*page); s.From != page || s.To != 4*page {
		t.Errorf("registered again: %+v", s)
	}
	for _, x := range []*Registered{four, three, two} {
		mustClose(t, x)
	}
	if len(registry.replaced) != 0 {
		t.Errorf("left: %v", registry.replaced)
	}
}

// What the caller must not do is found out as far as it can be: no other memory is overwritten.
func TestUnmappedWhileRegistered(t *testing.T) {
	free := func() int {
		n := uint64(0)
		for _, f := range process().free {
			n += f.size
		}
		return int(n)
	}
	b := area(t, 8)
	room := free()
	x := mustRegister(t, b)
	fresh := func(access int) {
		_, err := unix.MmapPtr(-1, 0, start(b), uintptr(len(b)), access, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_FIXED)
		if err != nil {
			t.Fatal(err)
		}
	}
	fresh(unix.PROT_READ | unix.PROT_WRITE)
	b[0] = 5
	y := mustRegister(t, b) // other memory at these addresses
	if s := Shared(start(b), 8*page); s.To != 8*page || process().mem[s.At] != 5 {
		t.Errorf("the new memory is not shared: %+v", s)
	}
	mustClose(t, x)
	if s := Shared(start(b), 8*page); s.To != 8*page {
		t.Errorf("after the old registration was closed: %+v", s)
	}
	fresh(unix.PROT_READ | unix.PROT_WRITE)
	b[0] = 6
	done, err := y.Close()
	if refusal := Refusal(""); !done || !errors.As(err, &refusal) {
		t.Errorf("Close: %v, %v", done, err)
	}
	if b[0] != 6 || free() != room {
		t.Errorf("byte 0 is %d; %d bytes were free, now %d", b[0], room, free())
	}
}

func TestMovedWhileRegistered(t *testing.T) {
	b, to := area(t, 4), area(t, 4)
	x := mustRegister(t, b)
	lost := piece{x.pages.offset, x.pages.size}
	b[100] = 77
	if err := move(start(b), start(to), 4*page, 0); err != nil { // as realloc does
		t.Fatal(err)
	}
	if done, err := x.Close(); !done || err == nil {
		t.Errorf("Close: %v, %v", done, err)
	}
	if to[100] != 77 {
		t.Error("what was moved has lost its bytes")
	}
	process().give(lost) // only a test may do this
}

func TestProtectedWhileRegistered(t *testing.T) {
	b := area(t, 4)
	x := mustRegister(t, b)
	unix.Mprotect(b[page:2*page], unix.PROT_READ)
	if done, err := x.Close(); done || err == nil || !strings.Contains(err.Error(), "mprotect") {
		t.Errorf("Close: %v, %v", done, err)
	}
	unix.Mprotect(b, unix.PROT_READ|unix.PROT_WRITE)
	mustClose(t, x)
}

func TestArenaIsRegisteredAlready(t *testing.T) {
	p, err := Alloc(4 * page)
	if err != nil {
		t.Fatal(err)
	}
	defer Free(p)
	before := Shared(p, 4*page)
	x := mustRegister(t, bytesAt(p, int(4*page)))
	if s := Shared(p, 4*page); s != before {
		t.Errorf("%+v, and %+v once registered", before, s)
	}
	mustClose(t, x)
}

// TestRandomRegistrations compares with a model: which bytes are registered, and what all bytes are.
func TestRandomRegistrations(t *testing.T) {
	const pages = 40
	b := area(t, pages)
	before := lines(t, b)
	rapid.Check(t, func(t *rapid.T) {
		type known struct {
			x        *Registered
			from, to int
		}
		var all []known
		var pieces []unsafe.Pointer
		want := bytes.Clone(b)
		at := rapid.IntRange(0, len(b))
		t.Repeat(map[string]func(*rapid.T){
			"register": func(t *rapid.T) {
				from, to := at.Draw(t, "from"), at.Draw(t, "to")
				from, to = min(from, to), max(from, to)
				overlaps := false
				for _, k := range all {
					same := k.from == from && k.to == to
					overlaps = overlaps || !same && k.x.pages != nil && k.from < to && from < k.to
				}
				x, err := register(b[from:to])
				whole := uint64(to)/page > (uint64(from)+page-1)/page
				if (err != nil) != (overlaps && whole) {
					t.Fatalf("registering %d to %d beside %v: %v", from, to, all, err)
				}
				if err == nil {
					all = append(all, known{x, from, to})
				}
			},
			"close": func(t *rapid.T) {
				if len(all) == 0 {
					t.Skip()
				}
				i := rapid.IntRange(0, len(all)-1).Draw(t, "which")
				if done, err := all[i].x.Close(); !done || err != nil {
					t.Fatalf("Close: %v, %v", done, err)
				}
				all = slices.Delete(all, i, i+1)
			},
			"write": func(t *rapid.T) {
				i, value := at.Draw(t, "at")%len(b), rapid.Byte().Draw(t, "value")
				b[i], want[i] = value, value
			},
			"alloc": func(t *rapid.T) {
				n := rapid.IntRange(1, 1<<18).Draw(t, "bytes")
				p, err := Alloc(uint64(n))
				if err != nil || !bytes.Equal(bytesAt(p, n), make([]byte, n)) {
					t.Fatalf("%v, or not zeroed", err)
				}
				bytesAt(p, n)[0], bytesAt(p, n)[n-1] = 1, 1
				pieces = append(pieces, p)
			},
			"free": func(t *rapid.T) {
				if len(pieces) == 0 {
					t.Skip()
				}
				if err := Free(pieces[0]); err != nil {
					t.Fatal(err)
				}
				pieces = pieces[1:]
			},
			"": func(t *rapid.T) {
				if !bytes.Equal(b, want) {
					t.Fatal("the bytes are others")
				}
				for _, k := range all {
					s := Shared(start(b[k.from:]), uint64(k.to-k.from))
					first, end := (uint64(k.from)+page-1)/page*page, uint64(k.to)/page*page
					if end > first && (uint64(k.from)+s.From != first || uint64(k.from)+s.To != end) {
						t.Fatalf("of %d to %d is shared: %+v", k.from, k.to, s)
					}
					if arena, _ := Arena(); !bytes.Equal(arena[s.At:][:s.To-s.From], b[uint64(k.from)+s.From:][:s.To-s.From]) {
						t.Fatal("the arena has other bytes")
					}
				}
			},
		})
		for _, k := range all {
			k.x.Close()
		}
		for _, p := range pieces {
			Free(p)
		}
	})
	if after := lines(t, b); !slices.Equal(before, after) {
		t.Errorf("mappings before: %q, after: %q", before, after)
	}
}

func BenchmarkRegister(b *testing.B) {
	for _, pages := range []uint64{4, 256, 8192} {
		b.Run(fmt.Sprint(pages, "pages"), func(b *testing.B) {
			mem := area(b, pages)
			for b.Loop() {
				x, err := register(mem)
				if err != nil {
					b.Fatal(err)
				}
				x.Close()
			}
		})
	}
}

func BenchmarkShared(b *testing.B) {
	mem := area(b, 64)
	for at := range uint64(16) {
		x, _ := register(mem[4*at*page+16 : 4*(at+1)*page])
		defer x.Close()
	}
	for b.Loop() {
		Shared(unsafe.Pointer(&mem[30*page]), 2*page)
	}
}
