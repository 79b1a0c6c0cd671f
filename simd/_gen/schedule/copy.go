package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Copy writes the copy to the given number of destinations.
//
// One vector a turn: see the constant turn. The first and the last vector are loaded before anything is stored and stored where they are, straddling or not; between them stores to dst are aligned and whole, and overlap the first and the last with the same bytes.
func Copy(on ISA, dsts int) {
	name, params, target := "copy"+on.Name, "dst, src *byte, n int", "dst[i]"
	if dsts == 2 {
		name, params, target = "copy2"+on.Name, "dst, dst2, src *byte, n int", "dst[i], dst2[i]"
	}
	value := "src[i]"
	if dsts == 2 {
		value = "src[i], src[i]"
	}
	TEXT(name, NOSPLIT, "func("+params+")")
	Doc(name+" copies n bytes, n >= 128:", "", "\tfor i := range n { "+target+" = "+value+" }")
	Pragma("noescape")
	ds := destinations(dsts)
	src, n := pointer("src"), Load(Param("n"), GP64()).(reg.GPVirtual)
	all := append([]reg.GPVirtual{src}, ds...)

	first, last := on.vector(), on.vector()
	move(on, at(src, 0), first)
	move(on, atIndex(src, n, -on.width), last)
	for _, d := range ds {
		move(on, first, at(d, 0))
		move(on, last, atIndex(d, n, -on.width))
	}
	h := toBoundary(ds[0], on.width)
	SUBQ(h, n)
	advance(h, all...)

	forEach("main", on.width, n, all, func(i reg.GPVirtual) {
		v := on.vector()
		move(on, atIndex(src, i, 0), v)
		for _, d := range ds {
			move(on, v, atIndex(d, i, 0))
		}
	})
	VZEROUPPER()
	RET()
}
