package shm

import "unsafe"

// Queues gives the queues of channel 0 to the small-message path in C: where those of rank 0 are, how many queues further
// those of the next rank, the word in which a verdict is noticed, whether flags need a barrier, and where this rank tells of
// its operations. The layouts of entry, outQueue, inQueue and activity are known to capi/small.h.
func (p *Port) Queues() (out, in unsafe.Pointer, stride int, notices *uint32, fenced bool, activity unsafe.Pointer, seat *uint32) {
	return unsafe.Pointer(&p.out[0]), unsafe.Pointer(&p.in[0]), p.layout.Channels, &p.own.notices, p.fenced, unsafe.Pointer(&p.own.activity), &p.own.seat
}

// Places are the offsets and sizes that capi/small.h must agree with.
func Places() []uintptr {
	var e entry
	var o outQueue
	var i inQueue
	var a activity
	return []uintptr{
		unsafe.Offsetof(e.op), unsafe.Offsetof(e.count), unsafe.Offsetof(e.signature), unsafe.Offsetof(e.length),
		unsafe.Offsetof(e.kind), unsafe.Offsetof(e.short), unsafe.Offsetof(e.long), unsafe.Sizeof(e),
		unsafe.Offsetof(o.ring), unsafe.Offsetof(o.ack), unsafe.Offsetof(o.bell), unsafe.Offsetof(o.posted),
		unsafe.Offsetof(o.read), unsafe.Sizeof(o),
		unsafe.Offsetof(i.ring), unsafe.Offsetof(i.ack), unsafe.Offsetof(i.bell), unsafe.Offsetof(i.released), unsafe.Sizeof(i),
		unsafe.Offsetof(a.op), unsafe.Offsetof(a.count), unsafe.Offsetof(a.signature),
	}
}
