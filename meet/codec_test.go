package meet

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestID(t *testing.T) {
	id, err := NewID()
	if err != nil {
		t.Fatal(err)
	}
	p, err := id.Point()
	if err != nil || p.TCP != "" || !strings.HasPrefix(p.Socket, "hcomm-") || len(p.Secret) != 32 {
		t.Errorf("%+v, %v", p, err)
	}
	second, _ := NewID()
	if q, _ := second.Point(); q.Socket == p.Socket || bytes.Equal(q.Secret, p.Secret) {
		t.Error("two ids for one point")
	}
	for i := range id { // one changed byte anywhere is noticed
		bad := id
		bad[i] ^= 1
		text := "the checksum does not fit; copy all 128 bytes"
		if i < 7 {
			text = "these 128 bytes are not a unique id: they begin with"
		} else if i == 7 {
			text = "its version is 0, this library's is 1"
		}
		_, err := bad.Point()
		wantError(t, err, ErrUsage, text)
	}
	_, err = ID{}.Point()
	wantError(t, err, ErrUsage, "make one with hcommGetUniqueId")
}

func TestJoinWithID(t *testing.T) {
	noLeak(t)
	id, err := NewID()
	if err != nil {
		t.Fatal(err)
	}
	at, err := id.Point()
	if err != nil {
		t.Fatal(err)
	}
	closeSessions(mustJoin(t, ranks(at, 3)))
}

func TestProof(t *testing.T) {
	c := challenge{meeting: meeting{1}, nonce: nonce{2}}
	p := newProver([]byte("s"), overUnix, c)
	r, err := p.prove(3)
	if err != nil || !p.proven(r) || !p.answered(r, p.answer(r, "name")) {
		t.Fatal("a good proof does not hold")
	}
	for what, q := range map[string]prover{
		"secret":  newProver([]byte("t"), overUnix, c),
		"leg":     newProver([]byte("s"), overTCP, c),
		"meeting": newProver([]byte("s"), overUnix, challenge{meeting{9}, c.nonce}),
		"nonce":   newProver([]byte("s"), overUnix, challenge{c.meeting, nonce{9}}),
	} {
		if q.proven(r) || q.answered(r, p.answer(r, "")) {
			t.Errorf("the proof does not depend on the %s", what)
		}
	}
	for what, change := range map[string]func(*proof){
		"rank":  func(r *proof) { r.rank = 4 },
		"nonce": func(r *proof) { r.nonce[0]++ },
	} {
		q := r
		change(&q)
		if p.proven(q) || p.answered(q, p.answer(r, "")) {
			t.Errorf("the proof does not depend on the %s", what)
		}
	}
	if a := p.answer(r, "name"); p.answered(r, answer{a.mac, "other"}) || p.answered(r, answer{r.mac, ""}) {
		t.Error("an answer with another name, or a rank's own MAC, holds")
	}
}

func TestFramesFit(t *testing.T) {
	if n := len(card{data: make([]byte, MaxData)}.encode()); n != frameSpace {
		t.Errorf("a full card has %d bytes, frameSpace is %d", n, frameSpace)
	}
	if n := len(notice{text: strings.Repeat("ü", 2000)}.encode()); n > frameSpace || n != 2+maxNotice {
		t.Errorf("a long notice has %d bytes", n)
	}
	for _, k := range kinds {
		if kindOf(kindNumber(failf(k, "x"))) != k {
			t.Errorf("%v is %v after its way over the wire", k, kindOf(kindNumber(failf(k, "x"))))
		}
	}
	if kindOf(200) != ErrSystem {
		t.Error("an unknown kind")
	}
}

// fuzz checks that a decoder takes or refuses any bytes, and that what it takes is encoded to the same bytes.
func fuzz[T any](f *testing.F, decode func([]byte) (T, error), encode func(T) []byte, check func(*testing.T, T, []byte), seeds ...[]byte) {
	for _, s := range seeds {
		f.Add(s)
		f.Add(s[:len(s)/2])
		f.Add(append(bytes.Clone(s), 0))
	}
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		v, err := decode(b)
		if err != nil {
			return
		}
		if encode != nil {
			if again, err := decode(encode(v)); err != nil || !reflect.DeepEqual(again, v) {
				t.Errorf("% x is %+v, and after encoding %+v, %v", b, v, again, err)
			}
		}
		if check != nil {
			check(t, v, b)
		}
	})
}

