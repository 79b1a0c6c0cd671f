package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A Reduction is an operator on the elements of a type.
type Reduction struct {
	Name string // without the instruction set
	Size int    // bytes of an element
	Loop string // what the loop does with an element
	Note string
	// Constants are what operate asks its pool for.
	Constants []constant
	// Wide says what AVX-512 brings: nothing, so that there is no such kernel; its instructions; or also its vectors.
	Wide gain
	// operate returns a op b.
	operate func(on ISA, p *pool, a, b block) reg.VecVirtual
}

// A gain is what AVX-512 brings to a reduction over AVX2.
type gain int

const (
	nothing gain = iota
	instructions
	vectors
)

// Bytes in one turn of the main loop: a cache line.
// Turns of four lines were 15 % slower on 64 KiB on an AMD EPYC of family 25 (Zen 4), and no faster on 4 KiB: there the prefetcher follows each load instruction, and does so best when it steps by one line.
const turn = 64

// The bits of the argument mode. They are those of package simd.
const (
	second = 1 // the result goes to dst2 as well; otherwise dst2 is dst
	stream = 2 // the last destination is stored to past the caches; it begins at a whole element
)

// reducer is a reduction being emitted.
type reducer struct {
	Reduction
	on      ISA
	pool    *pool
	ds      []reg.GPVirtual
	a, b    reg.GPVirtual
	n, mode reg.GPVirtual
	i       reg.GPVirtual    // of the loop
	results []reg.VecVirtual // of a turn of it
}

// Emit writes the kernel.
//
// The first vectors are computed before the loop and stored after it, so that the loop can begin where the destination is aligned and yet read operands that are also destinations: what it does again it stores with the same bits. The last vector of AVX-512 is treated alike; AVX2 lacks the registers for it.
func (r Reduction) Emit(on ISA) {
	if on == AVX512 {
		switch r.Wide {
		case nothing:
			return
		case instructions:
			on = avx512Short
		}
	}
	TEXT(r.Name+on.Name, NOSPLIT, "func(dst, dst2, a, b *byte, n, mode int)")
	Doc(r.Name+on.Name+" reduces n bytes, n > 0:", "", "\tfor i := range n / "+string(rune('0'+r.Size))+" { dst[i], dst2[i] = "+r.Loop+" }")
	if r.Note != "" {
		Doc("", r.Note)
	}
	Pragma("noescape")
	k := &reducer{Reduction: r, on: on, ds: destinations(2), a: pointer("a"), b: pointer("b"),
		n: Load(Param("n"), GP64()).(reg.GPVirtual), mode: Load(Param("mode"), GP64()).(reg.GPVirtual)}
	if on.masks {
		k.avx512()
	} else {
		k.avx2()
	}
	VZEROUPPER()
	RET()
	k.otherModes()
	k.pool.emitDeferred()
}

// avx512 is the kernel in AVX-512; what is shorter than a turn is left to AVX2.
func (k *reducer) avx512() {
	CMPQ(k.n, size(turn))
	JAE(LabelRef("long"))
	jumpTo(k.Name + AVX2.Name)
	Label("long")
	k.pool = newPool(k.on, k.Constants)
	last := k.turn(func(p reg.GPVirtual, disp int) Mem { return atIndex(p, k.n, disp-turn) })
	lasts := []reg.GPVirtual{GP64(), GP64()}
	for j, d := range k.ds {
		LEAQ(atIndex(d, k.n, -turn), lasts[j])
	}
	k.aligned()
	k.storeAt(lasts, last)
}

// turn computes a turn, of the operands where place says that they are.
func (k *reducer) turn(place func(p reg.GPVirtual, disp int) Mem) (results []reg.VecVirtual) {
	for v := 0; v < turn; v += k.on.width {
		results = append(results, k.operate(k.on, k.pool, inMemory(k.on, place(k.a, v)), inMemory(k.on, place(k.b, v))))
	}
	return results
}

