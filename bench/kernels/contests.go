//go:build cgo

package main

import (
	"encoding/binary"

	"hcomm/simd"
)

// kinds are what there is to measure.
var kinds = []struct {
	name, about string
	contests    func(request) []*contest
}{
	{"reduce", "reductions", reductions},
	{"fused", "reductions with two destinations", fusions},
	{"scale", "multiplications by 1/3, as before an average", scalings},
	{"convert", "16- and 8-bit floats, to float32 and back", conversions},
	{"copy", "copies", copies},
	{"crc", "CRC-32C; GB/s of what is read", checksums},
}

// A request is what a kind may measure.
type request struct {
	memory *memory
	bytes  int
	types  []simd.Type
	ops    []simd.Op
}

// streamFrom is the size from which on stores past the caches are measured, too.
const streamFrom = 32 << 20

// kernels calls f for each kernel that was asked for, with operands for it.
func (r *request) kernels(f func(t simd.Type, op simd.Op, k kernel, o *operands)) {
	for _, t := range r.types {
		for _, op := range r.ops {
			if k := kernelFor(t, op); k.reduce != nil {
				f(t, op, k, r.memory.cut(r.bytes, t.Size(), t.Size()))
			}
		}
	}
}

func reductions(r request) (all []*contest) {
	r.kernels(func(t simd.Type, op simd.Op, k kernel, o *operands) {
		c := &contest{what: "reduce", typ: t.String(), op: op.String(), bytes: r.bytes, fill: t, operands: o}
		inGo := func(f func(dst, a, b []byte)) loop {
			if f == nil {
				return nil
			}
			return o.each(func(dst, _, a, b []byte) { f(dst, a, b) })
		}
		hcomm := c.add("hcomm", inGo(k.reduce))
		gcc := c.add("gcc", loopInC(gcc(c.typ), c.typ, c.op, o))
		c.against(hcomm, gcc)
		c.against(hcomm, c.add("plain", loopInC(plain(), c.typ, c.op, o)))
		c.against(hcomm, c.add("intrinsics", loopInC(intrinsics(c.typ), c.typ, c.op, o)))
		if t == simd.Float8E4M3 || t == simd.Float8E5M2 {
			c.against(hcomm, c.add("twin", inGo(twinFor(t, op).reduce)))
		}
		if r.bytes >= streamFrom {
			c.against(c.add("stream", inGo(k.stream)), gcc)
		}
		all = append(all, c)
	})
	return all
}

func fusions(r request) (all []*contest) {
	r.kernels(func(t simd.Type, op simd.Op, k kernel, o *operands) {
		o.dst2 = r.memory.dst2[:len(o.dst)]
		c := &contest{what: "fused", typ: t.String(), op: op.String(), bytes: r.bytes, fill: t, operands: o}
		hcomm := c.add("hcomm", o.each(k.reduce2))
		gcc := c.add("gcc", loopInC(gcc(c.typ), c.typ, c.op, o))
		c.against(hcomm, gcc)
		c.against(hcomm, c.add("apart", o.each(func(dst, dst2, a, b []byte) {
			k.reduce(dst, a, b)
			copy(dst2, dst)
		})))
		if r.bytes >= streamFrom && k.stream2 != nil {
			c.against(c.add("stream", o.each(k.stream2)), gcc)
		}
		all = append(all, c)
	})
	return all
}

func scalings(r request) (all []*contest) {
	for _, t := range r.types {
		scale := simd.Scale(t)
		if scale == nil {
			continue
		}
		o := r.memory.cut(r.bytes, t.Size(), t.Size())
		c := &contest{what: "scale", typ: t.String(), op: "scale", bytes: r.bytes, fill: t, operands: o}
		hcomm := c.add("hcomm", o.each(func(dst, _, a, _ []byte) { scale(dst, a, scaleBy) }))
		c.against(hcomm, c.add("gcc", loopInC(gcc(c.typ), c.typ, c.op, o)))
		all = append(all, c)
	}
	return all
}

func conversions(r request) (all []*contest) {
	for _, t := range r.types {
		widen, narrow := simd.ConversionFor(simd.Float32, t), simd.ConversionFor(t, simd.Float32)
		if widen == nil {
			continue
		}
		for _, way := range []struct {
			name     string
			from, to simd.Type
			f        func(dst, a []byte)
		}{{"widen", t, simd.Float32, widen}, {"narrow", simd.Float32, t, narrow}} {
			o := r.memory.cut(r.bytes, way.to.Size(), way.from.Size())
			c := &contest{what: "convert", typ: t.String(), op: way.name, bytes: r.bytes, fill: way.from, operands: o}
			hcomm := c.add("hcomm", o.each(func(dst, _, a, _ []byte) { way.f(dst, a) }))
			c.against(hcomm, c.add("gcc", loopInC(gcc(c.typ), c.typ, c.op, o)))
			c.against(hcomm, c.add("intrinsics", loopInC(intrinsics(c.typ), c.typ, c.op, o)))
			all = append(all, c)
		}
	}
	return all
}

func copies(r request) []*contest {
	o := r.memory.cut(r.bytes, 1, 1)
	c := &contest{what: "copy", typ: "bytes", op: "copy", bytes: r.bytes, fill: simd.Uint8, operands: o}
	hcomm := c.add("hcomm", o.each(func(dst, _, a, _ []byte) { simd.Copy(dst, a) }))
	memcpy := c.add("memcpy", loopInC(byteLoops(), c.typ, c.op, o))
	c.against(hcomm, memcpy)
	if r.bytes >= streamFrom {
		c.against(c.add("stream", o.each(func(dst, _, a, _ []byte) { simd.Stream(dst, a) })), memcpy)
	}
	return []*contest{c}
}

// checksums store the checksum of each piece at its start.
func checksums(r request) []*contest {
	o := r.memory.cut(r.bytes, 1, 1)
	c := &contest{what: "crc", typ: "bytes", op: "crc32c", bytes: r.bytes, fill: simd.Uint8, operands: o}
	hcomm := c.add("hcomm", o.each(func(dst, _, a, _ []byte) {
		binary.LittleEndian.PutUint32(dst, simd.CRC32C(0, a))
	}))
	c.against(hcomm, c.add("gcc", loopInC(byteLoops(), c.typ, c.op, o)))
	return []*contest{c}
}
