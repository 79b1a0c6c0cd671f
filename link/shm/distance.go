package shm

import "hcomm/simd"

// distance is how far a peer's processor is: whether it shares a cache with this rank's. Nothing in a guest says so, and it
// changes when the host moves the guest's processors. Where they share none, a slot had better be stored past the caches,
// for a store to a line that the reader still has waits for it to be taken away (a slot of 64 KiB: 8 us instead of 35);
// where they share one, through them (allreduce of 512 KiB: 34 us instead of 68).
type distance struct {
	far    int8   // how far it looks, 0 to farthest
	looked uint32 // messages through the caches
	posted uint32 // messages past them
}

// How to find out: every so many messages through the caches are looked at, and while a peer seems far one of so many is
// sent that way to be looked at. Eight lines that another processor has just written take 130 to 800 ticks where the two
// share a cache; 1000 to 2700 where they share none, but 130 if they were prefetched (AMD EPYC of family 25, 2026-11). So a
// slow look counts twice.
const (
	lookEvery  = 8
	probeEvery = 256
	farTicks   = 900
	isFar      = 3
	farthest   = 6
)

// look measures how long the last lines of a message take that a peer has stored through its caches; the first may be
// prefetched with the message before.
func (d *distance) look(body []byte) {
	d.looked++
	if d.far == 0 && d.looked%lookEvery != 0 {
		return
	}
	if simd.Latency(body[len(body)-simd.LatencyBytes:]) >= farTicks {
		d.far = min(d.far+2, farthest)
	} else {
		d.far = max(d.far-1, 0)
	}
}

// areFar says whether what is sent to these ranks had better go past the caches.
func (p *Port) areFar(to []int) bool {
	far := false
	for _, t := range to {
		d := &p.distances[t]
		if d.far >= isFar {
			if d.posted++; d.posted%probeEvery == 0 {
				return false
			}
			far = true
		}
	}
	return far
}
