package shm

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"hcomm/link"
)

// mail is a message that a test has sent and not yet seen arrive.
type mail struct {
	op      uint64
	payload []byte
}

// TestRandomTraffic sends messages of all forms between random ranks, as far as there is room, and receives them in random
// order of queues: none may be lost, changed, doubled or overtaken.
func TestRandomTraffic(t *testing.T) {
	const ranks, channels = 4, 2
	rng := rand.New(rand.NewPCG(7, 7))
	p := ports(t, NewLayout(ranks, channels, page, 2), false)
	window := make([]byte, 1<<16)
	for i := range window {
		window[i] = byte(rng.Uint32())
	}
	for _, port := range p {
		for i := range port.in {
			port.in[i].window = window
		}
	}
	queues := map[[3]int][]mail{} // by from, to, channel
	full, received := 0, 0
	for op := uint64(1); op <= 50_000; op++ {
		from, channel := rng.IntN(ranks), rng.IntN(channels)
		if rng.IntN(2) == 0 {
			to := others(rng, from, ranks)
			if m, ok := send(p[from], rng, to, channel, op, window); ok {
				for _, q := range to {
					key := [3]int{from, q, channel}
					queues[key] = append(queues[key], m)
				}
			} else {
				full++
			}
			continue
		}
		to := rng.IntN(ranks)
		if to == from {
			continue
		}
		key := [3]int{from, to, channel}
		if arrived := p[to].Arrived(from, channel); arrived != (len(queues[key]) > 0) {
			t.Fatalf("op %d: Arrived is %v with %d messages under way", op, arrived, len(queues[key]))
		} else if !arrived {
			continue
		}
		m := queues[key][0]
		h, body, err := p[to].Receive(from, channel)
		if err != nil || h.Op != m.op || !bytes.Equal(body, m.payload) {
			t.Fatalf("message %d from %d to %d came as %d, %d bytes, error %v", m.op, from, to, h.Op, len(body), err)
		}
		queues[key] = queues[key][1:]
		p[to].Release(from, channel)
		if n := int(p[from].Posted(to, channel) - p[from].Released(to, channel)); n != len(queues[key]) {
			t.Fatalf("%d messages are outstanding, not %d", n, len(queues[key]))
		}
		received++
	}
	if full == 0 || received < 10_000 {
		t.Errorf("the test was too tame: %d times full, %d received", full, received)
	}
}

func others(rng *rand.Rand, self, ranks int) []int {
	var to []int
	for q := range ranks {
		if q != self && (len(to) == 0 || rng.IntN(2) == 0) {
			to = append(to, q)
		}
	}
	return to
}

// send sends one message in a random form if there is room.
func send(p *Port, rng *rand.Rand, to []int, channel int, op uint64, window []byte) (m mail, ok bool) {
	m = mail{op: op}
	h := link.Header{Op: op}
	switch rng.IntN(3) {
	case 0:
		m.payload = window[:rng.IntN(inlineBytes+1)]
		h.Length = uint32(len(m.payload))
		if ok = p.Room(to, channel, false); ok {
			p.PostInline(to, channel, &h, m.payload)
		}
	case 1:
		if ok = p.Room(to, channel, true); ok {
			slot, _ := p.Slot(to, channel)
			for i := range slot {
				slot[i] = byte(rng.Uint32())
			}
			m.payload = append([]byte(nil), slot[:1+rng.IntN(len(slot))]...)
			h.Length = uint32(len(m.payload))
			p.PostSlot(to, channel, &h)
		}
	case 2:
		at := rng.IntN(len(window))
		m.payload = window[at : at+rng.IntN(len(window)-at)]
		h.Length = uint32(len(m.payload))
		if ok = p.Room(to, channel, false); ok {
			p.PostWindow(to, channel, &h, uint64(at), rng.IntN(2) == 0)
		}
	}
	return m, ok
}

// FuzzPayload gives the reader entries that no honest peer writes: what comes back lies in memory that the peer may mean.
func FuzzPayload(f *testing.F) {
	for _, s := range []struct {
		kind           uint32
		length, offset uint64
	}{{0, inlineBytes, 0}, {0, inlineBytes + 1, 0}, {1, 4096, 0}, {1, 1, 8192}, {1, 0, 8192}, {2, 100, 1 << 63}, {2, 1<<32 - 1, 1}, {3, 0, 0}, {4, 0, 0}, {1, 8, ^uint64(0) - 3}} {
		f.Add(s.kind, uint32(s.length), s.offset)
	}
	slots, window := make([]byte, 8192), make([]byte, 100)
	f.Fuzz(func(t *testing.T, kind, length uint32, offset uint64) {
		e := &entry{kind: kind, length: length}
		binary.LittleEndian.PutUint64(e.short[:8], offset)
		q := &inQueue{slots: slots, window: window}
		b, err := q.payload(e, kind, uint64(length))
		if err != nil {
			return
		}
		if len(b) != int(length) {
			t.Fatalf("%d bytes, not %d", len(b), length)
		}
		if len(b) == 0 {
			return
		}
		for _, m := range [][]byte{e.short[:], e.long[:], slots, window} {
			for i := range m {
				if &m[i] == &b[0] && i+len(b) <= len(m) {
					return
				}
			}
		}
		t.Fatal("the bytes lie outside the peer's memory")
	})
}

