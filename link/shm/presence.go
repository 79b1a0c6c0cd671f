package shm

import (
	"runtime"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"hcomm/link"
	"hcomm/simd"
)

// What notices counts.
const (
	condemnation = 1 // set once
	departure    = 2 // added for each peer that goes
)

// Gone counts the peers that are not alive.
func (p *Port) Gone() int { return int(atomic.LoadUint32(&p.own.notices) / departure) }

// Presence of a peer.
func (p *Port) Presence(peer int) link.Presence {
	if atomic.LoadUint32(p.peers[peer].Segment.State()) == uint32(link.Left) {
		return link.Left
	}
	if p.dead[peer].Load() {
		return link.Dead
	}
	return link.Alive
}

// HasEnded says whether the process of a peer has ended, be it that it has left before.
func (p *Port) HasEnded(peer int) bool { return p.dead[peer].Load() }

// died is called when the process of a peer has ended.
func (p *Port) died(peer int) {
	if p.dead[peer].Swap(true) {
		return
	}
	atomic.AddUint32(&p.own.notices, departure)
	p.Wake()
}

// tellAll adds a notice at every peer, and wakes it.
func (p *Port) tellAll(notice uint32) {
	for q := range p.peers {
		if q != p.rank {
			p.tell(q, notice)
		}
	}
}

func (p *Port) tell(peer int, notice uint32) {
	c := p.peers[peer].Segment.control()
	if notice == condemnation {
		atomic.OrUint32(&c.notices, condemnation)
	} else {
		atomic.AddUint32(&c.notices, notice)
	}
	wakeOwner(&c.bell)
}

// Condemned says whether a verdict stands.
func (p *Port) Condemned() bool { return atomic.LoadUint32(&p.own.notices)&condemnation != 0 }

// The stages of the verdict.
const (
	open    = iota
	writing // by the first who condemns
	stands
	unsaid // its writer has stopped
)

// Condemn makes v the verdict unless there is one already. It is kept in rank 0's segment, so that of several that come
// at once the same one is everyone's.
func (p *Port) Condemn(v link.Verdict) {
	k := &p.peers[0].Segment.control().verdict
	if atomic.CompareAndSwapUint32(&k.stage, open, writing) {
		k.code = uint32(v.Code)
		k.length = uint32(copy(k.text[:], v.Text))
		for _, q := range v.Culprits {
			k.culprits[q/8] |= 1 << (q % 8)
		}
		atomic.CompareAndSwapUint32(&k.stage, writing, stands)
	}
	p.tellAll(condemnation)
	p.tell(p.rank, condemnation)
	simd.FenceRelease() // the caller's user may now write to what others still read
}

// patience is how long a verdict may take to be written.
const patience = 100 * time.Millisecond

// Verdict returns the one that stands, after Condemned; its Code is 0 if a rank stopped or died before it said why.
func (p *Port) Verdict() link.Verdict {
	k := &p.peers[0].Segment.control().verdict
	for start := time.Now(); ; runtime.Gosched() {
		switch atomic.LoadUint32(&k.stage) {
		case stands:
			v := link.Verdict{Code: int(k.code), Text: printable(k.text[:min(k.length, maxVerdict)])}
			for q := range p.layout.Ranks {
				if k.culprits[q/8]&(1<<(q%8)) != 0 {
					v.Culprits = append(v.Culprits, q)
				}
			}
			return v
		case unsaid:
			return link.Verdict{Text: "a rank gave the communicator up, and stopped before it said why"}
		}
		if time.Since(start) > patience {
			atomic.CompareAndSwapUint32(&k.stage, writing, unsaid)
			atomic.CompareAndSwapUint32(&k.stage, open, unsaid) // noticed, but nobody writes it: a peer that does not play by the rules
		}
	}
}

// printable makes a peer's text fit for a terminal.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return '?'
	}, string(text))
}

// State is the word that says that this rank has left, for the exit of its process.
func (p *Port) State() *uint32 { return &p.own.state }
