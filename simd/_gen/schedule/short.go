package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A span is what a vector register takes and gives up in two accesses, that overlap where there are fewer bytes than two of them hold.
type span struct {
	bytes int // of an access; the span is for so many bytes and more
	load  func(first, last Mem, to reg.VecVirtual)
	store func(from reg.VecVirtual, first, last Mem)
}

var spans = []span{
	{16,
		func(first, last Mem, to reg.VecVirtual) {
			VMOVDQU(first, to.AsX())
			VINSERTI128(Imm(1), last, to, to)
		},
		func(from reg.VecVirtual, first, last Mem) {
			VMOVDQU(from.AsX(), first)
			VEXTRACTI128(Imm(1), from, last)
		}},
	{8,
		func(first, last Mem, to reg.VecVirtual) {
			VMOVQ(first, to.AsX())
			VPINSRQ(Imm(1), last, to.AsX(), to.AsX())
		},
		func(from reg.VecVirtual, first, last Mem) {
			VMOVQ(from.AsX(), first)
			VPEXTRQ(Imm(1), from.AsX(), last)
		}},
	{4,
		func(first, last Mem, to reg.VecVirtual) {
			VMOVD(first, to.AsX())
			VPINSRD(Imm(1), last, to.AsX(), to.AsX())
		},
		func(from reg.VecVirtual, first, last Mem) {
			VMOVD(from.AsX(), first)
			VPEXTRD(Imm(1), from.AsX(), last)
		}},
	{2,
		func(first, last Mem, to reg.VecVirtual) {
			VPXOR(to.AsX(), to.AsX(), to.AsX())
			VPINSRW(Imm(0), first, to.AsX(), to.AsX())
			VPINSRW(Imm(1), last, to.AsX(), to.AsX())
		},
		func(from reg.VecVirtual, first, last Mem) {
			VPEXTRW(Imm(0), from.AsX(), first)
			VPEXTRW(Imm(1), from.AsX(), last)
		}},
	{1,
		func(first, _ Mem, to reg.VecVirtual) {
			VPXOR(to.AsX(), to.AsX(), to.AsX())
			VPINSRB(Imm(0), first, to.AsX(), to.AsX())
		},
		func(from reg.VecVirtual, first, _ Mem) { VPEXTRB(Imm(0), from.AsX(), first) }},
}

// short does the last n bytes, fewer than a vector of AVX2 and not 0: they are put in one vector, whatever their number.
func (k *reducer) short() {
	x, y := YMM(), YMM()
	k.bySpan("load", func(s span) {
		s.load(at(k.a, 0), atIndex(k.a, k.n, -s.bytes), x)
		s.load(at(k.b, 0), atIndex(k.b, k.n, -s.bytes), y)
	})
	v := k.operate(k.on, k.pool, inRegister(k.on, x), inRegister(k.on, y))
	k.bySpan("store", func(s span) {
		for _, d := range k.ds {
			s.store(v, at(d, 0), atIndex(d, k.n, -s.bytes))
		}
	})
}

// bySpan emits do for each span, and the choice between them by n.
func (k *reducer) bySpan(name string, do func(span)) {
	label := func(bytes int) string { return name + string(rune('a'+bytes)) }
	for _, s := range spans {
		if s.bytes < k.Size {
			break
		}
		least := s.bytes == k.Size
		if !least {
			CMPQ(k.n, size(s.bytes))
			JB(LabelRef(label(s.bytes / 2)))
		}
		do(s)
		if !least {
			JMP(LabelRef(name + "Done"))
			Label(label(s.bytes / 2))
		}
	}
	Label(name + "Done")
}
