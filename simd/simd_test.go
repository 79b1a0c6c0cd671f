package simd

import (
	"strings"
	"testing"
)

func TestNumbering(t *testing.T) {
	types := map[Type]string{0: "int8", 1: "uint8", 2: "int32", 3: "uint32", 4: "int64", 5: "uint64", 6: "float16", 7: "float32", 8: "float64", 9: "bfloat16", 10: "float8e4m3", 11: "float8e5m2", 64: "int16", 65: "uint16"}
	sizes := map[string]int{"8": 1, "16": 2, "32": 4, "64": 8, "8e4m3": 1, "8e5m2": 1}
	for i := range 256 {
		typ := Type(i)
		name, ok := types[typ]
		if typ.Valid() != ok || ok && typ.String() != name {
			t.Errorf("Type(%d): valid %t, %q", i, typ.Valid(), typ)
		}
		if want := sizes[strings.TrimLeft(name, "abcdefghijklmnopqrstuvwxyz")]; typ.Size() != want {
			t.Errorf("%s: size %d, want %d", typ, typ.Size(), want)
		}
	}
	ops := map[Op]string{0: "sum", 1: "prod", 2: "max", 3: "min", 4: "avg", 64: "and", 65: "or", 66: "xor", 67: "logical_and", 68: "logical_or", 69: "logical_xor"}
	for i := range 256 {
		o := Op(i)
		name, ok := ops[o]
		if o.Valid() != ok || ok && o.String() != name {
			t.Errorf("Op(%d): valid %t, %q", i, o.Valid(), o)
		}
	}
	if len(Types()) != len(types) || len(Ops()) != len(ops) {
		t.Error("Types or Ops is incomplete")
	}
	for _, typ := range []Type{12, 63, 66, 255} {
		for _, o := range Ops() {
			if KernelFor(typ, o) != nil {
				t.Errorf("there is a kernel for %s of %s", o, typ)
			}
		}
	}
	if KernelFor(Int32, 5) != nil {
		t.Error("there is a kernel for Op(5)")
	}
}

func TestLevels(t *testing.T) {
	defer Use(BestLevel())
	for l := Generic; l <= AVX512; l++ {
		if got, err := ParseLevel(l.String()); got != l || err != nil {
			t.Errorf("ParseLevel(%q) = %v, %v", l, got, err)
		}
		err := Use(l)
		if l <= BestLevel() && err != nil {
			t.Errorf("Use(%s): %v", l, err)
		}
		if err != nil {
			t.Logf("%s is not tested: %v", l, err)
		}
		if l > BestLevel() && err == nil {
			t.Errorf("Use(%s) works, but the best level is %s", l, BestLevel())
		}
	}
	if _, err := ParseLevel("sse9"); err == nil || !strings.Contains(err.Error(), "generic, avx2, avx512") {
		t.Errorf("ParseLevel of an unknown name: %v", err)
	}
	if err := Use(Level(9)); err == nil {
		t.Error("Use(9) works")
	}
}

// TestKernelsKeepTheirLevel uses each where another level has been chosen since.
func TestKernelsKeepTheirLevel(t *testing.T) {
	var rigs []*rig
	levels(t, func(t *testing.T) {
		g := newRig(t, Float16, Sum, poolElements)
		for _, other := range rigs {
			if other.kernel == g.kernel {
				t.Errorf("%s has the kernel of a level before", level)
			}
		}
		rigs = append(rigs, g)
	})
	for _, g := range rigs {
		g.run(t, form{}, 0, poolElements, offsets{})
	}
}
