package simd

import (
	"encoding/binary"
	"math"
	"testing"
)

func TestWideAndBack(t *testing.T) {
	for _, typ := range Types() {
		w, ok := WideFor(typ)
		if narrow := typ == Float16 || typ == BFloat16 || typ == Float8E4M3 || typ == Float8E5M2; ok != narrow {
			t.Fatalf("WideFor(%v): %v", typ, ok)
		}
		if !ok {
			continue
		}
		size, codes := typ.Size(), 1<<(8*typ.Size())
		all, wide, back := make([]byte, codes*size), make([]byte, codes*4), make([]byte, codes*size)
		for i := range codes {
			if size == 1 {
				all[i] = byte(i)
			} else {
				binary.LittleEndian.PutUint16(all[2*i:], uint16(i))
			}
		}
		w.Widen(wide, all)
		w.Narrow(back, wide)
		for i := range codes {
			f := math.Float32frombits(binary.LittleEndian.Uint32(wide[4*i:]))
			for b := range size {
				if f == f && back[i*size+b] != all[i*size+b] {
					t.Fatalf("%v: code %#x widens to %v, which narrows to another", typ, i, f)
				}
			}
		}
	}
}