func TestFirstVerdictIsEverybodys(t *testing.T) {
	p := ports(t, NewLayout(3, 1, page, 1), false)
	if p[2].Condemned() {
		t.Fatal("condemned from the start")
	}
	p[1].Condemn(link.Verdict{Code: 6, Text: "rank 0 died"})
	p[2].Condemn(link.Verdict{Code: 64, Text: "another reason"})
	for r, port := range p {
		if !port.Condemned() {
			t.Errorf("rank %d was not told", r)
		}
		if v := port.Verdict(); v.Code != 6 || v.Text != "rank 0 died" {
			t.Errorf("rank %d has the verdict %+v", r, v)
		}
	}
}

func TestVerdictOfAStrangerIsMadePrintable(t *testing.T) {
	p := ports(t, NewLayout(2, 1, page, 1), false)
	p[0].Condemn(link.Verdict{Text: "a\x1b[31m\nb" + strings.Repeat("x", 5000)})
	k := &p[0].own.verdict
	k.length = 1 << 31 // what a hostile peer may write
	if text := p[1].Verdict().Text; !strings.HasPrefix(text, "a?[31m?bxxx") || len(text) > maxVerdict {
		t.Errorf("the text is %q", text)
	}
}

func TestUnsaidVerdict(t *testing.T) {
	p := ports(t, NewLayout(2, 1, page, 1), false)
	p[0].own.verdict.stage = writing // and its writer dies
	p[1].tell(1, condemnation)
	first := p[1].Verdict()
	if !strings.Contains(first.Text, "stopped before it said why") {
		t.Errorf("the text is %q", first.Text)
	}
	p[0].Condemn(link.Verdict{Code: 6, Text: "too late"})
	if v := p[0].Verdict(); !reflect.DeepEqual(v, first) {
		t.Errorf("another rank has the verdict %+v, not %+v", v, first)
	}
}

func TestPresence(t *testing.T) {
	l := NewLayout(3, 1, page, 1)
	p := ports(t, l, false)
	if p[0].Gone() != 0 || p[0].Presence(1) != link.Alive {
		t.Error("somebody is gone from the start")
	}
	p[0].died(2)
	if p[0].Gone() != 1 || p[0].Presence(2) != link.Dead || p[0].Presence(1) != link.Alive {
		t.Errorf("after a death: %d gone, presence %v", p[0].Gone(), p[0].Presence(2))
	}
	if p[0].Condemned() {
		t.Error("a death is no verdict")
	}
}

// A slot whose reader is gone is free for the others: nobody may wait for who will never read.
func TestSlotOfOneWhoIsGone(t *testing.T) {
	p := ports(t, NewLayout(3, 1, page, 1), false)
	h := link.Header{Op: 1, Length: page}
	if !p[0].Room([]int{1, 2}, 0, true) {
		t.Fatal("no room at first")
	}
	p[0].PostSlot([]int{1, 2}, 0, &h)
	p[0].died(1)
	if p[0].Room([]int{2}, 0, true) {
		t.Error("room though rank 2, who is there, has not read")
	}
	p[2].Release(0, 0)
	if !p[0].Room([]int{2}, 0, true) {
		t.Error("no room though only rank 1, who is gone, has not read")
	}
}

func TestLayoutHasNoOverlap(t *testing.T) {
	for _, ranks := range []int{1, 2, 3, 128, 4096} {
		l := NewLayout(ranks, 2, 32<<10, 4)
		last := l.ring(ranks-1, 1) + ringEntries*entrySize
		if l.ring(0, 0) < page || last > l.ack(0, 0) || l.ack(ranks-1, 1)+ackSize > l.slotArea(0) ||
			l.slotArea(0)+l.slotAreaBytes() > l.slotArea(1) || l.slotArea(1)+l.slotAreaBytes() > l.Size || l.slotArea(0)%page != 0 {
			t.Errorf("%d ranks: parts overlap: %+v", ranks, l)
		}
		if ranks == 128 && l.Size > 32<<20 {
			t.Errorf("the segment of a host of 128 ranks has %d bytes, more than 32 MiB", l.Size)
		}
	}
}
