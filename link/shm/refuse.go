package shm

import (
	"encoding/binary"
	"sync/atomic"

	"hcomm/simd"
)

// Whether a rank can read another one's memory is tried when they meet. It may change: one of them gives up its user's
// rights, or forbids being read, or sends what the kernel reads for nobody else (a device's memory). So a receiver may
// refuse a remote message, and the sender then puts it into a slot; to all others it has not arrived meanwhile.

// refusedWord is the word of an acknowledgement's line in which the receiver says which message it refuses.
const refusedWord = 3

// Refuse asks for the message at the head in a slot.
func (p *Port) Refuse(from, channel int) {
	queue := p.queue(from, channel)
	q := &p.in[queue]
	p.refused[queue] = q.released + 1
	p.publish(beside(q.ack, refusedWord), q.released+1, q.bell)
}

// awaitsSlot says whether the message at the head has been refused and is still where it was.
func (p *Port) awaitsSlot(queue int) bool {
	q := &p.in[queue]
	return p.refused[queue] == q.released+1 && atomic.LoadUint32(&q.ring[q.released%ringEntries].kind) == kindRemote
}

// Refused is the number of the message that a peer has refused and waits for; 0 if there is none. The peer may tell
// nonsense.
func (p *Port) Refused(to, channel int) uint64 {
	queue := p.queue(to, channel)
	q := &p.out[queue]
	n := simd.LoadAcquire64(beside(q.ack, refusedWord))
	if n == 0 || n <= p.replaced[queue] || n > q.posted || n <= q.posted-q.outstanding(0) {
		return 0
	}
	return n
}

// Instead puts what a peer, the only one of to, has refused into a slot; false if there is no room yet.
func (p *Port) Instead(to []int, channel int, number uint64, memory []byte) bool {
	if !p.hasSlot(channel) {
		return false
	}
	queue, pool := p.queue(to[0], channel), &p.pools[channel]
	q := &p.out[queue]
	lease := pool.lend(len(memory), to)
	lease.numbers[0] = number
	simd.Copy(pool.mem[lease.from:][:len(memory)], memory)
	e := &q.ring[(number-1)%ringEntries]
	binary.LittleEndian.PutUint64(e.short[:8], uint64(lease.from))
	atomic.StoreUint32(&e.kind, kindSlot)
	p.replaced[queue] = number
	p.publish(&e.flag, number, q.bell)
	return true
}
