package engine

import (
	"bytes"
	"testing"

	"hcomm/link"
	"hcomm/simd"
)

// onWire is a packet as it travels.
func onWire(p packet, body []byte) (channel int, h link.Header, _ []byte) {
	channel = dataChannel
	switch {
	case p.kind == announce:
		channel, body = matchChannel, p.place(nil)
	case p.kind == eager:
		channel = matchChannel
	}
	return channel, p.header(len(body)), body
}

var somePackets = []packet{
	{kind: eager, envelope: envelope{space: tagged, typ: simd.Uint8, tag: 5, bytes: 3}},
	{kind: eager, envelope: envelope{space: typed, typ: simd.Float32}},
	{kind: announce, id: 1, envelope: envelope{space: tagged, typ: simd.Uint8, tag: TagUB, bytes: addresses}},
	{kind: announce, id: 1 << 63, inWindow: true, offset: 4096, end: 8 << 40, envelope: envelope{space: typed, typ: simd.Float64, bytes: 8 << 40}},
	{kind: announce, id: 2, inWindow: true, offset: 4096, first: 16, end: 8000, envelope: envelope{space: tagged, typ: simd.Uint8, bytes: 8001}},
	{kind: grant, id: 7},
	{kind: complete, id: 8},
	{kind: slice, id: 9, offset: 1 << 40},
}

func bodyOf(p packet) []byte {
	switch p.kind {
	case eager:
		return make([]byte, p.bytes)
	case slice:
		return make([]byte, 100)
	}
	return nil
}

func TestPacketsAreReadAsWritten(t *testing.T) {
	for _, p := range somePackets {
		channel, h, body := onWire(p, bodyOf(p))
		if got, err := decode(channel, h, body); err != nil || got != p {
			t.Errorf("%+v was read as %+v, %v", p, got, err)
		}
	}
}

// FuzzPacket gives a rank packets that no honest peer sends: what is accepted can be used, and is written as it was read.
func FuzzPacket(f *testing.F) {
	for _, p := range somePackets {
		channel, h, body := onWire(p, bodyOf(p))
		f.Add(channel == dataChannel, h.Op, h.Count, uint64(h.Signature), body)
	}
	f.Add(false, uint64(0), uint64(2), uint64(link.Sign(uint8(eager), uint8(typed), uint8(simd.Float32), 0)), []byte{1, 2}) // half an element
	f.Add(false, uint64(0), uint64(0), uint64(link.Sign(uint8(eager), 0, 1, -1)), []byte{})                                 // a wildcard for a tag
	f.Add(false, uint64(3), ^uint64(0), uint64(link.Sign(uint8(announce), 0, 1, 1)), []byte{})                              // too long
	f.Add(true, uint64(0), uint64(0), uint64(link.Sign(uint8(grant), 0, 0, 0)), []byte{})                                   // of no transfer
	f.Fuzz(func(t *testing.T, data bool, op, count, signature uint64, body []byte) {
		channel := matchChannel
		if data {
			channel = dataChannel
		}
		h := link.Header{Op: op, Count: count, Signature: link.Signature(signature), Length: uint32(len(body))}
		p, err := decode(channel, h, body)
		if err != nil {
			if p != (packet{}) {
				t.Errorf("with an error came %+v", p)
			}
			return
		}
		if c, again, b := onWire(p, body); c != channel || again != h || !bytes.Equal(b, body) {
			t.Errorf("%+v is written as %+v, %x on channel %d", p, again, b, c)
		}
		switch p.kind {
		case eager, announce:
			if p.space > typed || p.tag < 0 || p.bytes > addresses || p.bytes%uint64(p.typ.Size()) != 0 || p.space == typed && p.tag != 0 {
				t.Errorf("accepted: %+v", p)
			}
			if p.inWindow && (p.first >= p.end || p.end > p.bytes) {
				t.Errorf("accepted: %+v", p)
			}
			if p.kind == eager && p.bytes != uint64(len(body)) || p.kind == announce && (p.bytes == 0 || p.id == 0) {
				t.Errorf("accepted: %+v with %d bytes", p, len(body))
			}
		default:
			if p.id == 0 || (p.kind == slice) != (len(body) > 0) {
				t.Errorf("accepted: %+v with %d bytes", p, len(body))
			}
		}
		s := send{packet: p}
		s.describe()
	})
}
