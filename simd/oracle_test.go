package simd

import (
	"fmt"
	"math"
	"math/big"
	"sort"
)

// The oracle computes one element at a time, on bits held in a uint64, in ways that the kernels do not: integers in math/big, floats from tables of values and in wider arithmetic.

// number says how the bits of a float type are laid out, independently of package code.
type number struct{ mantissa, exponent int }

var numbers = map[Type]number{
	Float16: {10, 5}, BFloat16: {7, 8}, Float32: {23, 8}, Float64: {52, 11}, Float8E4M3: {3, 4}, Float8E5M2: {2, 5},
}

func isFloat(t Type) bool { _, ok := numbers[t]; return ok }

func isSigned(t Type) bool { return t == Int8 || t == Int16 || t == Int32 || t == Int64 }

func signBit(t Type) uint64 { return 1 << (t.Size()*8 - 1) }

// valueOf returns the number that bits stand for, by the formula of the format.
func valueOf(t Type, bits uint64) float64 {
	f := numbers[t]
	m := bits & (1<<f.mantissa - 1)
	e := int(bits >> f.mantissa & (1<<f.exponent - 1))
	top, bias := 1<<f.exponent-1, 1<<(f.exponent-1)-1
	var v float64
	switch {
	case t == Float8E4M3 && e == top && m == 7, t != Float8E4M3 && e == top && m != 0:
		return math.NaN()
	case t != Float8E4M3 && e == top:
		v = math.Inf(1)
	case e == 0:
		v = math.Ldexp(float64(m), 1-bias-f.mantissa)
	default:
		v = math.Ldexp(float64(m|1<<f.mantissa), e-bias-f.mantissa)
	}
	if bits&signBit(t) != 0 {
		v = -v
	}
	return v
}

// finite lists the positive finite values of a narrow type; the index is the code.
var finite = func() map[Type][]float64 {
	tables := map[Type][]float64{}
	for _, t := range []Type{Float16, BFloat16, Float8E4M3, Float8E5M2} {
		var vs []float64
		for c := uint64(0); c < signBit(t); c++ {
			if v := valueOf(t, c); !math.IsNaN(v) && !math.IsInf(v, 0) {
				vs = append(vs, v)
			}
		}
		if !sort.Float64sAreSorted(vs) {
			panic("codes are not in the order of their values")
		}
		tables[t] = vs
	}
	return tables
}()

var canonicalNaN = map[Type]uint64{Float16: 0x7e00, BFloat16: 0x7fc0, Float8E4M3: 0x7f, Float8E5M2: 0x7e}

// nearest rounds v to a narrow type by looking for its neighbours: nearest, ties to the even code, beyond the last value as if there were one more.
func nearest(t Type, v float64) uint64 {
	if math.IsNaN(v) {
		return canonicalNaN[t]
	}
	vs := finite[t]
	sign := uint64(0)
	if math.Signbit(v) {
		sign, v = signBit(t), -v
	}
	last := len(vs) - 1
	over := uint64(last + 1) // the code of infinity follows the greatest, and so does the NaN of E4M3
	if v >= vs[last] {
		if v-vs[last] < (vs[last]-vs[last-1])/2 || v-vs[last] == (vs[last]-vs[last-1])/2 && last%2 == 0 {
			return sign | uint64(last)
		}
		return sign | over
	}
	hi := sort.SearchFloat64s(vs, v)
	if vs[hi] == v {
		return sign | uint64(hi)
	}
	lo := hi - 1
	switch middle := (vs[lo] + vs[hi]) / 2; {
	case v < middle, v == middle && lo%2 == 0:
		return sign | uint64(lo)
	}
	return sign | uint64(hi)
}

// oracle returns x o y; anyNaN says that any NaN will do.
func oracle(t Type, o Op, x, y uint64) (r uint64, anyNaN bool) {
	if !isFloat(t) {
		return integerOracle(t, o, x, y), false
	}
	p, q := valueOf(t, x), valueOf(t, y)
	if o == Max || o == Min {
		return extremeOracle(t, o == Max, x, y, p, q), false
	}
	var v float64
	switch {
	case t == Float64 && !math.IsNaN(p-p) && !math.IsNaN(q-q): // both finite
		bp, bq := big.NewFloat(p).SetPrec(4400), big.NewFloat(q).SetPrec(4400)
		if o == Sum {
			bp.Add(bp, bq)
		} else {
			bp.Mul(bp, bq)
		}
		v, _ = bp.Float64()
	case o == Sum:
		v = p + q
	default:
		v = p * q
	}
	switch t {
	case Float64:
		return math.Float64bits(v), v != v
	case Float32: // float64 has more than twice the bits of float32, so rounding twice is rounding once
		return uint64(math.Float32bits(float32(v))), v != v
	}
	return nearest(t, float64(float32(v))), false
}

func extremeOracle(t Type, wantMax bool, x, y uint64, p, q float64) uint64 {
	quiet := uint64(1) << (numbers[t].mantissa - 1)
	if t == Float8E4M3 {
		quiet = 0
	}
	switch {
	case math.IsNaN(p):
		return x | quiet
	case math.IsNaN(q):
		return y | quiet
	case p == q && x != y: // zeros
		if wantMax {
			return 0
		}
		return signBit(t)
	case (p > q) == wantMax:
		return x
	}
	return y
}

func integerOracle(t Type, o Op, x, y uint64) uint64 {
	p, q, r := asInt(t, x), asInt(t, y), new(big.Int)
	truth := func(b bool) *big.Int {
		if b {
			return big.NewInt(1)
		}
		return big.NewInt(0)
	}
	switch o {
	case Sum:
		r.Add(p, q)
	case Prod:
		r.Mul(p, q)
	case Max:
		if r = p; q.Cmp(p) > 0 {
			r = q
		}
	case Min:
		if r = p; q.Cmp(p) < 0 {
			r = q
		}
	case And:
		r.And(p, q)
	case Or:
		r.Or(p, q)
	case Xor:
		r.Xor(p, q)
	case LogicalAnd:
		r = truth(p.Sign() != 0 && q.Sign() != 0)
	case LogicalOr:
		r = truth(p.Sign() != 0 || q.Sign() != 0)
	case LogicalXor:
		r = truth((p.Sign() != 0) != (q.Sign() != 0))
	default:
		panic(fmt.Sprint("no oracle for ", o))
	}
	return fromInt(t, r)
}

// asInt reads bits as a number of an integer type.
func asInt(t Type, bits uint64) *big.Int {
	v := new(big.Int).SetUint64(bits)
	if isSigned(t) && bits&signBit(t) != 0 {
		v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(t.Size()*8)))
	}
	return v
}

// fromInt wraps v to an integer type.
func fromInt(t Type, v *big.Int) uint64 {
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(t.Size()*8))
	return new(big.Int).Mod(v, modulus).Uint64()
}