// storeAt stores a turn at all of ds.
func (k *reducer) storeAt(ds []reg.GPVirtual, results []reg.VecVirtual) {
	for j, v := range results {
		for _, d := range ds {
			move(k.on, v, at(d, j*k.on.width))
		}
	}
}

// avx2 is the kernel in AVX2.
func (k *reducer) avx2() {
	k.pool = newPool(k.on, k.Constants)
	CMPQ(k.n, size(turn))
	JB(LabelRef("rest"))
	k.aligned()
	Label("rest")
	CMPQ(k.n, size(k.on.width))
	JB(LabelRef("short"))
	v := k.operate(k.on, k.pool, inMemory(k.on, at(k.a, 0)), inMemory(k.on, at(k.b, 0)))
	for _, d := range k.ds {
		move(k.on, v, at(d, 0))
	}
	advance(size(k.on.width), k.a, k.b, k.ds[0], k.ds[1])
	SUBQ(size(k.on.width), k.n)
	Label("short")
	TESTQ(k.n, k.n)
	JZ(LabelRef("done"))
	k.short()
	Label("done")
}

// aligned does whole turns from the first element on; n is at least a turn, and what is left when it is done.
func (k *reducer) aligned() {
	first := k.turn(at)
	firsts := []reg.GPVirtual{GP64(), GP64()}
	for j, d := range k.ds {
		MOVQ(d, firsts[j])
	}
	h := k.head()
	advance(h, k.a, k.b, k.ds[0], k.ds[1])
	SUBQ(h, k.n)

	forEach("main", turn, k.n, []reg.GPVirtual{k.a, k.b, k.ds[0], k.ds[1]}, func(i reg.GPVirtual) {
		k.i = i
		k.results = k.turn(func(p reg.GPVirtual, disp int) Mem { return atIndex(p, i, disp) })
		k.store()
	})
	k.storeAt(firsts, first)
	TESTQ(U32(stream), k.mode)
	JZ(LabelRef("stored"))
	SFENCE()
	Label("stored")
}

// head returns the bytes after which the loop begins: up to where the last destination is aligned, and at most a turn.
// It is a turn where the loop would have none: what follows it may read only what has not been stored.
func (k *reducer) head() reg.GPVirtual {
	last, h := GP64(), GP64()
	MOVQ(k.ds[0], last)
	CMPQ(k.mode, size(second|stream))
	CMOVQEQ(k.ds[1], last)
	ANDQ(size(turn-1), last)
	MOVQ(U32(turn), h)
	SUBQ(last, h)
	if k.Size > 1 {
		ANDQ(I32(-k.Size), h)
	}
	whole := GP64()
	MOVQ(U32(turn), whole)
	CMPQ(k.n, U32(2*turn))
	CMOVQCS(whole, h) // n < 2 turns
	return h
}

// store stores a turn of the loop. One branch, that is predicted, is all that the plain form pays for the others.
func (k *reducer) store() {
	TESTQ(k.mode, k.mode)
	JNZ(LabelRef("other"))
	k.storeTo(k.ds[0], move)
	Label("next")
}

// otherModes is the code behind the kernel's end that stores a turn otherwise.
func (k *reducer) otherModes() {
	past := func(_ ISA, from, to Op) { VMOVNTDQ(from, to) }
	Label("other")
	TESTQ(U32(second), k.mode)
	JZ(LabelRef("streamed"))
	k.storeTo(k.ds[0], move)
	TESTQ(U32(stream), k.mode)
	JNZ(LabelRef("streamed2"))
	k.storeTo(k.ds[1], move)
	JMP(LabelRef("next"))
	Label("streamed")
	k.storeTo(k.ds[0], past)
	JMP(LabelRef("next"))
	Label("streamed2")
	k.storeTo(k.ds[1], past)
	JMP(LabelRef("next"))
}

func (k *reducer) storeTo(d reg.GPVirtual, store func(on ISA, from, to Op)) {
	for j, v := range k.results {
		store(k.on, v, atIndex(d, k.i, j*k.on.width))
	}
}
