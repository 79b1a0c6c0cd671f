package meet

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// The proof is three messages of fixed size, the same over TCP and over the Unix socket:
//
//	root → rank  challenge  magic, meeting number, root's nonce
//	rank → root  proof      magic, rank, rank's nonce, MAC
//	root → rank  answer     MAC, socket name (over TCP)
//
// Both MACs cover who speaks, the leg, the meeting, both nonces, the rank and the socket name; their key is made from the job's secret.
// The layout is the same in all protocol versions, so that two versions can still tell each other that they differ.
const (
	magic         = "hcommeet"
	challengeSize = len(magic) + 16 + 32
	proofSize     = len(magic) + 4 + 32 + 32
	answerSize    = 32 + 1 + maxAnswerName
	maxAnswerName = 64
)

// leg is the way over which a proof goes; a proof for one is none for the other.
type leg byte

const (
	overTCP  leg = 't'
	overUnix leg = 'u'
)

type (
	nonce   [32]byte
	meeting [16]byte // random number of one meeting
)

type challenge struct {
	meeting meeting
	nonce   nonce
}

type proof struct {
	rank  int
	nonce nonce
	mac   [32]byte
}

type answer struct {
	mac  [32]byte
	name string
}

var (
	errNotOurs = errors.New("does not speak this protocol")
	errNoProof = errors.New("does not know this job's secret")
)

// prover makes and checks the MACs of one leg of one meeting. Its key is never empty, though the secret may be: one path for all.
type prover struct {
	key       [32]byte
	leg       leg
	challenge challenge
}

func newProver(secret []byte, l leg, c challenge) prover {
	return prover{sha256.Sum256(append([]byte("hcomm meet key\x00"), secret...)), l, c}
}

func (p *prover) mac(speaker byte, rankNonce nonce, rank int, name string) (sum [32]byte) {
	h := hmac.New(sha256.New, p.key[:])
	h.Write([]byte{speaker, byte(p.leg)})
	h.Write(p.challenge.meeting[:])
	h.Write(p.challenge.nonce[:])
	h.Write(rankNonce[:])
	h.Write(binary.LittleEndian.AppendUint32(nil, uint32(rank)))
	h.Write([]byte(name))
	h.Sum(sum[:0])
	return sum
}

// prove makes a rank's proof.
func (p *prover) prove(rank int) (proof, error) {
	n, err := newNonce()
	return proof{rank, n, p.mac('r', n, rank, "")}, err
}

// proven checks a rank's proof.
func (p *prover) proven(r proof) bool {
	want := p.mac('r', r.nonce, r.rank, "")
	return hmac.Equal(want[:], r.mac[:])
}

// answer makes the root's proof to the rank that gave r.
func (p *prover) answer(r proof, name string) answer {
	return answer{p.mac('0', r.nonce, r.rank, name), name}
}

// answered checks the root's proof to the rank that gave r.
func (p *prover) answered(r proof, a answer) bool {
	want := p.mac('0', r.nonce, r.rank, a.name)
	return hmac.Equal(want[:], a.mac[:])
}

func newNonce() (n nonce, err error) {
	if _, err := rand.Read(n[:]); err != nil {
		return n, failf(ErrSystem, "no random bytes for a proof: %v", err)
	}
	return n, nil
}

func (c challenge) encode() []byte {
	b := append(make([]byte, 0, challengeSize), magic...)
	b = append(b, c.meeting[:]...)
	return append(b, c.nonce[:]...)
}

func decodeChallenge(b []byte) (c challenge, err error) {
	if len(b) != challengeSize || string(b[:len(magic)]) != magic {
		return c, errNotOurs
	}
	copy(c.meeting[:], b[len(magic):])
	copy(c.nonce[:], b[len(magic)+16:])
	return c, nil
}

func (r proof) encode() []byte {
	b := append(make([]byte, 0, proofSize), magic...)
	b = binary.LittleEndian.AppendUint32(b, uint32(r.rank))
	b = append(b, r.nonce[:]...)
	return append(b, r.mac[:]...)
}

func decodeProof(b []byte) (r proof, err error) {
	if len(b) != proofSize || string(b[:len(magic)]) != magic {
		return r, errNotOurs
	}
	rank := binary.LittleEndian.Uint32(b[8:])
	if rank >= MaxRanks {
		return r, errNotOurs
	}
	r.rank = int(rank)
	copy(r.nonce[:], b[12:])
	copy(r.mac[:], b[44:])
	return r, nil
}

func (a answer) encode() []byte {
	b := make([]byte, answerSize)
	copy(b, a.mac[:])
	b[32] = byte(len(a.name))
	copy(b[33:], a.name)
	return b
}

func decodeAnswer(b []byte) (a answer, err error) {
	if len(b) != answerSize || int(b[32]) > maxAnswerName {
		return a, errNotOurs
	}
	copy(a.mac[:], b)
	a.name = string(b[33 : 33+int(b[32])])
	return a, nil
}
