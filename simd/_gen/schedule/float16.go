package schedule

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// quietFloat32 is the NaN that the narrow types turn into theirs.
var quietFloat32 = bytes4(0x7fc00000)

var float16 = &narrowFloat{
	name: "Float16", size: 2, top: 0x7c00, quiet: 0x0200,
	narrowNeeds: []constant{quietFloat32},
	widen: func(on ISA, _ *pool, b block, k int) (wide []reg.VecVirtual) {
		half := on.width / 2
		for i := range 32 / half {
			r := on.vector()
			VCVTPH2PS(b.part(k*32/half+i, half), r)
			wide = append(wide, r)
		}
		return wide
	},
	narrow: func(on ISA, p *pool, wide []reg.VecVirtual) reg.VecVirtual {
		const nearestEven = 0
		var parts []reg.VecVirtual
		plainNaN(on, p, wide...)
		for _, w := range wide {
			r := YMM()
			if on.masks {
				VCVTPS2PH(Imm(nearestEven), w, r)
			} else {
				VCVTPS2PH(Imm(nearestEven), w, r.AsX())
			}
			parts = append(parts, r)
		}
		if on.masks {
			return parts[0]
		}
		return join(on, parts[0], parts[1])
	},
}

// plainNaN makes each NaN the positive one without payload. There are few: one comparison looks for any in two vectors, and a branch is seldom taken.
func plainNaN(on ISA, p *pool, ws ...reg.VecVirtual) {
	label := p.rarely(func() {
		for _, w := range ws {
			replaceNaN(on, p, w)
		}
	})
	for i := 0; i < len(ws); i += 2 {
		x, y := ws[i], ws[min(i+1, len(ws)-1)]
		if on.masks {
			nan := K()
			VCMPPS(Imm(unordered), y, x, nan)
			KORTESTW(nan, nan)
		} else {
			nan, bits := YMM(), GP32()
			VCMPPS(Imm(unordered), y, x, nan)
			VMOVMSKPS(nan, bits)
			TESTL(bits, bits)
		}
		JNZ(LabelRef(label))
	}
	Label(label + "Done")
}

func replaceNaN(on ISA, p *pool, w reg.VecVirtual) {
	if on.masks {
		nan := K()
		VCMPPS(Imm(unordered), w, w, nan)
		VMOVDQU32(p.vector(quietFloat32), nan, w)
		return
	}
	nan := YMM()
	VCMPPS(Imm(unordered), w, w, nan)
	VBLENDVPS(nan, p.op(quietFloat32), w, w)
}
