package simd

import (
	"fmt"
	"testing"
)

// role says where a destination lies.
type role int

const (
	apart role = iota
	isA
	isB
)

// A form is a way to call a kernel.
type form struct {
	two, stream bool
	dst, dst2   role
}

// forms are all of them: with one destination and with two, streamed and not, and each alias that is allowed.
var forms = func() (fs []form) {
	for _, stream := range []bool{false, true} {
		for dst := apart; dst <= isB; dst++ {
			fs = append(fs, form{false, stream, dst, apart})
			for dst2 := apart; dst2 <= isB; dst2++ {
				if dst2 == apart || dst2 != dst {
					fs = append(fs, form{true, stream, dst, dst2})
				}
			}
		}
	}
	return fs
}()

func (f form) String() string {
	name := "Reduce"
	if f.two {
		name += "2"
	}
	if f.stream {
		name += "Stream"
	}
	where := [...]string{apart: "", isA: ", dst is a", isB: ", dst is b"}[f.dst]
	return name + where + [...]string{apart: "", isA: ", dst2 is a", isB: ", dst2 is b"}[f.dst2]
}

// call calls the kernel, and returns where the results are; d and d2 are for what lies apart.
func (f form) call(k *Kernel, d, d2, a, b []byte) (r, r2 []byte) {
	r, r2 = [][]byte{d, a, b}[f.dst], [][]byte{d2, a, b}[f.dst2]
	switch {
	case f.two && f.stream:
		k.Reduce2Stream(r, r2, a, b)
	case f.two:
		k.Reduce2(r, r2, a, b)
	case f.stream:
		k.ReduceStream(r, a, b)
		return r, r
	default:
		k.Reduce(r, a, b)
		return r, r
	}
	return r, r2
}

// overwrites reports whether f overwrites the operand of that role.
func (f form) overwrites(operand role) bool { return f.dst == operand || f.two && f.dst2 == operand }

// offsets are where the operands lie from a boundary of 64 bytes.
type offsets struct{ dst, dst2, a, b int }

// walk returns offsets that are all of 0 to 63 for each operand while i takes 64 values in a row, in ever other combinations.
func walk(i int) offsets {
	turn := i / 64
	return offsets{dst: (5*i + turn) % 64, dst2: (13*i + 7*turn + 1) % 64, a: (29*i + 3*turn + 2) % 64, b: (43*i + 11*turn + 3) % 64}
}

// offsetPairs is the number of pairs of offsets to go through: all of them, but few for the Go twins, that know no alignment.
func offsetPairs() int {
	if level == Generic {
		return 64
	}
	return 64 * 64
}

// situation is what a failed test says of a call.
type situation struct {
	form
	elements int
	at       offsets
}

func (s situation) String() string {
	return fmt.Sprintf("%v, %d elements, offsets dst %d dst2 %d a %d b %d", s.form, s.elements, s.at.dst, s.at.dst2, s.at.a, s.at.b)
}

// rig holds the places of one kernel's operands.
type rig struct {
	*problem
	kernel            *Kernel
	dst, dst2, pa, pb *place
}

// newRig is for up to so many elements.
func newRig(t *testing.T, typ Type, o Op, elements int) *rig {
	k := KernelFor(typ, o)
	if k == nil {
		t.Fatalf("no kernel for %s of %s", o, typ)
	}
	p, n := poolFor(typ, o), elements*typ.Size()
	if elements > poolElements {
		p = p.repeated(elements)
	}
	return &rig{p, k, newPlace(n), newPlace(n), newPlace(n), newPlace(n)}
}

// run reduces n elements from first on, and checks the results, the operands that should have been left alone, and what lies around all of them.
func (g *rig) run(t *testing.T, f form, first, n int, at offsets) {
	size := g.t.Size()
	lo, hi := first*size, (first+n)*size
	d, d2 := g.dst.with(at.dst, g.wrong[lo:hi]), g.dst2.with(at.dst2, g.wrong[lo:hi])
	a, b := g.pa.with(at.a, g.a[lo:hi]), g.pb.with(at.b, g.b[lo:hi])
	r, r2 := f.call(g.kernel, d, d2, a, b)
	what := &situation{f, n, at}
	g.check(t, what, r, first)
	if f.two {
		g.check(t, what, r2, first)
	}
	if !f.overwrites(isA) {
		same(t, what, a, g.a[lo:hi])
	}
	if !f.overwrites(isB) {
		same(t, what, b, g.b[lo:hi])
	}
	g.dst.intact(t, what, at.dst, hi-lo)
	g.dst2.intact(t, what, at.dst2, hi-lo)
	g.pa.intact(t, what, at.a, hi-lo)
	g.pb.intact(t, what, at.b, hi-lo)
}
