package shm

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"hcomm/link"
)

// fetch is what a call of process_vm_readv is made from, kept so that it allocates nothing.
type fetch struct {
	to   [1]unix.Iovec
	from [1]unix.RemoteIovec
}

// read copies from the memory of a process. What address it is told does no harm here: the kernel looks it up in the
// other's memory, which this process may read as a debugger might.
func (f *fetch) read(process int, address uint64, to []byte) error {
	for len(to) > 0 {
		f.to[0].Base = &to[0]
		f.to[0].SetLen(len(to))
		f.from[0] = unix.RemoteIovec{Base: uintptr(address), Len: len(to)}
		n, err := unix.ProcessVMReadv(process, f.to[:], f.from[:], 0)
		f.to[0].Base = nil
		switch {
		case err == unix.EINTR:
		case err != nil:
			return err
		case n <= 0:
			return errors.New("nothing came")
		default:
			to, address = to[n:], address+uint64(n)
		}
	}
	return nil
}

// PostRemote tells where the message lies.
func (p *Port) PostRemote(to []int, channel int, h *link.Header, memory []byte) {
	for _, t := range to {
		q := &p.out[p.queue(t, channel)]
		e := q.entry()
		binary.LittleEndian.PutUint64(e.short[:8], uint64(uintptr(unsafe.Pointer(&memory[0]))))
		p.post(q, e, h, kindRemote)
	}
}

// Remote says whether the message at the head lies in the peer's own memory.
func (p *Port) Remote(from, channel int) bool {
	q := &p.in[p.queue(from, channel)]
	return q.ring[q.released%ringEntries].kind == kindRemote
}

// Fetch copies what is at the head from the peer's own memory.
func (p *Port) Fetch(from, channel int, to []byte) error {
	q := &p.in[p.queue(from, channel)]
	peer := &p.peers[from]
	if peer.Process == 0 {
		return errors.New("it was not agreed on")
	}
	err := p.fetch.read(peer.Process, binary.LittleEndian.Uint64(q.ring[q.released%ringEntries].short[:8]), to)
	// The number may be another process's once this one has ended.
	patience := time.Duration(0)
	if err == unix.ESRCH {
		patience = time.Second // its memory goes first
	}
	if peer.PIDFD >= 0 && hasEnded(peer.PIDFD, patience) {
		p.died(from)
		return errors.New("its process has ended")
	}
	return err
}

// hasEnded says whether the process behind a pidfd ends within so long.
func hasEnded(pidfd int, patience time.Duration) bool {
	fds := [1]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds[:], int(patience.Milliseconds()))
	return err == nil && n > 0
}

// Nonce is something to read in the memory of a process, to see whether it goes.
type Nonce [16]byte

// Address is where a nonce lies.
func (n *Nonce) Address() uint64 { return uint64(uintptr(unsafe.Pointer(n))) }

// CanFetch finds out by reading a nonce whether this process can read the memory of another one; nil if it can.
func CanFetch(process int, address uint64, want *Nonce) error {
	if process == 0 {
		return errors.New("its number cannot be told")
	}
	var f fetch
	got := make([]byte, len(want))
	if err := f.read(process, address, got); err != nil {
		return explained(err)
	}
	if Nonce(got) != *want {
		return fmt.Errorf("process %d is another one", process)
	}
	return nil
}

// explained adds what commonly forbids it.
func explained(err error) error {
	if !errors.Is(err, unix.EPERM) {
		return err
	}
	if scope, e := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); e == nil && len(scope) > 0 && scope[0] != '0' {
		return fmt.Errorf("%w: kernel.yama.ptrace_scope is %c, and would have to be 0", err, scope[0])
	}
	return fmt.Errorf("%w: the processes must have the same user and namespaces, and be dumpable, or have CAP_SYS_PTRACE", err)
}
