package shm

import (
	"sync/atomic"

	"hcomm/link"
	"hcomm/simd"
)

// Peer is what a port needs of one rank: its segment, the window that it sends from (nil if this rank could not map it),
// a descriptor of its process, or -1 when that is this one, and the number of the process from which remote messages are
// fetched.
type Peer struct {
	Segment *Segment
	Window  []byte
	PIDFD   int
	Process int
}

// Port is the shared-memory end of one rank; see [link.Port].
type Port struct {
	rank     int
	layout   Layout
	own      *control
	peers    []Peer
	out      []outQueue // by peer*channels+channel
	in       []inQueue
	pools    []pool    // by channel
	outlooks []outlook // by queue in
	advices  []advice  // by queue out
	refused  []uint64  // by queue in: the number of the message that was refused last
	replaced []uint64  // by queue out: the number of the one that was put into a slot last
	streamed bool      // what is put into the slot that was asked for last
	watched  []*watch
	dead     []atomic.Bool // by peer
	fetch    fetch
	settling settling

	// fenced is true when some rank cannot ask the kernel for a barrier before it sleeps; then each flag is stored with
	// one.
	fenced bool
}

var _ link.Port = (*Port)(nil)

// Open makes the port of a rank from the peers, by rank, its own place included. Their segments are released and their
// descriptors closed by Leave, or by Open if it fails. fenced must be the same on all ranks; see [Barrier].
func Open(l Layout, rank int, peers []Peer, fenced bool) (*Port, error) {
	p := &Port{
		rank: rank, layout: l, own: peers[rank].Segment.control(), peers: peers, fenced: fenced,
		out:      make([]outQueue, l.Ranks*l.Channels),
		in:       make([]inQueue, l.Ranks*l.Channels),
		pools:    make([]pool, l.Channels),
		outlooks: make([]outlook, l.Ranks*l.Channels),
		advices:  make([]advice, l.Ranks*l.Channels),
		refused:  make([]uint64, l.Ranks*l.Channels),
		replaced: make([]uint64, l.Ranks*l.Channels),
		dead:     make([]atomic.Bool, l.Ranks),
	}
	mine := peers[rank].Segment
	for c := range p.pools {
		p.pools[c] = newPool(mine, c)
	}
	for q, peer := range peers {
		if q == rank {
			continue
		}
		for c := range l.Channels {
			area := l.slotArea(c)
			p.out[q*l.Channels+c] = outQueue{ring: peer.Segment.ring(rank, c), ack: mine.ack(q, c), bell: &peer.Segment.control().bell}
			p.in[q*l.Channels+c] = inQueue{
				ring: mine.ring(q, c), ack: peer.Segment.ack(rank, c), bell: &peer.Segment.control().bell,
				slots: peer.Segment.mem[area : area+l.slotAreaBytes()], window: peer.Window,
			}
		}
		if peer.PIDFD >= 0 {
			w, err := watchProcess(peer.PIDFD, func() { p.died(q) })
			if err != nil {
				p.free()
				return nil, err
			}
			p.watched = append(p.watched, w)
		}
	}
	return p, nil
}

func (p *Port) queue(peer, channel int) int { return peer*p.layout.Channels + channel }

// publish stores a flag that a peer waits for, and wakes the peer if it said that it sleeps.
func (p *Port) publish(flag *uint64, v uint64, bell *uint32) {
	if p.fenced {
		atomic.SwapUint64(flag, v) // under qemu the load below may pass an atomic store, though on no processor
	} else {
		simd.StoreRelease64(flag, v)
	}
	if atomic.LoadUint32(bell) != 0 {
		wakeOwner(bell)
	}
}

// Leave marks this rank as left and frees what it holds.
func (p *Port) Leave() {
	atomic.StoreUint32(&p.own.state, uint32(link.Left))
	p.tellAll(departure)
	p.free()
}

func (p *Port) free() {
	for _, w := range p.watched {
		w.stop()
	}
	for _, peer := range p.peers {
		peer.Segment.Release()
		if peer.PIDFD >= 0 {
			closeFD(peer.PIDFD)
		}
	}
}
