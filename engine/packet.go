package engine

import (
	"encoding/binary"
	"fmt"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// Two channels of each pair of ranks carry messages from point to point. What is on the first can wait there, or aside,
// for a receive to match it, so it holds no slot; what is on the second belongs to a transfer that both ends know, and is
// taken off at once.
const (
	matchChannel = plan.Channels + iota // whole messages that fit an entry, and announcements of longer ones
	dataChannel                         // grants, slices and ends of announced messages
	channels                            // that a link has
)

// packetKind says what a packet is. The numbers are none of plan.Collective.
type packetKind uint8

const (
	eager    packetKind = 0x80 + iota // a whole message
	announce                          // a message is ready to be sent; the body, if any, says what of it can be read in place
	grant                             // the receiver is ready for an announced message
	slice                             // the next bytes of a granted message
	complete                          // the receiver needs nothing more of an announced message
)

// space keeps messages apart that must not match each other.
type space uint8

const (
	tagged space = iota // those of the MPI-style half: sizes are compared in bytes
	typed               // those of the NCCL-style half: without tags; type and count must be the same on both sides
)

// envelope is what a message is matched by, and what its receiver is told of it.
type envelope struct {
	space  space
	typ    simd.Type // of its elements
	source int
	tag    int32
	bytes  uint64
}

// packet is what one header, with its body, says.
type packet struct {
	kind     packetKind
	envelope        // of an eager or announced message
	id       uint64 // of the transfer, unique for the sender of its message; 0 for eager
	offset   uint64 // of a slice in its message, or of what lies in the sender's window
	inWindow bool   // an announced message, or some of it: its bytes from first to end
	first    uint64
	end      uint64
}

const windowBytes = 24 // of an announcement that says what of the message lies where

// next is at, or where the bytes go on that slices bring if at is where those in the window begin.
func (p *packet) next(at uint64) uint64 {
	if p.inWindow && at == p.first {
		return p.end
	}
	return at
}

// run is how many bytes from at on slices can bring without a gap.
func (p *packet) run(at uint64) uint64 {
	if p.inWindow && at < p.first {
		return p.first - at
	}
	return p.bytes - at
}

// place is the body of an announcement, made in room.
func (p *packet) place(room []byte) []byte {
	if !p.inWindow {
		return room[:0]
	}
	room = binary.LittleEndian.AppendUint64(room[:0], p.offset)
	room = binary.LittleEndian.AppendUint64(room, p.first)
	return binary.LittleEndian.AppendUint64(room, p.end)
}

// header is the packet's header for a body of so many bytes.
func (p *packet) header(body int) link.Header {
	h := link.Header{Op: p.id, Count: p.offset, Signature: p.signature(), Length: uint32(body)}
	if p.kind == eager || p.kind == announce {
		h.Count = p.bytes
	}
	return h
}

func (p *packet) signature() link.Signature {
	return link.Sign(uint8(p.kind), uint8(p.space), uint8(p.typ), int(p.tag))
}

// decode reads a packet that a peer sent on a channel. What it accepts can be used as it is, but for the id, the offset
// and the length of a slice, which are checked against the transfer.
func decode(channel int, h link.Header, body []byte) (p packet, err error) {
	p.kind, p.id = packetKind(h.Signature.Collective()), h.Op
	switch {
	case channel == matchChannel && p.kind == eager:
		if err = p.readEnvelope(h); err == nil && (h.Op != 0 || h.Count != uint64(len(body))) {
			err = fmt.Errorf("a message of %d bytes as transfer %d with %d bytes", h.Count, h.Op, len(body))
		}
	case channel == matchChannel && p.kind == announce:
		if err = p.readEnvelope(h); err == nil {
			err = p.readPlace(body)
		}
	case channel == dataChannel && p.kind >= grant && p.kind <= complete:
		p.offset = h.Count
		if h.Op == 0 || h.Signature != p.signature() ||
			(p.kind == slice) != (len(body) > 0) || p.kind != slice && h.Count != 0 {
			err = fmt.Errorf("transfer %d at %d with %d bytes and the signature %#x", h.Op, h.Count, len(body), uint64(h.Signature))
		}
	default:
		err = fmt.Errorf("a packet of kind %d on channel %d", p.kind, channel)
	}
	if err != nil {
		return packet{}, err
	}
	return p, nil
}

func (p *packet) readEnvelope(h link.Header) error {
	s := h.Signature
	p.envelope = envelope{space: space(s.Op()), typ: simd.Type(s.Type()), tag: int32(s.Root()), bytes: h.Count}
	known := p.space == tagged && p.typ == simd.Uint8 && p.tag >= 0 || p.space == typed && p.typ.Valid() && p.tag == 0
	if !known || s != p.signature() || p.bytes > addresses || p.bytes%uint64(p.typ.Size()) != 0 {
		return fmt.Errorf("a message of %d bytes with the signature %#x", p.bytes, uint64(s))
	}
	return nil
}

// readPlace reads the body of an announcement.
func (p *packet) readPlace(body []byte) error {
	if p.id == 0 || p.bytes == 0 || len(body) != 0 && len(body) != windowBytes {
		return fmt.Errorf("an announcement of %d bytes as transfer %d with %d bytes", p.bytes, p.id, len(body))
	}
	if p.inWindow = len(body) > 0; !p.inWindow {
		return nil
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(body[8*i:]) }
	if p.offset, p.first, p.end = word(0), word(1), word(2); p.first >= p.end || p.end > p.bytes {
		return fmt.Errorf("an announcement of %d bytes of which %d to %d can be read in place", p.bytes, p.first, p.end)
	}
	return nil
}
