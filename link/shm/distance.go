package shm

import (
	"sync/atomic"

	"hcomm/simd"
)

// Whether two ranks' processors share a cache decides how a slot is best filled. Where they share none, it is stored past
// the caches, for a store to a line that the reader still has waits for it to be taken away (a slot of 64 KiB: 8 us
// instead of 35); where they share one, through them (allreduce of 512 KiB: 34 us instead of 68). Nothing in a guest says
// which it is, and it changes when the host moves the guest's processors. So the receiver measures, and tells the sender.

// outlook is what a receiver knows of how far a sender is, from the messages of one queue.
type outlook struct {
	far    int8   // how far it looks, 0 to farthest
	looked uint32 // messages that came through the caches
	at     int    // where in a message it looked last
}

// advice is what the sender makes of what a receiver tells.
type advice struct {
	told   bool
	posted uint32
}

// How to find out: every so many messages through the caches are looked at, and while a receiver says that it is far one
// of so many is sent that way, to be looked at. Eight lines that another processor has just written take 150 to 700 ticks
// where the two share a cache and 2400 to 2900 where they share none, unless they were prefetched (AMD EPYC of family 25,
// 2026-11); so a slow look counts twice.
const (
	lookEvery  = 7 // not a power of two, so as not to look at the same slice of each operation
	askEvery   = 8
	probeEvery = 256
	farTicks   = 1400
	isFar      = 3
	farthest   = 6
)

// toldFar is the word of an acknowledgement's line in which the receiver tells.
const toldFar = 2

// look measures how long some lines of a message take that the sender has stored through its caches: not always the same
// ones, for some are prefetched with the message before.
func (p *Port) look(queue int, body []byte) {
	o := &p.outlooks[queue]
	o.looked++
	if o.far == 0 && o.looked%lookEvery != 0 {
		return
	}
	before := o.far >= isFar
	if simd.Latency(body[o.place(len(body)-simd.LatencyBytes):]) >= farTicks {
		o.far = min(o.far+2, farthest)
	} else {
		o.far = max(o.far-1, 0)
	}
	if after := o.far >= isFar; after != before {
		atomic.StoreUint64(beside(p.in[queue].ack, toldFar), uint64(o.far))
	}
}

// Far says whether one of these ranks has told that it is.
func (p *Port) Far(to []int, channel int) bool {
	for _, t := range to {
		queue := p.queue(t, channel)
		p.advices[queue].told = atomic.LoadUint64(beside(p.out[queue].ack, toldFar)) >= isFar
		if p.advices[queue].told {
			return true
		}
	}
	return false
}

// place is where to look, up to most.
func (o *outlook) place(most int) int {
	const apart = 37 * lineBytes // in another page, and soon everywhere
	if o.at += apart; o.at > most {
		o.at %= max(most, lineBytes)
	}
	return o.at / lineBytes * lineBytes
}

// wantStream says whether what is posted next on these queues had better go past the caches.
func (p *Port) wantStream(to []int, channel int) bool {
	stream := false
	for _, t := range to {
		queue := p.queue(t, channel)
		a := &p.advices[queue]
		if a.posted++; a.posted%askEvery == 0 {
			a.told = atomic.LoadUint64(beside(p.out[queue].ack, toldFar)) >= isFar
		}
		if a.told && a.posted%probeEvery == 0 {
			return false
		}
		stream = stream || a.told
	}
	return stream
}
