package bench

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"hcomm/engine"
	"hcomm/hmm"
	"hcomm/plan"
	"hcomm/simd"
)

// buffer is memory that is none of Go's, as a C program's is.
type buffer struct {
	data  []byte
	alloc bool
}

// newBuffer gives n bytes, from hcommMemAlloc or ordinary.
func newBuffer(n uint64, alloc bool) (*buffer, error) {
	if n == 0 {
		return &buffer{alloc: true}, nil
	}
	if !alloc {
		data, err := unix.Mmap(-1, 0, int(n), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
		if err != nil {
			return nil, fmt.Errorf("no memory for a buffer of %s: %w", FormatSize(n), err)
		}
		return &buffer{data: data}, nil
	}
	p, err := hmm.Alloc(n)
	if err != nil {
		return nil, err
	}
	return &buffer{data: unsafe.Slice((*byte)(p), n), alloc: true}, nil
}

func (b *buffer) start() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b.data)) }

func (b *buffer) free() error {
	if b.alloc {
		return hmm.Free(b.start())
	}
	return unix.Munmap(b.data)
}

// call makes one call of the collective.
func (r *Rank) call(count uint64) error {
	const root = 0
	c, t, op, send, recv := r.comm, r.plan.Type, r.plan.Op, r.send.start(), r.recv.start()
	switch r.plan.Collective {
	case plan.AllReduce:
		return c.AllReduce(send, recv, count, t, op)
	case plan.Broadcast:
		return c.Broadcast(send, recv, count, t, root)
	case plan.Reduce:
		return c.Reduce(send, recv, count, t, op, root)
	case plan.AllGather:
		return c.AllGather(send, recv, count, t)
	case plan.ReduceScatter:
		return c.ReduceScatter(send, recv, count, t, op)
	case plan.AlltoAll:
		return c.AlltoAll(send, recv, count, t)
	case plan.Gather:
		return c.Gather(send, recv, count, t, root)
	case plan.Scatter:
		return c.Scatter(send, recv, count, t, root)
	}
	return c.Barrier()
}

// Latest replaces each number by the largest that a rank has.
func Latest(c *engine.Comm, t *[2]float64) error {
	p := unsafe.Pointer(t)
	return c.AllReduce(p, p, uint64(len(t)), simd.Float64, simd.Max)
}
