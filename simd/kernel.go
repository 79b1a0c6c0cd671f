package simd

// Reduce stores a op b in dst, element by element:
//
//	for i := range dst { dst[i] = a[i] op b[i] }
//
// The slices have equal lengths, a multiple of the size of the type, and any alignment. dst is a, or is b, or overlaps neither.
// A Reduce panics when lengths differ or an element is cut; it does not allocate.
type Reduce func(dst, a, b []byte)

// Reduce2 stores a op b in both dst and dst2, reading the operands once:
//
//	for i := range dst { r := a[i] op b[i]; dst[i], dst2[i] = r, r }
//
// dst and dst2 do not overlap each other; each is a, or is b, or overlaps neither. The rest is as for Reduce.
type Reduce2 func(dst, dst2, a, b []byte)

const errLength = "simd: slices of unequal length, or an element is cut"

type kernel struct {
	reduce  Reduce
	reduce2 Reduce2
}

type kernelTable [numTypes][numOps]kernel

// KernelFor returns the kernel of o for t at the level in use, in both forms; false if there is none: Avg has none, and And, Or, Xor and their logical kin have none for floats. It does not allocate.
//
// Integers wrap. Float16, BFloat16 and the 8-bit floats are computed in float32 and rounded to nearest, ties to even; what is too large becomes an infinity, in Float8E4M3 (which has none) a NaN.
//
// Max and Min of floats are maximum and minimum of IEEE 754-2019: -0 is less than +0, and NaN wins.
// The result is then the NaN of a, or if a is a number the NaN of b, with its quiet bit set and its other bits kept. The bits of the result are the same at every level and on every architecture.
//
// Sum and Prod that give NaN give the positive NaN without payload in the 16- and 8-bit floats (0x7e00, 0x7fc0, 0x7f, 0x7e); in Float32 and Float64 the sign and payload of that NaN are unspecified.
func KernelFor(t Type, o Op) (Reduce, Reduce2, bool) {
	ti, oi := t.index(), o.index()
	if ti < 0 || oi < 0 {
		return nil, nil, false
	}
	k := &kernels[ti][oi]
	return k.reduce, k.reduce2, k.reduce != nil
}

// kernels is the table of the level in use, twins the one of level Generic.
var (
	kernels kernelTable
	twins   = twinTable()
)

func setKernel(t Type, o Op, r Reduce, r2 Reduce2) {
	kernels[t.index()][o.index()] = kernel{r, r2}
}

func twinTable() (k kernelTable) {
	integerTwins[int8](&k, Int8)
	integerTwins[uint8](&k, Uint8)
	integerTwins[int16](&k, Int16)
	integerTwins[uint16](&k, Uint16)
	integerTwins[int32](&k, Int32)
	integerTwins[uint32](&k, Uint32)
	integerTwins[int64](&k, Int64)
	integerTwins[uint64](&k, Uint64)
	k.set(Float32, map[Op]Reduce{Sum: sum[float32], Prod: prod[float32], Max: maxFloat32, Min: minFloat32})
	k.set(Float64, map[Op]Reduce{Sum: sum[float64], Prod: prod[float64], Max: maxFloat64, Min: minFloat64})
	k.set(Float16, map[Op]Reduce{Sum: sumFloat16, Prod: prodFloat16, Max: maxFloat16, Min: minFloat16})
	k.set(BFloat16, map[Op]Reduce{Sum: sumBFloat16, Prod: prodBFloat16, Max: maxBFloat16, Min: minBFloat16})
	k.set(Float8E4M3, map[Op]Reduce{Sum: sumFloat8E4M3, Prod: prodFloat8E4M3, Max: maxFloat8E4M3, Min: minFloat8E4M3})
	k.set(Float8E5M2, map[Op]Reduce{Sum: sumFloat8E5M2, Prod: prodFloat8E5M2, Max: maxFloat8E5M2, Min: minFloat8E5M2})
	return k
}

func integerTwins[T integer](k *kernelTable, t Type) {
	k.set(t, map[Op]Reduce{
		Sum: sum[T], Prod: prod[T], Max: maxInteger[T], Min: minInteger[T],
		And: and[T], Or: or[T], Xor: xor[T],
		LogicalAnd: logicalAnd[T], LogicalOr: logicalOr[T], LogicalXor: logicalXor[T],
	})
}

func (k *kernelTable) set(t Type, rs map[Op]Reduce) {
	for o, r := range rs {
		k[t.index()][o.index()] = kernel{r, twice(r)}
	}
}

// twice makes the form with two destinations of a Reduce. It goes by blocks that stay in the first-level cache between the reduction and the copy of its result.
// Aliases are safe: a block of dst2 is written after that block of the operands has been read.
func twice(r Reduce) Reduce2 {
	const block = 4096 // a multiple of every element size
	return func(dst, dst2, a, b []byte) {
		if len(dst2) != len(dst) || len(a) != len(dst) || len(b) != len(dst) {
			panic(errLength)
		}
		for lo := 0; lo < len(dst); lo += block {
			hi := min(lo+block, len(dst))
			r(dst[lo:hi], a[lo:hi], b[lo:hi])
			copy(dst2[lo:hi], dst[lo:hi])
		}
	}
}
