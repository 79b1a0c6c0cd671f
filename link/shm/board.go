package shm

import (
	"encoding/binary"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/link"
)

var _ link.Board = (*Port)(nil)

// Propose says whom this rank would leave behind.
func (p *Port) Propose(x link.Proposal) {
	to := &p.own.proposal
	attempt := atomic.LoadUint32(&to.stage)/stages + 1
	atomic.StoreUint32(&to.stage, attempt*stages+uint32(link.NoProposal))
	var out [maxRanks / 64]uint64
	for q, is := range x.Out {
		if is {
			out[q/64] |= 1 << (q % 64)
		}
	}
	for i := range out {
		atomic.StoreUint64(&to.out[i], out[i])
	}
	for i := range to.note {
		atomic.StoreUint64(&to.note[i], binary.NativeEndian.Uint64(x.Note[8*i:]))
	}
	atomic.StoreInt64(&to.made, int64(p.Now()))
	atomic.StoreUint32(&to.stage, attempt*stages+uint32(link.OpenProposal))
}

// stages is what the number of an attempt is multiplied by.
const stages = 4

// Now is the time on the monotonic clock, which all processes of a host share.
func (p *Port) Now() time.Duration {
	var t unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// Withdraw takes it back; visible leaves it there as an old one.
func (p *Port) Withdraw(visible bool) {
	stage := link.NoProposal
	if visible {
		stage = link.OldProposal
	}
	to := &p.own.proposal.stage
	atomic.StoreUint32(to, atomic.LoadUint32(to)/stages*stages+uint32(stage))
}

// Proposal is what a rank has said.
func (p *Port) Proposal(peer int) (x link.Proposal, stage link.Stage) {
	from := &p.peers[peer].Segment.control().proposal
	word := atomic.LoadUint32(&from.stage)
	if stage = link.Stage(word % stages); stage == link.NoProposal || stage > link.OldProposal {
		return x, link.NoProposal
	}
	x.Out = make([]bool, p.layout.Ranks)
	for q := range x.Out {
		x.Out[q] = atomic.LoadUint64(&from.out[q/64])&(1<<(q%64)) != 0
	}
	for i := range from.note {
		binary.NativeEndian.PutUint64(x.Note[8*i:], atomic.LoadUint64(&from.note[i]))
	}
	x.Made = time.Duration(atomic.LoadInt64(&from.made))
	if atomic.LoadUint32(&from.stage) != word { // it is being written anew
		return link.Proposal{}, link.NoProposal
	}
	return x, stage
}