func FuzzChallenge(f *testing.F) {
	fuzz(f, decodeChallenge, challenge.encode, func(t *testing.T, c challenge, b []byte) {
		if !bytes.Equal(c.encode(), b) {
			t.Errorf("% x", b)
		}
	}, challenge{meeting{1}, nonce{2}}.encode())
}

func FuzzProof(f *testing.F) {
	fuzz(f, decodeProof, proof.encode, func(t *testing.T, p proof, b []byte) {
		if p.rank < 0 || p.rank >= MaxRanks || !bytes.Equal(p.encode(), b) {
			t.Errorf("rank %d of % x", p.rank, b)
		}
	}, proof{rank: 3, nonce: nonce{1}}.encode(), proof{rank: MaxRanks}.encode())
}

func FuzzAnswer(f *testing.F) {
	long := answer{}.encode()
	long[32] = maxAnswerName + 1
	fuzz(f, decodeAnswer, answer.encode, func(t *testing.T, a answer, b []byte) {
		if len(a.name) > maxAnswerName {
			t.Errorf("a name of %d bytes", len(a.name))
		}
	}, answer{name: "hcomm-0"}.encode(), long)
}

func FuzzHello(f *testing.F) {
	w := wait{time.Minute, time.Second}
	other := hello{2, 1, 2, w}.encode()
	fuzz(f, decodeHello, nil, func(t *testing.T, h hello, b []byte) {
		if h.version != protocolVersion {
			if h.size != 0 {
				t.Errorf("%+v of another version", h)
			}
			return
		}
		if h.rank < 0 || h.rank >= h.size || h.size > MaxRanks || h.wait.left < 0 || h.wait.left > h.wait.limit || !bytes.Equal(h.encode(), b) {
			t.Errorf("% x is %+v", b, h)
		}
	}, hello{1, 1, 2, w}.encode(), other, hello{1, 2, 2, w}.encode(), hello{1, 1, 2, wait{0, 0}}.encode(), hello{1, 1, MaxRanks + 1, w}.encode())
}

func FuzzNotice(f *testing.F) {
	fuzz(f, decodeNotice, nil, func(t *testing.T, n notice, b []byte) {
		if !utf8.ValidString(n.text) || strings.ContainsAny(n.text, "\x1b\n\x00") {
			t.Errorf("text %q", n.text)
		}
		_ = told(n).Error()
	}, notice{kind: 1, text: "rank 1 is missing"}.encode(), notice{leave: true, text: "\x1b[2J\xff\n"}.encode())
}

func FuzzCard(f *testing.F) {
	c := card{round: 1, rank: 2, pid: 3, uid: 4, fds: 1, wait: wait{time.Minute, time.Second}, data: []byte("x")}
	bad := c.encode()
	bad[17] = MaxFDs + 1
	huge := c.encode()
	binary.LittleEndian.PutUint32(huge[9:], 1<<31)
	fuzz(f, decodeCard, card.encode, func(t *testing.T, c card, b []byte) {
		if c.rank < 0 || c.rank >= MaxRanks || c.pid < 0 || c.uid < 0 || c.fds < 0 || c.fds > MaxFDs || len(c.data) > MaxData {
			t.Errorf("% x is %+v", b, c)
		}
	}, c.encode(), bad, huge)
}

func FuzzID(f *testing.F) {
	id, err := NewID()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(id[:])
	f.Fuzz(func(t *testing.T, b []byte) {
		var id ID
		copy(id[:], b)
		if p, err := id.Point(); err == nil && (p.check() != nil) {
			t.Errorf("% x is %+v", b, p)
		}
	})
}

func (p Point) check() error { return Job{Rank: 0, Size: 2, At: p}.check() }
