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
	k.reduce = simd.KernelFor(t, op)
	switch average {
	case scaleFirst:
		k.mapping = simd.Scale(t)
	case divideLast:
		k.mapping = simd.Divide(t)
	}
	if once && isNarrow(t) && (op == simd.Sum || op == simd.Prod) {
		k.wide = wide{simd.ConversionFor(simd.Float32, t), simd.ConversionFor(t, simd.Float32)}
		k.reduce = simd.KernelFor(simd.Float32, op)
	}
	return k
}

// wide is how a float narrower than float32 becomes one, and back.
type wide struct{ widen, narrow simd.Conversion }

// isNarrow reports whether t is computed in float32 but narrower than it.
func isNarrow(t simd.Type) bool {
	return t != simd.Float32 && simd.ConversionFor(simd.Float32, t) != nil
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
	if len(bodies) == 2 && s.Operands[0].Map|s.Operands[1].Map == plan.Identity && o.kernels.wide.widen == nil {
		o.kernels.reduce.Reduce(dst, bodies[0], bodies[1])
		return
	}
	for at := 0; at < len(dst); at += pieceBytes {
		end := min(at+pieceBytes, len(dst))
		if o.kernels.wide.widen != nil && len(bodies) > 1 {
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
		o.kernels.reduce.Reduce(to, left, o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end]))
		left = to
	}
}

// foldWide is foldPiece in float32.
func (o *operation) foldWide(dst []byte, s *plan.Step, bodies [][]byte, at, end int) {
	wide := o.kernels.wide
	n, factor := end-at, 4/o.kernels.size
	sum, x := o.piece.left[:n*factor], o.piece.wide[:n*factor]
	wide.widen(sum, o.mapped(o.piece.right[:n], s.Operands[0].Map, bodies[0][at:end]))
	for i := 1; i < len(bodies); i++ {
		wide.widen(x, o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end]))
		o.kernels.reduce.Reduce(sum, sum, x)
	}
	wide.narrow(dst, sum)
}

// mapped is a with the map applied, in to unless it changes nothing.
func (o *operation) mapped(to []byte, m plan.Map, a []byte) []byte {
	if m == plan.Identity {
		return a
	}
	o.kernels.mapping(to, a, o.comm.Size())
	return to
}
