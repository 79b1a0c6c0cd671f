//go:build !race

package hmm

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPeersCanOnlyRead maps the arena as a peer does.
func TestPeersCanOnlyRead(t *testing.T) {
	p, err := Alloc(page)
	if err != nil {
		t.Fatal(err)
	}
	_, fd := Arena()
	peer, err := Attach(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer Detach(peer)
	at := Shared(p, page).At
	bytesAt(p, 8)[7] = 42
	if peer[at+7] != 42 {
		t.Error("the peer does not see what the owner writes")
	}
	if err := Free(p); err != nil {
		t.Fatal(err)
	}
	if peer[at+7] != 0 {
		t.Error("freed memory still has its bytes")
	}
	if m, err := unix.Mmap(fd, 0, int(page), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
		unix.Munmap(m)
		t.Error("the descriptor that peers get can be mapped for writing")
	}
	if unix.Ftruncate(fd, int64(page)) == nil {
		t.Error("the arena can be shrunk by who has the descriptor")
	}
}
