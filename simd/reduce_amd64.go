//go:build !race && !purego

package simd

// integers are all types that And, Or and Xor are the same for.
var integers = []Type{Int8, Uint8, Int16, Uint16, Int32, Uint32, Int64, Uint64}

// reductions are the kernels in assembly. Where AVX-512 brings nothing it has none of its own.
var reductions = []struct {
	types        []Type
	op           Op
	avx2, avx512 reduction
}{
	{integers, And, andBitsAVX2, andBitsAVX2},
	{integers, Or, orBitsAVX2, orBitsAVX2},
	{integers, Xor, xorBitsAVX2, xorBitsAVX2},
	{[]Type{Int8, Uint8}, Sum, sumInt8AVX2, sumInt8AVX2},
	{[]Type{Int8, Uint8}, Prod, prodInt8AVX2, prodInt8AVX2},
	{[]Type{Int8}, Max, maxInt8AVX2, maxInt8AVX2},
	{[]Type{Int8}, Min, minInt8AVX2, minInt8AVX2},
	{[]Type{Uint8}, Max, maxUint8AVX2, maxUint8AVX2},
	{[]Type{Uint8}, Min, minUint8AVX2, minUint8AVX2},
	{[]Type{Int8, Uint8}, LogicalAnd, logicalAndInt8AVX2, logicalAndInt8AVX2},
	{[]Type{Int8, Uint8}, LogicalOr, logicalOrInt8AVX2, logicalOrInt8AVX2},
	{[]Type{Int8, Uint8}, LogicalXor, logicalXorInt8AVX2, logicalXorInt8AVX2},
	{[]Type{Int16, Uint16}, Sum, sumInt16AVX2, sumInt16AVX2},
	{[]Type{Int16, Uint16}, Prod, prodInt16AVX2, prodInt16AVX2},
	{[]Type{Int16}, Max, maxInt16AVX2, maxInt16AVX2},
	{[]Type{Int16}, Min, minInt16AVX2, minInt16AVX2},
	{[]Type{Uint16}, Max, maxUint16AVX2, maxUint16AVX2},
	{[]Type{Uint16}, Min, minUint16AVX2, minUint16AVX2},
	{[]Type{Int16, Uint16}, LogicalAnd, logicalAndInt16AVX2, logicalAndInt16AVX2},
	{[]Type{Int16, Uint16}, LogicalOr, logicalOrInt16AVX2, logicalOrInt16AVX2},
	{[]Type{Int16, Uint16}, LogicalXor, logicalXorInt16AVX2, logicalXorInt16AVX2},
	{[]Type{Int32, Uint32}, Sum, sumInt32AVX2, sumInt32AVX2},
	{[]Type{Int32, Uint32}, Prod, prodInt32AVX2, prodInt32AVX2},
	{[]Type{Int32}, Max, maxInt32AVX2, maxInt32AVX2},
	{[]Type{Int32}, Min, minInt32AVX2, minInt32AVX2},
	{[]Type{Uint32}, Max, maxUint32AVX2, maxUint32AVX2},
	{[]Type{Uint32}, Min, minUint32AVX2, minUint32AVX2},
	{[]Type{Int32, Uint32}, LogicalAnd, logicalAndInt32AVX2, logicalAndInt32AVX2},
	{[]Type{Int32, Uint32}, LogicalOr, logicalOrInt32AVX2, logicalOrInt32AVX2},
	{[]Type{Int32, Uint32}, LogicalXor, logicalXorInt32AVX2, logicalXorInt32AVX2},
	{[]Type{Int64, Uint64}, Sum, sumInt64AVX2, sumInt64AVX2},
	{[]Type{Int64, Uint64}, Prod, prodInt64AVX2, prodInt64AVX512},
	{[]Type{Int64}, Max, maxInt64AVX2, maxInt64AVX512},
	{[]Type{Int64}, Min, minInt64AVX2, minInt64AVX512},
	{[]Type{Uint64}, Max, maxUint64AVX2, maxUint64AVX512},
	{[]Type{Uint64}, Min, minUint64AVX2, minUint64AVX512},
	{[]Type{Int64, Uint64}, LogicalAnd, logicalAndInt64AVX2, logicalAndInt64AVX512},
	{[]Type{Int64, Uint64}, LogicalOr, logicalOrInt64AVX2, logicalOrInt64AVX512},
	{[]Type{Int64, Uint64}, LogicalXor, logicalXorInt64AVX2, logicalXorInt64AVX512},
	{[]Type{Float16}, Sum, sumFloat16AVX2, sumFloat16AVX512},
	{[]Type{Float16}, Prod, prodFloat16AVX2, prodFloat16AVX512},
	{[]Type{Float16}, Max, maxFloat16AVX2, maxFloat16AVX512},
	{[]Type{Float16}, Min, minFloat16AVX2, minFloat16AVX512},
	{[]Type{BFloat16}, Sum, sumBFloat16AVX2, sumBFloat16AVX512},
	{[]Type{BFloat16}, Prod, prodBFloat16AVX2, prodBFloat16AVX512},
	{[]Type{BFloat16}, Max, maxBFloat16AVX2, maxBFloat16AVX512},
	{[]Type{BFloat16}, Min, minBFloat16AVX2, minBFloat16AVX512},
	{[]Type{Float32}, Sum, sumFloat32AVX2, sumFloat32AVX2},
	{[]Type{Float32}, Prod, prodFloat32AVX2, prodFloat32AVX2},
	{[]Type{Float32}, Max, maxFloat32AVX2, maxFloat32AVX512},
	{[]Type{Float32}, Min, minFloat32AVX2, minFloat32AVX512},
	{[]Type{Float64}, Sum, sumFloat64AVX2, sumFloat64AVX2},
	{[]Type{Float64}, Prod, prodFloat64AVX2, prodFloat64AVX2},
	{[]Type{Float64}, Max, maxFloat64AVX2, maxFloat64AVX512},
	{[]Type{Float64}, Min, minFloat64AVX2, minFloat64AVX512},
	{[]Type{Float8E4M3}, Sum, sumFloat8E4M3AVX2, sumFloat8E4M3AVX512},
	{[]Type{Float8E4M3}, Prod, prodFloat8E4M3AVX2, prodFloat8E4M3AVX512},
	{[]Type{Float8E4M3}, Max, maxFloat8E4M3AVX2, maxFloat8E4M3AVX512},
	{[]Type{Float8E4M3}, Min, minFloat8E4M3AVX2, minFloat8E4M3AVX512},
	{[]Type{Float8E5M2}, Sum, sumFloat8E5M2AVX2, sumFloat8E5M2AVX512},
	{[]Type{Float8E5M2}, Prod, prodFloat8E5M2AVX2, prodFloat8E5M2AVX512},
	{[]Type{Float8E5M2}, Max, maxFloat8E5M2AVX2, maxFloat8E5M2AVX512},
	{[]Type{Float8E5M2}, Min, minFloat8E5M2AVX2, minFloat8E5M2AVX512},
}

// installAssembly puts what the levels have in assembly over the twins.
func installAssembly() {
	for _, r := range reductions {
		for _, t := range r.types {
			kernels[AVX2][t.index()][r.op.index()].assembly = r.avx2
			kernels[AVX512][t.index()][r.op.index()].assembly = r.avx512
		}
	}
	installConversions()
	installScales()
}
