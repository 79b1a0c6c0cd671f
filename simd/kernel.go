package simd

// A Kernel reduces by one operator on one type, element by element. Its four forms differ in where the results go.
//
// All operands and destinations have equal lengths, a multiple of the size of the type, and any alignment. A destination is a, or is b, or overlaps neither; destinations do not overlap each other.
// A form panics when lengths differ or an element is cut. It does not allocate.
type Kernel struct {
	size     int
	twin     func(dst, a, b []byte)
	assembly reduction // nil: there is none at the level in use
}

// reduction is a kernel in assembly: n bytes, n > 0, by mode, the sum of second and stream. Without second dst2 is dst.
type reduction func(dst, dst2, a, b *byte, n, mode int)

const (
	second = 1 // there is a second destination
	stream = 2 // the last destination begins at a whole element, and is stored to past the caches
)

// pieceBytes is what assembly, or Go's own copy, gets at a time. Nothing can preempt it, and no loop around it either, which the scheduler would have to hit between two calls; what can be is a function of Go at its entry. So a longer call is one of the same function for each piece.
const pieceBytes = 64 << 10

const errLength = "simd: slices of unequal length, or an element is cut"

// Reduce stores a op b in dst; dst op= b if a is dst:
//
//	for i := range dst { dst[i] = a[i] op b[i] }
func (k *Kernel) Reduce(dst, a, b []byte) {
	if k.assembly == nil {
		k.twin(dst, a, b)
		return
	}
	k.run(dst, dst, a, b, 0)
}

// ReduceStream is Reduce for a destination that another processor will read; see [Stream].
func (k *Kernel) ReduceStream(dst, a, b []byte) {
	if k.assembly == nil {
		k.twin(dst, a, b)
		return
	}
	k.run(dst, dst, a, b, k.streamTo(dst))
}

// Reduce2 stores a op b in both dst and dst2, reading the operands once:
//
//	for i := range dst { r := a[i] op b[i]; dst[i], dst2[i] = r, r }
func (k *Kernel) Reduce2(dst, dst2, a, b []byte) {
	if k.assembly == nil {
		twice(k.twin, dst, dst2, a, b)
		return
	}
	k.run(dst, dst2, a, b, second)
}

// Reduce2Stream is Reduce2 with a dst2 that another processor will read; see [Stream].
func (k *Kernel) Reduce2Stream(dst, dst2, a, b []byte) {
	if k.assembly == nil {
		twice(k.twin, dst, dst2, a, b)
		return
	}
	k.run(dst, dst2, a, b, second|k.streamTo(dst2))
}

// run checks what the assembly relies on, and calls it.
func (k *Kernel) run(dst, dst2, a, b []byte, mode int) {
	n := len(dst)
	if len(dst2) != n || len(a) != n || len(b) != n || n&(k.size-1) != 0 {
		panic(errLength)
	}
	if n > pieceBytes {
		for at := 0; at < n; at += pieceBytes {
			end := min(at+pieceBytes, n)
			k.run(dst[at:end], dst2[at:end], a[at:end], b[at:end], mode)
		}
	} else if n > 0 {
		k.assembly(&dst[0], &dst2[0], &a[0], &b[0], n, mode)
	}
}

// streamTo is the bit of the mode for a destination to be streamed to, if it can be.
func (k *Kernel) streamTo(dst []byte) int {
	if len(dst) >= streamFrom && beginsAt(dst, uintptr(k.size)) {
		return stream
	}
	return 0
}

// twice goes by blocks that stay in the first-level cache between the reduction and the copy of its result.
// Aliases are safe: a block of dst2 is written after that block of the operands has been read.
func twice(reduce func(dst, a, b []byte), dst, dst2, a, b []byte) {
	const block = 4096 // a multiple of every element size
	if len(dst2) != len(dst) || len(a) != len(dst) || len(b) != len(dst) {
		panic(errLength)
	}
	mustBeApart(dst, dst2)
	mustBeSameOrApart(dst2, a)
	mustBeSameOrApart(dst2, b)
	for lo := 0; lo < len(dst); lo += block {
		hi := min(lo+block, len(dst))
		reduce(dst[lo:hi], a[lo:hi], b[lo:hi])
		copy(dst2[lo:hi], dst[lo:hi])
	}
}

