package simd

import "strconv"

// Type is the type of an element. Numbers below 64 are those of NCCL's ncclDataType_t; our own begin at 64.
type Type uint8

const (
	Int8       Type = 0
	Uint8      Type = 1
	Int32      Type = 2
	Uint32     Type = 3
	Int64      Type = 4
	Uint64     Type = 5
	Float16    Type = 6  // IEEE 754 binary16
	Float32    Type = 7  // IEEE 754 binary32
	Float64    Type = 8  // IEEE 754 binary64
	BFloat16   Type = 9  // the upper half of a Float32
	Float8E4M3 Type = 10 // OCP E4M3 ("fn"): no infinity, NaN is 0x7f and 0xff, largest 448
	Float8E5M2 Type = 11 // OCP E5M2: the upper half of a Float16

	Int16  Type = 64
	Uint16 Type = 65
)

// A row of a table indexed by Type.index.
const numTypes = 14

var typeInfo = [numTypes]struct {
	t    Type
	size int
	name string
}{
	{Int8, 1, "int8"}, {Uint8, 1, "uint8"}, {Int32, 4, "int32"}, {Uint32, 4, "uint32"}, {Int64, 8, "int64"}, {Uint64, 8, "uint64"},
	{Float16, 2, "float16"}, {Float32, 4, "float32"}, {Float64, 8, "float64"}, {BFloat16, 2, "bfloat16"},
	{Float8E4M3, 1, "float8e4m3"}, {Float8E5M2, 1, "float8e5m2"},
	{Int16, 2, "int16"}, {Uint16, 2, "uint16"},
}

// index returns the row of t in tables over all types, or -1.
func (t Type) index() int {
	switch {
	case t <= Float8E5M2:
		return int(t)
	case t == Int16 || t == Uint16:
		return int(t-Int16) + int(Float8E5M2) + 1
	}
	return -1
}

// Valid reports whether t is one of the types above.
func (t Type) Valid() bool { return t.index() >= 0 }

// Size returns the bytes of one element, 0 for an unknown type.
func (t Type) Size() int {
	if i := t.index(); i >= 0 {
		return typeInfo[i].size
	}
	return 0
}

// String returns the name of the type in lower case: "float32", "bfloat16", "float8e4m3".
func (t Type) String() string {
	if i := t.index(); i >= 0 {
		return typeInfo[i].name
	}
	return "Type(" + strconv.Itoa(int(t)) + ")"
}

// Types returns all types, in the order of their numbers.
func Types() []Type {
	ts := make([]Type, numTypes)
	for i := range ts {
		ts[i] = typeInfo[i].t
	}
	return ts
}
