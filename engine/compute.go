package engine

import (
	"hcomm/plan"
	"hcomm/simd"
)

// pieceBytes is how much of a slice is folded at a time: a piece of the result stays in the first-level cache until all
// operands are in it.
const pieceBytes = 8 << 10

// pieces are where the partial results of a fold lie; float32 takes up to four times the room.
type pieces struct {
	left, wide [pieceBytes * 4]byte
	right      [pieceBytes]byte
	message    []byte // a result that is only sent, inside its message
}

// kernelsFor are those of a call. once says that narrow floats are to be rounded once in a fold.
func kernelsFor(t simd.Type, op simd.Op, average int, once bool) kernels {
	k := kernels{size: t.Size()}
	if average != noAverage {
		op = simd.Sum
	}
	k.reduce, _, _ = simd.KernelFor(t, op)
	switch average {
	case scaleFirst:
		k.mapping = simd.Scale(t)
	case divideLast:
		k.mapping = simd.Divide(t)
	}
	if w := wides[t]; once && w != nil && (op == simd.Sum || op == simd.Prod) {
		k.wide = w
		k.reduce, _, _ = simd.KernelFor(simd.Float32, op)
	}
	return k
}

// wides are the kernels of the types narrower than float32, by type; nil for the others.
var wides [256]*simd.Wide

func init() {
	for _, t := range simd.Types() {
		if w, ok := simd.WideFor(t); ok {
			wides[t] = &w
		}
	}
}

// compute makes the result of a step from its operands in store, or slot, or both, and returns where it lies. What goes to
// a slot is streamed there, for another processor will read it.
func (o *operation) compute(s *plan.Step, bodies [][]byte, store, slot []byte) []byte {
	first := &s.Operands[0]
	if len(bodies) == 1 && first.Map == plan.Identity {
		result := bodies[0]
		if store != nil {
			if !same(store, result) {
				simd.Copy(store, result)
			}
			result = store
		}
		if slot != nil {
			simd.Stream(slot, result)
		}
		return result
	}
	dst := store
	if dst == nil {
		dst, slot = slot, nil
	}
	if dst == nil {
		dst = o.piece.message[:len(bodies[0])]
	}
	o.fold(dst, s, bodies)
	if slot != nil {
		simd.Stream(slot, dst)
	}
	return dst
}

// fold stores in dst, which may be one of the operands, ((o0 op o1) op o2)…
func (o *operation) fold(dst []byte, s *plan.Step, bodies [][]byte) {
	if len(bodies) == 2 && s.Operands[0].Map|s.Operands[1].Map == plan.Identity && o.kernels.wide == nil {
		o.kernels.reduce(dst, bodies[0], bodies[1])
		return
	}
	for at := 0; at < len(dst); at += pieceBytes {
		end := min(at+pieceBytes, len(dst))
		if o.kernels.wide != nil && len(bodies) > 1 {
			o.foldWide(dst[at:end], s, bodies, at, end)
		} else {
			o.foldPiece(dst[at:end], s, bodies, at, end)
		}
	}
}

func (o *operation) foldPiece(dst []byte, s *plan.Step, bodies [][]byte, at, end int) {
	n := end - at
	left := dst
	if len(bodies) > 1 {
		left = o.piece.left[:n]
	}
	left = o.mapped(left, s.Operands[0].Map, bodies[0][at:end])
	for i := 1; i < len(bodies); i++ {
		to := o.piece.left[:n]
		if i == len(bodies)-1 {
			to = dst
		}
		o.kernels.reduce(to, left, o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end]))
		left = to
	}
}

// foldWide is foldPiece in float32.
func (o *operation) foldWide(dst []byte, s *plan.Step, bodies [][]byte, at, end int) {
	wide := o.kernels.wide
	n, factor := end-at, 4/o.kernels.size
	sum, x := o.piece.left[:n*factor], o.piece.wide[:n*factor]
	wide.Widen(sum, o.mapped(o.piece.right[:n], s.Operands[0].Map, bodies[0][at:end]))
	for i := 1; i < len(bodies); i++ {
		wide.Widen(x, o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end]))
		o.kernels.reduce(sum, sum, x)
	}
	wide.Narrow(dst, sum)
}

// mapped is a with the map applied, in to unless it changes nothing.
func (o *operation) mapped(to []byte, m plan.Map, a []byte) []byte {
	if m == plan.Identity {
		return a
	}
	o.kernels.mapping(to, a, o.comm.Size())
	return to
}
