package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"hcomm/simd"
)

// pattern is what goes into a rank's buffer, and what must come out.
//
// For each element one rank, another from element to element, brings a small integer, and the others bring what changes
// nothing: 0 for a sum, 1 for a product. So the result is exact in every type, and a contribution that is lost, doubled
// or out of place shows. The elements repeat after a prime number of them, which no division of a buffer is likely to be
// a multiple of; each iteration starts at another one.
type pattern struct {
	size   int    // of an element
	input  []byte // whole periods, and one more to start in
	output []byte
}

// period is in elements.
const period = 1021

// block is about how many bytes are written at a time.
const block = 64 << 10

func newPattern(p *Plan, rank, ranks int) *pattern {
	size := p.Type.Size()
	in, out := make([]byte, 0, period*size), make([]byte, 0, period*size)
	base := neutral(p.Op)
	for i := range period {
		hash := bits.RotateLeft32(uint32(i)*2654435761, 13)
		value := base
		who, special := int(hash%uint32(ranks)), p.special(int(hash>>8), ranks)
		if p.Collective == Broadcast {
			who = 0
		}
		if who == rank {
			value = special
		}
		in, out = appendElement(in, p.Type, value), appendElement(out, p.Type, result(p, special))
	}
	if p.Collective == AllReduce && p.Op == simd.Avg {
		average(out, p.Type, ranks)
	}
	repeat := max(2, block/len(in)+1)
	return &pattern{size: size, input: bytes.Repeat(in, repeat), output: bytes.Repeat(out, repeat)}
}

// neutral is what changes no result: of values 0 to 7 for min and the bitwise and.
func neutral(op simd.Op) int {
	switch op {
	case simd.Prod, simd.LogicalAnd:
		return 1
	case simd.Min, simd.And:
		return 7
	}
	return 0
}

// special gives what one rank brings, by a random number.
func (p *Plan) special(random, ranks int) int {
	switch {
	case p.Collective == Broadcast:
		return random % 8
	case p.Op == simd.Min || p.Op == simd.And:
		return random % 7
	case p.Op == simd.Avg && !isFloat(p.Type):
		return random % 7 * 16 // something is left of it after the division
	case p.Op < simd.LogicalAnd:
		return random%7 + 1
	case ranks == 1: // nothing is combined, so nothing becomes 1
		return random % 2
	}
	return random % 2 * 5
}

func result(p *Plan, special int) int {
	if p.Collective == AllReduce && p.Op >= simd.LogicalAnd {
		return min(special, 1)
	}
	return special
}

func average(out []byte, t simd.Type, ranks int) {
	if scale := simd.Scale(t); scale != nil {
		scale(out, out, ranks)
	} else {
		simd.Divide(t)(out, out, ranks)
	}
}

// fill writes iteration it's input.
func (p *pattern) fill(buf []byte, it int) {
	p.each(buf, it, p.input, func(b, want []byte) bool { copy(b, want); return true })
}

// check compares iteration it's output.
func (p *pattern) check(buf []byte, it int) error {
	done := 0
	var err error
	p.each(buf, it, p.output, func(b, want []byte) bool {
		if bytes.Equal(b, want) {
			done += len(b)
			return true
		}
		for i := 0; ; i += p.size {
			if got, want := b[i:i+p.size], want[i:i+p.size]; !bytes.Equal(got, want) {
				err = fmt.Errorf("element %d of %d is %x, expected %x (bytes in memory)", (done+i)/p.size, len(buf)/p.size, got, want)
				return false
			}
		}
	})
	return err
}

// each goes over buf in pieces, with the part of the repeated elements that each corresponds to.
func (p *pattern) each(buf []byte, it int, elements []byte, do func(buf, elements []byte) bool) {
	one := period * p.size
	start := (it%period + period) % period * p.size
	for piece := len(elements) - one; len(buf) > 0; {
		n := min(piece, len(buf))
		if !do(buf[:n], elements[start:start+n]) {
			return
		}
		buf = buf[n:]
	}
}

// appendElement appends the small integer v as an element.
func appendElement(b []byte, t simd.Type, v int) []byte {
	switch t {
	case simd.Float64:
		return binary.NativeEndian.AppendUint64(b, math.Float64bits(float64(v)))
	case simd.Float32:
		return binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(v)))
	case simd.BFloat16:
		return binary.NativeEndian.AppendUint16(b, uint16(math.Float32bits(float32(v))>>16))
	case simd.Float16:
		return binary.NativeEndian.AppendUint16(b, uint16(smallFloat(v, 15, 10)))
	case simd.Float8E5M2:
		return append(b, byte(smallFloat(v, 15, 2)))
	case simd.Float8E4M3:
		return append(b, byte(smallFloat(v, 7, 3)))
	}
	switch t.Size() {
	case 1:
		return append(b, byte(v))
	case 2:
		return binary.NativeEndian.AppendUint16(b, uint16(v))
	case 4:
		return binary.NativeEndian.AppendUint32(b, uint32(v))
	}
	return binary.NativeEndian.AppendUint64(b, uint64(v))
}

// smallFloat gives the bits of v, 0 to 7, as a float with so many bits of mantissa.
func smallFloat(v int, bias, mantissa int) int {
	if v == 0 {
		return 0
	}
	exponent := bits.Len(uint(v)) - 1
	return (exponent+bias)<<mantissa + (v-1<<exponent)<<mantissa>>exponent
}
