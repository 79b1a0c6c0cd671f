package shm

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"hcomm/link"
)

// canFetch skips the test where this process may not even read its own memory so.
func canFetch(t *testing.T) {
	t.Helper()
	n := &Nonce{1, 2, 3}
	if err := CanFetch(os.Getpid(), n.Address(), n); err != nil {
		t.Skip(err)
	}
}

// remotes are the ports of two ranks that can read each other's memory.
func remotes(t *testing.T) []*Port {
	canFetch(t)
	p := ports(t, NewLayout(2, 1, page, 1), false)
	for _, port := range p {
		for q := range port.peers {
			port.peers[q].Process = os.Getpid()
		}
	}
	return p
}

func TestRemoteMessages(t *testing.T) {
	p := remotes(t)
	rng := rand.New(rand.NewPCG(1, 5))
	memory := make([]byte, 3*page)
	for i := range memory {
		memory[i] = byte(rng.Uint32())
	}
	for try := range 1000 {
		from := rng.IntN(len(memory))
		want := memory[from : from+1+rng.IntN(len(memory)-from)]
		h := link.Header{Op: uint64(try), Length: uint32(len(want))}
		p[0].PostRemote([]int{1}, 0, &h, want)
		if !p[1].Arrived(0, 0) || !p[1].Remote(0, 0) {
			t.Fatal("a remote message does not arrive as one")
		}
		got, body, err := p[1].Receive(0, 0)
		if err != nil || got != h || body != nil {
			t.Fatalf("%+v with %d bytes and error %v; want %+v", got, len(body), err, h)
		}
		to := make([]byte, len(want)+2)
		if err := p[1].Fetch(0, 0, to[1:1+len(want)]); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(to[1:1+len(want)], want) || to[0]|to[len(to)-1] != 0 {
			t.Fatalf("%d bytes from %d on are not what was sent", len(want), from)
		}
		p[1].Release(0, 0)
		if p[0].Released(1, 0) != uint64(try+1) {
			t.Fatal("the sender does not hear of the release")
		}
	}
	p[0].PostInline([]int{1}, 0, &link.Header{}, nil)
	if p[1].Remote(0, 0) {
		t.Error("a message in its entry is taken for a remote one")
	}
}

// A place that is none, and the memory of a rank that was never agreed on, are errors.
func TestRemoteNowhere(t *testing.T) {
	p := remotes(t)
	place := uint64(page)
	nowhere := unsafe.Slice(*(**byte)(unsafe.Pointer(&place)), 8)
	to := make([]byte, 8)
	p[0].PostRemote([]int{1}, 0, &link.Header{Length: 8}, nowhere)
	if err := p[1].Fetch(0, 0, to); err == nil || !strings.Contains(err.Error(), "bad address") {
		t.Errorf("error %v", err)
	}
	p[1].peers[0].Process = 0
	if err := p[1].Fetch(0, 0, to); err == nil || !strings.Contains(err.Error(), "agreed") {
		t.Errorf("error %v", err)
	}
}

// What is refused has not arrived until it is in a slot; then it is the same message.
func TestRemoteRefused(t *testing.T) {
	p := remotes(t)
	want := []byte("what the kernel does not read for others")
	for try := uint64(1); try < 3*ringEntries; try += 2 {
		h := link.Header{Op: try, Length: uint32(len(want))}
		p[0].PostRemote([]int{1}, 0, &h, want)
		p[0].PostInline([]int{1}, 0, &link.Header{Op: try + 1, Length: 2}, want[:2])
		if n := p[0].Refused(1, 0); n != 0 {
			t.Fatalf("message %d is refused, and it was not", n)
		}
		p[1].Refuse(0, 0)
		if p[1].Arrived(0, 0) || p[0].Refused(1, 0) != try {
			t.Fatalf("after a refusal: arrived %v, refused %d of %d", p[1].Arrived(0, 0), p[0].Refused(1, 0), try)
		}
		if !p[0].Instead([]int{1}, 0, try, want) || p[0].Refused(1, 0) != 0 || !p[1].Arrived(0, 0) || p[1].Remote(0, 0) {
			t.Fatal("it is not there as a message in a slot")
		}
		if got, body, err := p[1].Receive(0, 0); err != nil || got != h || !bytes.Equal(body, want) {
			t.Fatalf("%+v with %q and error %v; want %+v", got, body, err, h)
		}
		if p[0].Room([]int{1}, 0, true) {
			t.Fatal("the slot is free, though it was not read")
		}
		p[1].Release(0, 0)
		if !p[0].Room([]int{1}, 0, true) || !p[1].Arrived(0, 0) {
			t.Fatal("the slot is not free, though it was read, or the message behind is not there")
		}
		p[1].Release(0, 0)
	}
}

// A peer that refuses what there is not is not heard.
func TestRefusedNonsense(t *testing.T) {
	p := remotes(t)
	p[0].PostInline([]int{1}, 0, &link.Header{}, nil)
	for _, n := range []uint64{0, 2, ringEntries, 1 << 63, ^uint64(0)} {
		*beside(p[1].in[p[1].queue(0, 0)].ack, refusedWord) = n
		if got := p[0].Refused(1, 0); got != 0 {
			t.Errorf("%d is refused, and gives %d", n, got)
		}
	}
}

// The end of the other process is told as such, and its number is not used any more.
func TestRemoteEnded(t *testing.T) {
	canFetch(t)
	child := exec.Command("sleep", "100")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pid := child.Process.Pid
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if got := ProcessOf(fd); got != pid {
		t.Errorf("the process is %d, not %d", got, pid)
	}
	p := remotes(t)
	p[1].peers[0].Process, p[1].peers[0].PIDFD = pid, fd
	defer func() { p[1].peers[0].PIDFD = -1 }()
	p[0].PostRemote([]int{1}, 0, &link.Header{Length: 8}, make([]byte, 8))
	to := make([]byte, 8)
	if err := p[1].Fetch(0, 0, to); err == nil || p[1].Presence(0) != link.Alive {
		t.Errorf("error %v of a process that has no such memory, and presence %d", err, p[1].Presence(0))
	}
	child.Process.Kill()
	child.Wait()
	if err := p[1].Fetch(0, 0, to); err == nil || p[1].Presence(0) != link.Dead || p[1].Gone() != 1 {
		t.Errorf("error %v, presence %d, %d gone, after its end", err, p[1].Presence(0), p[1].Gone())
	}
}

func TestCanFetch(t *testing.T) {
	canFetch(t)
	n, other := &Nonce{1}, &Nonce{2}
	if err := CanFetch(os.Getpid(), n.Address(), other); err == nil || !strings.Contains(err.Error(), "another") {
		t.Errorf("error %v for a nonce that is not there", err)
	}
	if err := CanFetch(os.Getpid(), 8, n); err == nil {
		t.Error("nothing is readable at address 8, and no error")
	}
	if err := CanFetch(0, n.Address(), n); err == nil {
		t.Error("no process, and no error")
	}
}