// KernelFor returns the kernel of o for t at the level in use, nil if there is none: Avg has none, and And, Or, Xor and their logical kin have none for floats. It does not allocate.
//
// Integers wrap. Float16, BFloat16 and the 8-bit floats are computed in float32 and rounded to nearest, ties to even; what is too large becomes an infinity, in Float8E4M3 (which has none) a NaN.
//
// Max and Min of floats are maximum and minimum of IEEE 754-2019: -0 is less than +0, and NaN wins.
// The result is then the NaN of a, or if a is a number the NaN of b, with its quiet bit set and its other bits kept. The bits of the result are the same at every level and on every architecture.
//
// Sum and Prod that give NaN give the positive NaN without payload in the 16- and 8-bit floats (0x7e00, 0x7fc0, 0x7f, 0x7e); in Float32 and Float64 the sign and payload of that NaN are unspecified.
func KernelFor(t Type, o Op) *Kernel {
	ti, oi := t.index(), o.index()
	if ti < 0 || oi < 0 {
		return nil
	}
	if k := &kernels[level][ti][oi]; k.twin != nil {
		return k
	}
	return nil
}

type kernelTable [numTypes][numOps]Kernel

// kernels are the tables of all levels. Those of a level that is not to be had here hold the twins.
var kernels = [...]kernelTable{Generic: twinKernels(), AVX2: twinKernels(), AVX512: twinKernels()}

func twinKernels() (k kernelTable) {
	integerTwins[int8](&k, Int8)
	integerTwins[uint8](&k, Uint8)
	integerTwins[int16](&k, Int16)
	integerTwins[uint16](&k, Uint16)
	integerTwins[int32](&k, Int32)
	integerTwins[uint32](&k, Uint32)
	integerTwins[int64](&k, Int64)
	integerTwins[uint64](&k, Uint64)
	k.set(Float32, twinsByOp{Sum: sum[float32], Prod: prod[float32], Max: maxFloat32, Min: minFloat32})
	k.set(Float64, twinsByOp{Sum: sum[float64], Prod: prod[float64], Max: maxFloat64, Min: minFloat64})
	k.set(Float16, twinsByOp{Sum: sumFloat16, Prod: prodFloat16, Max: maxFloat16, Min: minFloat16})
	k.set(BFloat16, twinsByOp{Sum: sumBFloat16, Prod: prodBFloat16, Max: maxBFloat16, Min: minBFloat16})
	k.set(Float8E4M3, twinsByOp{Sum: sumFloat8E4M3, Prod: prodFloat8E4M3, Max: maxFloat8E4M3, Min: minFloat8E4M3})
	k.set(Float8E5M2, twinsByOp{Sum: sumFloat8E5M2, Prod: prodFloat8E5M2, Max: maxFloat8E5M2, Min: minFloat8E5M2})
	return k
}

func integerTwins[T integer](k *kernelTable, t Type) {
	k.set(t, twinsByOp{
		Sum: sum[T], Prod: prod[T], Max: maxInteger[T], Min: minInteger[T],
		And: and[T], Or: or[T], Xor: xor[T],
		LogicalAnd: logicalAnd[T], LogicalOr: logicalOr[T], LogicalXor: logicalXor[T],
	})
}

type twinsByOp map[Op]func(dst, a, b []byte)

func (k *kernelTable) set(t Type, rs twinsByOp) {
	for o, r := range rs {
		k[t.index()][o.index()] = Kernel{size: t.Size(), twin: r}
	}
}
