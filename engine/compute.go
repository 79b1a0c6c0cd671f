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

// sink is where a result goes: to memory of this rank, to a slot that another processor will read, or both.
type sink struct {
	store, slot []byte
	stream      bool // to the slot, past the caches
	large       bool // what is stored will not be in the caches when it is read: past them, too
}

func (to sink) part(at, end int) sink {
	if to.store != nil {
		to.store = to.store[at:end]
	}
	if to.slot != nil {
		to.slot = to.slot[at:end]
	}
	return to
}

// any is one of the places.
func (to sink) any() []byte {
	if to.store != nil {
		return to.store
	}
	return to.slot
}

// reduce makes a op b in all places at once.
func (to sink) reduce(k *simd.Kernel, a, b []byte) {
	switch {
	case to.slot == nil && to.large:
		k.ReduceStream(to.store, a, b)
	case to.slot == nil:
		k.Reduce(to.store, a, b)
	case to.store == nil && to.stream:
		k.ReduceStream(to.slot, a, b)
	case to.store == nil:
		k.Reduce(to.slot, a, b)
	case to.stream:
		k.Reduce2Stream(to.store, to.slot, a, b)
	case to.large:
		k.Reduce2Stream(to.slot, to.store, a, b)
	default:
		k.Reduce2(to.store, to.slot, a, b)
	}
}

// fill brings a result that lies in any place to the others.
func (to sink) fill() {
	if to.store != nil && to.slot != nil {
		to.fillSlot(to.store)
	}
}

// keep brings a result to memory of this rank.
func (to sink) keep(result []byte) {
	if to.large {
		simd.Stream(to.store, result)
	} else {
		simd.Copy(to.store, result)
	}
}

// fillSlot brings a result to the slot.
func (to sink) fillSlot(result []byte) {
	if to.stream {
		simd.Stream(to.slot, result)
	} else {
		simd.Copy(to.slot, result)
	}
}

// compute makes the result of a step from its operands in all places, and returns where it lies.
func (o *operation) compute(s *plan.Step, bodies [][]byte, to sink) []byte {
	first := &s.Operands[0]
	if len(bodies) == 1 && first.Map == plan.Identity {
		result := bodies[0]
		if to.store != nil {
			if !same(to.store, result) {
				to.keep(result)
			}
			result = to.store
		}
		if to.slot != nil {
			to.fillSlot(result)
		}
		return result
	}
	if to.any() == nil {
		to.store = o.piece.message[:len(bodies[0])]
	}
	o.fold(to, s, bodies)
	return to.any()
}

// fold makes ((o0 op o1) op o2)…; the place may be one of the operands.
func (o *operation) fold(to sink, s *plan.Step, bodies [][]byte) {
	if len(bodies) == 2 && s.Operands[0].Map|s.Operands[1].Map == plan.Identity && o.kernels.wide.widen == nil {
		to.reduce(o.kernels.reduce, bodies[0], bodies[1])
		return
	}
	for at, n := 0, len(bodies[0]); at < n; at += pieceBytes {
		end := min(at+pieceBytes, n)
		if o.kernels.wide.widen != nil && len(bodies) > 1 {
			o.foldWide(to.part(at, end), s, bodies, at, end)
		} else {
			o.foldPiece(to.part(at, end), s, bodies, at, end)
		}
	}
}

func (o *operation) foldPiece(to sink, s *plan.Step, bodies [][]byte, at, end int) {
	if len(bodies) == 1 {
		o.kernels.mapping(to.any(), bodies[0][at:end], o.comm.Size())
		to.fill()
		return
	}
	n := end - at
	left := o.mapped(o.piece.left[:n], s.Operands[0].Map, bodies[0][at:end])
	for i := 1; i < len(bodies); i++ {
		right := o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end])
		if i == len(bodies)-1 {
			to.reduce(o.kernels.reduce, left, right)
			return
		}
		o.kernels.reduce.Reduce(o.piece.left[:n], left, right)
		left = o.piece.left[:n]
	}
}

// foldWide is foldPiece in float32.
func (o *operation) foldWide(to sink, s *plan.Step, bodies [][]byte, at, end int) {
	wide := o.kernels.wide
	n, factor := end-at, 4/o.kernels.size
	sum, x := o.piece.left[:n*factor], o.piece.wide[:n*factor]
	wide.widen(sum, o.mapped(o.piece.right[:n], s.Operands[0].Map, bodies[0][at:end]))
	for i := 1; i < len(bodies); i++ {
		wide.widen(x, o.mapped(o.piece.right[:n], s.Operands[i].Map, bodies[i][at:end]))
		o.kernels.reduce.Reduce(sum, sum, x)
	}
	wide.narrow(to.any(), sum)
	to.fill()
}

// mapped is a with the map applied, in to unless it changes nothing.
func (o *operation) mapped(to []byte, m plan.Map, a []byte) []byte {
	if m == plan.Identity {
		return a
	}
	o.kernels.mapping(to, a, o.comm.Size())
	return to
}
