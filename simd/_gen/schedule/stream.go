package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Stream writes the copy past the caches: its stores are non-temporal.
func Stream(on ISA) {
	name := "stream" + on.Name
	TEXT(name, NOSPLIT, "func(dst, src *byte, n int)")
	Doc(name+" copies n bytes, a multiple of the vector; dst is aligned to it:", "", "\tfor i := range n { dst[i] = src[i] }", "",
		"The stores go past the caches, and are done when it returns.")
	Pragma("noescape")
	dst, src, n := pointer("dst"), pointer("src"), Load(Param("n"), GP64()).(reg.GPVirtual)
	forEach("main", on.width, n, []reg.GPVirtual{src, dst}, func(i reg.GPVirtual) {
		v := on.vector()
		move(on, atIndex(src, i, 0), v)
		VMOVNTDQ(v, atIndex(dst, i, 0))
	})
	SFENCE()
	VZEROUPPER()
	RET()
}
