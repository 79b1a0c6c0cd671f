package simd

import "testing"

func TestNothingAllocates(t *testing.T) {
	levels(t, func(t *testing.T) {
		d, d2, a, b := make([]byte, streamFrom), make([]byte, streamFrom), make([]byte, streamFrom), make([]byte, streamFrom)
		none := func(what string, f func()) {
			t.Helper()
			if n := testing.AllocsPerRun(1, f); n != 0 {
				t.Errorf("%s allocates %v times", what, n)
			}
		}
		eachKernel(func(typ Type, o Op) {
			none(typ.String()+" "+o.String(), func() {
				for _, f := range forms {
					f.call(KernelFor(typ, o), d, d2, a, b)
				}
			})
		})
		for _, typ := range Types() {
			if Scale(typ) != nil {
				none("Scale of "+typ.String(), func() { Scale(typ)(d, a, 3) })
			} else {
				none("Divide of "+typ.String(), func() { Divide(typ)(d, a, 3) })
			}
		}
		for _, c := range conversionPairs {
			none(c.from.String()+" to "+c.to.String(), func() {
				ConversionFor(c.to, c.from)(d[:500*c.to.Size()], a[:500*c.from.Size()])
			})
		}
		none("a copy", func() { Copy(d, a); Copy2(d, d2, a); Stream(d, a) })
		none("a copy on the stack", func() {
			var x, y, z [512]byte
			Copy(x[:], y[:])
			Copy2(x[:], y[:], z[:])
		})
		none("CRC32C", func() { CRC32C(0, a) })
		var p uint64
		none("order", func() {
			StoreRelease64(&p, 1)
			LoadAcquire64(&p)
			Pause(1)
		})
	})
}
