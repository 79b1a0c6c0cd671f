package simd

import "strconv"

// Op is an operator. Numbers below 64 are those of NCCL's ncclRedOp_t; our own begin at 64.
type Op uint8

const (
	Sum  Op = 0
	Prod Op = 1
	Max  Op = 2
	Min  Op = 3
	Avg  Op = 4 // no kernel: Sum, with Scale before it for floats and Divide after it for integers

	And        Op = 64 // bitwise; integers only, like all that follow
	Or         Op = 65
	Xor        Op = 66
	LogicalAnd Op = 67 // an operand counts as true when it is not 0; the result is 1 or 0
	LogicalOr  Op = 68
	LogicalXor Op = 69
)

// A row of a table indexed by Op.index.
const numOps = 11

var opInfo = [numOps]struct {
	o    Op
	name string
}{
	{Sum, "sum"}, {Prod, "prod"}, {Max, "max"}, {Min, "min"}, {Avg, "avg"},
	{And, "and"}, {Or, "or"}, {Xor, "xor"}, {LogicalAnd, "logical_and"}, {LogicalOr, "logical_or"}, {LogicalXor, "logical_xor"},
}

// index returns the row of o in tables over all operators, or -1.
func (o Op) index() int {
	switch {
	case o <= Avg:
		return int(o)
	case o >= And && o <= LogicalXor:
		return int(o-And) + int(Avg) + 1
	}
	return -1
}

// Valid reports whether o is one of the operators above.
func (o Op) Valid() bool { return o.index() >= 0 }

// String returns the name of the operator in lower case: "sum", "logical_and".
func (o Op) String() string {
	if i := o.index(); i >= 0 {
		return opInfo[i].name
	}
	return "Op(" + strconv.Itoa(int(o)) + ")"
}

// Ops returns all operators, in the order of their numbers.
func Ops() []Op {
	ops := make([]Op, numOps)
	for i := range ops {
		ops[i] = opInfo[i].o
	}
	return ops
}
