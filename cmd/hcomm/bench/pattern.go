package bench

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"

	"hcomm/plan"
	"hcomm/simd"
)

// pattern is what goes into a rank's buffers, and what must come out.
//
// In a reduction, for each element one rank, another from element to element, brings a small integer, and the others
// bring what changes nothing: 0 for a sum, 1 for a product. So the result is exact in every type, and a contribution that
// is lost, doubled or out of place shows. Where data is only moved, all ranks bring the same small integers. The elements
// repeat after a prime number of them, which no division of a buffer is likely to be a multiple of; each iteration and
// each block, and where data is moved each rank, starts at another one.
type pattern struct {
	size    int    // of an element
	input   []byte // whole periods, and one more to start in
	output  []byte
	in, out []int // for each block of this rank's buffers, how many elements later than the iteration's it starts
}

// period is in elements.
const period = 1021

// stretch is about how many bytes are written at a time.
const stretch = 64 << 10

func newPattern(p *Plan, rank, ranks int) *pattern {
	size := p.Type.Size()
	in, out := make([]byte, 0, period*size), make([]byte, 0, period*size)
	base := neutral(p.Op)
	for i := range period {
		hash := mixed(uint32(i))
		special := p.special(int(hash>>8), ranks)
		value := special
		if p.Collective.Reduces() && int(hash%uint32(ranks)) != rank {
			value = base
		}
		in, out = appendElement(in, p.Type, value), appendElement(out, p.Type, result(p, special))
	}
	if p.Collective.Reduces() && p.Op == simd.Avg {
		average(out, p.Type, ranks)
	}
	repeat := max(2, stretch/len(in)+1)
	made := &pattern{size: size, input: bytes.Repeat(in, repeat), output: bytes.Repeat(out, repeat)}
	made.in, made.out = starts(p, rank, ranks)
	return made
}

// mixed makes numbers that follow each other unlike; it is murmur3's last step.
func mixed(h uint32) uint32 {
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// starts says where the blocks of a rank's buffers start: its own input, and of its output whatever it must come from.
func starts(p *Plan, rank, ranks int) (in, out []int) {
	shape := p.Collective.Shape(plan.Role{Rank: rank, Ranks: ranks})
	for b := range shape.Blocks {
		if shape.Input == plan.All || shape.Input == plan.Own && b == rank {
			in = append(in, start(p.Collective, rank, b))
		}
		if shape.Output == plan.All || shape.Output == plan.Own && b == rank {
			from, block := source(p.Collective, rank, b)
			out = append(out, start(p.Collective, from, block))
		}
	}
	return in, out
}

// source is the rank and the block of its input that a block of a rank's output comes from. Of a reduction it is any rank.
func source(c plan.Collective, rank, b int) (from, block int) {
	switch c {
	case plan.AllGather, plan.Gather:
		return b, b
	case plan.AlltoAll:
		return b, rank
	}
	return 0, b // or the root
}

// start tells ranks and blocks apart by multiples of primes.
func start(c plan.Collective, rank, block int) int {
	if c.Reduces() {
		rank = 0
	}
	return rank*37 + block*101
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
	case !p.Collective.Reduces():
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
	if p.Collective.Reduces() && p.Op >= simd.LogicalAnd {
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
	for i, start := range p.in {
		p.each(part(buf, i, len(p.in)), it+start, p.input, func(b, want []byte) bool { copy(b, want); return true })
	}
}

// check compares iteration it's output.
func (p *pattern) check(buf []byte, it int) error {
	for i, start := range p.out {
		if err := p.checkBlock(part(buf, i, len(p.out)), it+start); err != nil {
			if len(p.out) > 1 {
				return fmt.Errorf("block %d: %w", i, err)
			}
			return err
		}
	}
	return nil
}

// part is block i of buf's n.
func part(buf []byte, i, n int) []byte {
	size := len(buf) / n
	return buf[i*size : (i+1)*size]
}

func (p *pattern) checkBlock(buf []byte, it int) error {
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
