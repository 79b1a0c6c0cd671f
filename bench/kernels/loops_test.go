//go:build cgo

package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"hcomm/simd"
)

// Every loop in C gives what the kernel gives, for codes of every kind: C's compiler and hcomm's generator would have to
// be wrong in the same way.

// specials are codes that are easily got wrong.
func specials(t simd.Type) []uint64 {
	sign := uint64(1) << (8*t.Size() - 1)
	all := sign | (sign - 1)
	codes := []uint64{0, 1, 2, 3, sign, sign | 1, sign - 1, all, all - 1, sign >> 1, all >> 2}
	if f, ok := formats[t]; ok {
		inf, normal, quiet := f.infinity(), f.normal(), f.normal()/2
		for _, c := range []uint64{inf, inf - 1, inf + 1, inf | quiet, inf | quiet | 1, normal, normal - 1, normal + 1, quiet,
			f.one(), f.one() + 1, f.one() - 1, inf - normal, inf - normal - 1, inf - normal + 1} {
			codes = append(codes, c, c|sign)
		}
	}
	return codes
}

// challenge makes operands of n elements and more: random codes, of which many are close, then all pairs of special ones,
// in random order.
func challenge(t simd.Type, n int) (a, b []byte) {
	rng := rand.New(rand.NewPCG(uint64(t), 1))
	var pairs [][2]uint64
	for _, x := range specials(t) {
		for _, y := range specials(t) {
			pairs = append(pairs, [2]uint64{x, y})
		}
	}
	rng.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	for i := range n + len(pairs) {
		x, y := rng.Uint64(), rng.Uint64()
		switch {
		case i >= n:
			x, y = pairs[i-n][0], pairs[i-n][1]
		case i%2 == 0:
			y = x ^ y>>rng.UintN(64)
		}
		a, b = appendCode(a, t, x), appendCode(b, t, y)
	}
	return a, b
}

func appendCode(to []byte, t simd.Type, v uint64) []byte {
	var code [8]byte
	put(code[:t.Size()], v)
	return append(to, code[:t.Size()]...)
}

// code reads element i.
func code(b []byte, size, i int) (v uint64) {
	for k, one := range b[i*size:][:size] {
		v |= uint64(one) << (8 * k)
	}
	return v
}

// An agreement says of the codes of two operands, of the result that a loop has given and of the kernel's whether the
// results agree. f is the format of results.
type agreement func(f format, x, y, got, want uint64) bool

func toTheBit(_ format, _, _, got, want uint64) bool { return got == want }

// butForNaNs: which NaN comes out is left open.
func butForNaNs(f format, _, _, got, want uint64) bool {
	return got == want || f.isNaN(got) && f.isNaN(want)
}

// butForRules: neither NaNs nor the signs of zeros are looked at.
func butForRules(f format, x, y, got, want uint64) bool {
	return got == want || f.isNaN(x) || f.isNaN(y) || (x|y)&^f.sign() == 0
}

// butForSubnormals: of a subnormal number there is left its sign, and of one that was rounded to the smallest normal one.
func butForSubnormals(f format, x, y, got, want uint64) bool {
	return butForNaNs(f, x, y, got, want) || want&^f.sign() <= f.normal() && got == want&f.sign()
}

// A trial runs a loop over all elements, then over the last of them, any number up to shortest: loops of vectors end in many
// ways.
type trial struct {
	typ    simd.Type // of the operands
	result simd.Type
	kernel func(dst, a, b []byte)
	loop   func(o *operands) loop
	agree  agreement
	a, b   []byte
}

const shortest = 140

func (tr *trial) run(t *testing.T) {
	t.Helper()
	in, out := tr.typ.Size(), tr.result.Size()
	elements := len(tr.a) / in
	m, err := newMemory(elements * max(in, out))
	if err != nil {
		t.Fatal(err)
	}
	defer m.free()
	copy(m.a, tr.a)
	copy(m.b, tr.b)
	for n := elements; n > 0; n = min(n-1, shortest) {
		a, b := m.a[(elements-n)*in:elements*in], m.b[(elements-n)*in:elements*in]
		want, got := m.want[:n*out], m.dst[:n*out]
		copy(want, bytes.Repeat([]byte{0xa5}, len(want)))
		copy(got, bytes.Repeat([]byte{0x5a}, len(got)))
		tr.kernel(want, a, b)
		o := &operands{dst: got, a: a, b: b, dstPiece: n * out, aPiece: n * in, elements: n, pieces: 1}
		tr.loop(o)(0, 1)
		for i := range n {
			x, y, g, w := code(a, in, i), code(b, in, i), code(got, out, i), code(want, out, i)
			if !tr.agree(formats[tr.result], x, y, g, w) {
				t.Fatalf("element %d of %d: a %#x, b %#x: the loop gives %#x, the kernel %#x", i, n, x, y, g, w)
			}
		}
	}
}

