package meet

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode"
)

// After the proof the two sides send frames: a byte that says what it is, and the rest.
// One frame is one message of the SEQPACKET socket.
const (
	frameHello   = 'H' // rank → root: who I am
	frameWelcome = 'W' // root → rank: you are in; wait for the others
	frameGo      = 'G' // root → rank: all are there
	frameFail    = 'F' // root → rank: it is over, and why
	frameLeave   = 'L' // either: I go, and why
	frameCard    = 'C' // rank → root and root → rank: one card of an exchange
)

const (
	protocolVersion = 1

	helloSize  = 1 + 8 + 2 + 4 + 4 + waitSize
	waitSize   = 8 + 8
	cardHead   = 1 + 4 + 4 + 4 + 4 + 1 + waitSize
	maxNotice  = 1200 // bytes of text in a fail or leave frame
	frameSpace = cardHead + MaxData
)

var errBadFrame = errors.New("a frame that does not belong in a meeting")

// wait is how patient a rank is: its whole limit, for the text, and what is left of it.
type wait struct {
	limit, left time.Duration
}

// hello is a rank's account of the job. In another protocol version only version and rank are known.
type hello struct {
	version    int
	rank, size int
	wait       wait
}

// notice is the end of the meeting in words.
type notice struct {
	leave bool
	kind  byte
	text  string
}

// card is one rank's card on its way through the root; its descriptors travel beside it.
type card struct {
	round    uint32
	rank     int
	pid, uid int
	fds      int
	wait     wait
	data     []byte
}

func (w wait) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(w.limit))
	return binary.LittleEndian.AppendUint64(b, uint64(max(w.left, 0)))
}

func decodeWait(b []byte) (wait, error) {
	w := wait{time.Duration(binary.LittleEndian.Uint64(b)), time.Duration(binary.LittleEndian.Uint64(b[8:]))}
	if w.limit <= 0 || w.left < 0 || w.left > w.limit {
		return wait{}, errBadFrame
	}
	return w, nil
}

func (h hello) encode() []byte {
	b := append(make([]byte, 0, helloSize), frameHello)
	b = append(b, magic...)
	b = binary.LittleEndian.AppendUint16(b, uint16(h.version))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.rank))
	b = binary.LittleEndian.AppendUint32(b, uint32(h.size))
	return h.wait.append(b)
}

func decodeHello(b []byte) (h hello, err error) {
	if len(b) < 15 || b[0] != frameHello || string(b[1:9]) != magic {
		return h, errBadFrame
	}
	rank := binary.LittleEndian.Uint32(b[11:])
	if rank >= MaxRanks {
		return h, errBadFrame
	}
	h.version, h.rank = int(binary.LittleEndian.Uint16(b[9:])), int(rank)
	if h.version != protocolVersion {
		return h, nil
	}
	if len(b) != helloSize {
		return hello{}, errBadFrame
	}
	size := binary.LittleEndian.Uint32(b[15:])
	if size > MaxRanks || rank >= size {
		return hello{}, errBadFrame
	}
	h.size = int(size)
	if h.wait, err = decodeWait(b[19:]); err != nil {
		return hello{}, err
	}
	return h, nil
}

func (n notice) encode() []byte {
	text := n.text[:min(len(n.text), maxNotice)]
	if n.leave {
		return append([]byte{frameLeave, n.kind}, text...)
	}
	return append([]byte{frameFail, n.kind}, text...)
}

// decodeNotice keeps control characters and broken UTF-8 out of the reader's terminal.
func decodeNotice(b []byte) (n notice, err error) {
	if len(b) < 2 || len(b) > 2+maxNotice || b[0] != frameFail && b[0] != frameLeave {
		return n, errBadFrame
	}
	text := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, strings.ToValidUTF8(string(b[2:]), "?"))
	return notice{b[0] == frameLeave, b[1], text}, nil
}

func (c card) encode() []byte {
	b := append(make([]byte, 0, cardHead+len(c.data)), frameCard)
	b = binary.LittleEndian.AppendUint32(b, c.round)
	b = binary.LittleEndian.AppendUint32(b, uint32(c.rank))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.pid))
	b = binary.LittleEndian.AppendUint32(b, uint32(c.uid))
	b = append(b, byte(c.fds))
	b = c.wait.append(b)
	return append(b, c.data...)
}

// decodeCard's data is part of b.
func decodeCard(b []byte) (c card, err error) {
	if len(b) < cardHead || len(b) > cardHead+MaxData || b[0] != frameCard {
		return c, errBadFrame
	}
	rank := binary.LittleEndian.Uint32(b[5:])
	pid := binary.LittleEndian.Uint32(b[9:])
	if rank >= MaxRanks || pid > 1<<31-1 || b[17] > MaxFDs {
		return c, errBadFrame
	}
	w, err := decodeWait(b[18:])
	if err != nil {
		return c, err
	}
	return card{
		round: binary.LittleEndian.Uint32(b[1:]),
		rank:  int(rank),
		pid:   int(pid),
		uid:   int(binary.LittleEndian.Uint32(b[13:])),
		fds:   int(b[17]),
		wait:  w,
		data:  b[cardHead:],
	}, nil
}
