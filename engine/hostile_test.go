package engine

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"hcomm/link"
	"hcomm/plan"
	"hcomm/simd"
)

// attacker sends packets past the rules.
type attacker struct{ c *Comm }

func (a attacker) post(channel int, p packet, body []byte) {
	h := p.header(len(body))
	a.postHeader(channel, &h, body)
}

func (a attacker) postHeader(channel int, h *link.Header, body []byte) {
	for !a.c.port.Room([]int{0}, channel, false) {
		runtime.Gosched()
	}
	a.c.port.PostInline([]int{0}, channel, h, body)
}

func (a attacker) postRemote(channel int, h *link.Header, memory []byte) {
	a.c.port.PostRemote([]int{0}, channel, h, memory)
}

// nowhere is memory that nobody has.
func nowhere() []byte {
	address := uint64(4096)
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), 1)
}

// answered waits for rank 0 to send something on a channel, and takes it.
func (a attacker) answered(channel int) packet {
	for !a.c.port.Arrived(0, channel) {
		runtime.Gosched()
	}
	h, body, _ := a.c.port.Receive(0, channel)
	p, _ := decode(channel, h, body)
	a.c.port.Release(0, channel)
	return p
}

// TestHostilePeer has a rank send what no honest one does, to a rank that receives, sends, or waits in a barrier.
func TestHostilePeer(t *testing.T) {
	const n = 100_000
	message := packet{kind: announce, id: 5, envelope: envelope{typ: simd.Uint8, bytes: n}}
	begin := func(a attacker) {
		a.post(matchChannel, message, nil)
		a.answered(dataChannel)
	}
	place := []byte{0, 0, 0, 0, 0, 0, 0, 0x7f}
	for name, x := range map[string]struct {
		does   string // what rank 0 does meanwhile
		attack func(a attacker)
		text   string
	}{
		"a size that is not true": {"receive", func(a attacker) {
			a.post(matchChannel, packet{kind: eager, envelope: envelope{typ: simd.Uint8, bytes: n}}, place)
		}, "sent a message of 100000 bytes as transfer 0 with 8 bytes"},
		"a tag that is none": {"receive", func(a attacker) {
			a.post(matchChannel, packet{kind: eager, envelope: envelope{typ: simd.Uint8, tag: AnyTag}}, nil)
		}, "sent a message of 0 bytes with the signature"},
		"a type that is none": {"barrier", func(a attacker) {
			a.post(matchChannel, packet{kind: eager, envelope: envelope{typ: 200}}, nil)
		}, "sent a message of 0 bytes with the signature"},
		"a collective": {"receive", func(a attacker) {
			a.postHeader(matchChannel, &link.Header{Op: 1, Count: 1, Signature: link.Sign(1, 0, 0, 0)}, nil)
		}, "sent a packet of kind 1"},
		"data to be matched": {"barrier", func(a attacker) {
			a.post(matchChannel, packet{kind: slice, id: 5}, place)
		}, "sent a packet of kind"},
		"a length beyond the entry": {"receive", func(a attacker) {
			a.postHeader(matchChannel, &link.Header{Count: 8, Length: 1 << 31, Signature: link.Sign(uint8(eager), 0, 0, 0)}, place)
		}, "rank 1 sent a message of 2147483648 bytes"},
		"a place outside its memory": {"receive", func(a attacker) {
			p := message
			p.inWindow, p.offset, p.end = true, 0x7f00000000000000, n
			a.post(matchChannel, p, p.place(nil))
		}, "rank 1 announced a message of 100000 bytes at offset 9151314442816847872"},
		"a place outside its memory, unasked": {"barrier", func(a attacker) {
			p := message
			p.inWindow, p.bytes, p.offset, p.end = true, addresses, 1, addresses
			a.post(matchChannel, p, p.place(nil))
		}, "rank 1 announced a message of"},
		"more in its memory than there is": {"receive", func(a attacker) {
			p := message
			p.inWindow, p.end = true, n+1
			a.post(matchChannel, p, p.place(nil))
		}, "sent an announcement of 100000 bytes of which 0 to 100001 can be read in place"},
		"a slice of what is read in place": {"receive", func(a attacker) {
			p := message
			p.inWindow, p.first, p.end = true, 10, 20
			a.post(matchChannel, p, p.place(nil))
			a.answered(dataChannel)
			a.post(dataChannel, packet{kind: slice, id: 5}, make([]byte, 11))
		}, "sent 11 bytes at 0 of a message of 100000 bytes, of which 0 have come"},
		"a slice that was not granted": {"send", func(a attacker) {
			a.answered(matchChannel)
			a.post(dataChannel, packet{kind: slice, id: 1}, place)
		}, "sent a slice of transfer 1, which was not granted"},
		"a slice of another transfer": {"receive", func(a attacker) {
			begin(a)
			a.post(dataChannel, packet{kind: slice, id: 6}, place)
		}, "sent a slice of transfer 6, which was not granted"},
		"a slice at another offset": {"receive", func(a attacker) {
			begin(a)
			a.post(dataChannel, packet{kind: slice, id: 5, offset: 8}, place)
		}, "sent 8 bytes at 8 of a message of 100000 bytes, of which 0 have come"},
		"slices beyond the end": {"receive", func(a attacker) {
			begin(a)
			for at := uint64(0); at < n; at += 2000 {
				a.post(dataChannel, packet{kind: slice, id: 5, offset: at}, make([]byte, min(2000, n-at)))
				if at == n-4000 {
					a.post(dataChannel, packet{kind: slice, id: 5, offset: n - 2000}, make([]byte, 2001))
				}
			}
		}, "sent 2001 bytes at 98000 of a message of 100000 bytes, of which 98000 have come"},
		"an answer for another transfer": {"send", func(a attacker) {
			m := a.answered(matchChannel)
			a.post(dataChannel, packet{kind: grant, id: m.id + 1}, nil)
		}, "answered transfer 2, which was not announced"},
		"two answers": {"sendrecv", func(a attacker) {
			m := a.answered(matchChannel)
			a.post(dataChannel, packet{kind: grant, id: m.id}, nil)
			a.post(dataChannel, packet{kind: complete, id: m.id}, nil)
			a.post(matchChannel, message, nil)
		}, "answered transfer 1, which was not announced"},
		"a remote message to be matched": {"receive", func(a attacker) {
			h := packet{kind: eager, envelope: envelope{typ: simd.Uint8, bytes: n}}
			header := h.header(n)
			a.postRemote(matchChannel, &header, nowhere())
		}, "sent a message of 100000 bytes as transfer 0 with 0 bytes"},
		"a remote message that is nowhere": {"allgather", func(a attacker) {
			h := link.Header{Op: 1, Count: n, Signature: link.Sign(uint8(plan.AllGather), 0, uint8(simd.Uint8), 0), Length: 64 << 10}
			a.postRemote(0, &h, nowhere())
			for a.c.port.Refused(0, 0) != 1 {
				runtime.Gosched()
			}
			a.c.port.Instead([]int{0}, 0, 1, place)
			h.Length = 8
			a.postHeader(0, &h, place)
		}, "sent 8 bytes where 34464 belong"},
		"a remote message that is too long": {"allgather", func(a attacker) {
			a.postRemote(0, &link.Header{Op: 1, Count: n, Signature: link.Sign(uint8(plan.AllGather), 0, uint8(simd.Uint8), 0), Length: 1 << 30}, nowhere())
		}, "sent 1073741824 bytes where 65536 belong"},
		"an answer with bytes": {"send", func(a attacker) {
			m := a.answered(matchChannel)
			a.post(dataChannel, packet{kind: grant, id: m.id}, place)
		}, "sent transfer 1 at 0 with 8 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			comms, err := InitAll(os.Getenv, 2)
			if err != nil {
				t.Fatal(err)
			}
			inParallel(t, comms, func(c *Comm) error {
				if c.Rank() == 1 {
					x.attack(attacker{c})
					for !c.Condemned() {
						runtime.Gosched()
					}
					return c.Destroy()
				}
				b := newBuffer(t, rand.New(rand.NewPCG(1, 2)), n)
				var err error
				switch x.does {
				case "receive":
					_, err = c.Recv(tagged8(b.bytes, 1, AnyTag))
				case "send":
					err = c.Send(tagged8(make([]byte, n), 1, 0))
				case "sendrecv":
					_, err = c.Sendrecv(tagged8(make([]byte, n), 1, 0), tagged8(b.bytes, AnySource, 0))
				case "allgather":
					err = c.AllGather(unsafe.Pointer(&b.bytes[0]), unsafe.Pointer(&make([]byte, 2*n)[0]), n, simd.Uint8)
				default:
					err = c.Barrier()
				}
				var e *Error
				if !errors.As(err, &e) || e.Code != InternalError || !strings.Contains(e.Text, x.text) || !strings.Contains(e.Text, "rank 1") {
					return fmt.Errorf("error %v, want one with %q", err, x.text)
				}
				if !b.intact() {
					return errors.New("bytes beside the buffer were changed")
				}
				return c.Destroy()
			})
		})
	}
}