func isNarrow(t simd.Type) bool { return simd.ConversionFor(simd.Float32, t) != nil }

func compiledForThis(t *testing.T) {
	if err := foreign(); err != nil {
		t.Skip(err)
	}
}

func TestReductionsInC(t *testing.T) {
	compiledForThis(t)
	for _, typ := range allTypes {
		a, b := challenge(typ, 1<<16)
		_, isFloat := formats[typ]
		for _, op := range simd.Ops() {
			k := kernelFor(typ, op)
			if k.reduce == nil {
				continue
			}
			arithmetic := op == simd.Sum || op == simd.Prod
			for _, by := range []struct {
				name  string
				list  maker
				agree agreement
				must  bool
			}{
				{"gcc", gcc(typ.String()), pick(isFloat && arithmetic && !isNarrow(typ), butForNaNs, toTheBit), true},
				{"plain", plain(), butForRules, typ.Size() >= 4 && isFloat && !arithmetic},
				{"intrinsics", intrinsics(typ.String()),
					pick(arithmetic, pick(typ == simd.BFloat16, butForSubnormals, butForNaNs), toTheBit),
					intrinsics(typ.String()) != nil && isNarrow(typ) && typ.Size() == 2},
			} {
				t.Run(fmt.Sprintf("%v/%v/%s", typ, op, by.name), func(t *testing.T) {
					if found := loopInC(by.list, typ.String(), op.String(), &operands{}) != nil; found != by.must {
						t.Fatalf("there is such a loop: %v", found)
					}
					if !by.must {
						return
					}
					tr := trial{typ: typ, result: typ, kernel: k.reduce, agree: by.agree, a: a, b: b}
					tr.loop = func(o *operands) loop { return loopInC(by.list, typ.String(), op.String(), o) }
					tr.run(t)
				})
			}
		}
	}
}

func pick[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

func TestConversionsInC(t *testing.T) {
	compiledForThis(t)
	for _, typ := range allTypes {
		widen, narrow := simd.ConversionFor(simd.Float32, typ), simd.ConversionFor(typ, simd.Float32)
		if widen == nil {
			continue
		}
		// Every code, and floats whose upper halves are all that there are.
		var codes, wide []byte
		for v := range uint64(1) << (8 * typ.Size()) {
			codes = appendCode(codes, typ, v)
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for v := range uint64(1) << 16 {
			for _, low := range []uint64{0, 1, 1 << 15, 1<<15 - 1, 1<<15 + 1, rng.Uint64N(1 << 16)} {
				wide = appendCode(wide, simd.Float32, v<<16|low)
			}
		}
		for _, way := range []struct {
			name     string
			from, to simd.Type
			kernel   func(dst, a []byte)
			a        []byte
			agree    agreement // of the intrinsics
		}{
			{"widen", typ, simd.Float32, widen, codes, butForNaNs},
			{"narrow", simd.Float32, typ, narrow, wide, pick(typ == simd.BFloat16, butForSubnormals, butForNaNs)},
		} {
			for name, list := range map[string]maker{"gcc": gcc(typ.String()), "intrinsics": intrinsics(typ.String())} {
				t.Run(fmt.Sprintf("%v/%s/%s", typ, way.name, name), func(t *testing.T) {
					if name == "intrinsics" && (list == nil || typ.Size() == 1) {
						t.Skip("there are none")
					}
					tr := trial{typ: way.from, result: way.to, a: way.a, b: way.a}
					tr.kernel = func(dst, a, _ []byte) { way.kernel(dst, a) }
					tr.agree = pick[agreement](name == "gcc", toTheBit, way.agree)
					tr.loop = func(o *operands) loop { return loopInC(list, typ.String(), way.name, o) }
					tr.run(t)
				})
			}
		}
	}
}

func TestScalingInC(t *testing.T) {
	compiledForThis(t)
	for _, typ := range allTypes {
		scale := simd.Scale(typ)
		if scale == nil {
			continue
		}
		t.Run(typ.String(), func(t *testing.T) {
			a, _ := challenge(typ, 1<<16)
			tr := trial{typ: typ, result: typ, agree: pick(isNarrow(typ), toTheBit, butForNaNs), a: a, b: a}
			tr.kernel = func(dst, a, _ []byte) { scale(dst, a, scaleBy) }
			tr.loop = func(o *operands) loop { return loopInC(gcc(typ.String()), typ.String(), "scale", o) }
			tr.run(t)
		})
	}
}
