package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// stepElements is how many elements a conversion does in a turn.
const stepElements = 16

// float32 stands in for the narrow type where a conversion is from or to it.
var float32Itself = &narrowFloat{
	name: "Float32", size: 4,
	widen: func(on ISA, _ *pool, b block, _ int) (wide []reg.VecVirtual) {
		for i := range stepElements * 4 / on.width {
			m := *b.mem
			m.Disp += i * on.width
			wide = append(wide, inMemory(on, m).vector())
		}
		return wide
	},
}

// Conversions writes those between the floats: the narrow ones and float32, and the two of 16 bits.
func Conversions(on ISA) {
	for _, f := range narrowFloats {
		convert(on, float32Itself, f)
		convert(on, f, float32Itself)
	}
	convert(on, float16, bfloat16)
	convert(on, bfloat16, float16)
}

func convert(on ISA, from, to *narrowFloat) {
	name := "convert" + from.name + "To" + to.name + on.Name
	TEXT(name, NOSPLIT, "func(dst, src *byte, count int)")
	Doc(name+" converts count elements, a multiple of 16 and not 0:", "", "\tfor i := range count { dst[i] = src[i] }", "", "Numbers are rounded to nearest even.")
	Pragma("noescape")
	step(on, from, to, pointer("src"), func(*pool, reg.VecVirtual) {})
}

// Scales writes the multiplications by a factor.
func Scales(on ISA) {
	for _, f := range append([]*narrowFloat{float32Itself}, narrowFloats...) {
		name := "scale" + f.name + on.Name
		TEXT(name, NOSPLIT, "func(dst, a *byte, count int, factor float32)")
		Doc(name+" multiplies count elements, a multiple of 16 and not 0:", "", "\tfor i := range count { dst[i] = a[i] * factor }", "", "The product is one of float32, rounded to nearest even.")
		Pragma("noescape")
		factor := on.vector()
		broadcast(VBROADCASTSS, "factor", factor)
		step(on, f, f, pointer("a"), func(_ *pool, w reg.VecVirtual) { VMULPS(factor, w, w) })
	}
	scaleFloat64(on)
}

// broadcast fills a vector with an argument.
func broadcast(instruction func(...Op), name string, to reg.VecVirtual) {
	address, err := Param(name).Resolve()
	if err != nil {
		panic(err)
	}
	instruction(address.Addr, to)
}

// step emits the loop of a conversion: change does something to the elements while they are float32.
func step(on ISA, from, to *narrowFloat, src reg.GPVirtual, change func(p *pool, w reg.VecVirtual)) {
	dst, count := pointer("dst"), Load(Param("count"), GP64()).(reg.GPVirtual)
	p := newPool(on, distinct(from.widenNeeds, to.narrowNeeds))
	alignLoop()
	Label("main")
	wide := from.widen(on, p, inMemory(on, at(src, 0)), 0)
	for _, w := range wide {
		change(p, w)
	}
	switch to.size {
	case 4:
		for i, w := range wide {
			move(on, w, at(dst, i*on.width))
		}
	case 2:
		move(on, to.narrow(on, p, wide).AsY(), at(dst, 0))
	case 1:
		move(on, to.narrow(on, p, wide).AsX(), at(dst, 0))
	}
	ADDQ(size(stepElements*from.size), src)
	ADDQ(size(stepElements*to.size), dst)
	SUBQ(size(stepElements), count)
	JNZ(LabelRef("main"))
	VZEROUPPER()
	RET()
	p.emitDeferred()
}

func scaleFloat64(on ISA) {
	name := "scaleFloat64" + on.Name
	TEXT(name, NOSPLIT, "func(dst, a *byte, count int, factor float64)")
	Doc(name+" multiplies count elements, a multiple of 16 and not 0:", "", "\tfor i := range count { dst[i] = a[i] * factor }")
	Pragma("noescape")
	factor := on.vector()
	broadcast(VBROADCASTSD, "factor", factor)
	a, dst, n := pointer("a"), pointer("dst"), Load(Param("count"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(3), n)
	forEach("main", turn, n, []reg.GPVirtual{a, dst}, func(i reg.GPVirtual) {
		for v := 0; v < turn; v += on.width {
			r := on.vector()
			VMULPD(atIndex(a, i, v), factor, r)
			move(on, r, atIndex(dst, i, v))
		}
	})
	VZEROUPPER()
	RET()
}
