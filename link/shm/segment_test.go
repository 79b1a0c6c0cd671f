//go:build !race

package shm

import (
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"
)

func TestAttachChecksWhatItMaps(t *testing.T) {
	l := NewLayout(2, 1, page, 1)
	s, err := Create(l, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Release()
	sealed := func(size int64, seals int) int {
		fd, err := unix.MemfdCreate("test", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		if err := unix.Ftruncate(fd, size); err != nil {
			t.Fatal(err)
		}
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_ADD_SEALS, seals); err != nil {
			t.Fatal(err)
		}
		return fd
	}
	const both = unix.F_SEAL_SHRINK | unix.F_SEAL_GROW
	larger := l
	larger.Ranks++
	for _, x := range []struct {
		name   string
		fd     int
		rank   int
		layout Layout
		text   string
	}{
		{"no file", -1, 1, l, "fstat"},
		{"another rank's", s.FD(), 0, l, "not one of this communicator"},
		{"another communicator's", s.FD(), 1, larger, "not one of this communicator"},
		{"not sealed", sealed(int64(l.Size), 0), 1, l, "not a sealed memfd"},
		{"can shrink", sealed(int64(l.Size), unix.F_SEAL_GROW), 1, l, "not a sealed memfd"},
		{"too short", sealed(page, both), 1, l, "it has 4096 bytes"},
		{"empty", sealed(int64(l.Size), both), 1, l, "not one of this communicator"},
	} {
		if got, err := Attach(x.layout, x.rank, x.fd); err == nil {
			got.Release()
			t.Errorf("%s: accepted", x.name)
		} else if !strings.Contains(err.Error(), x.text) {
			t.Errorf("%s: error %q, want %q in it", x.name, err, x.text)
		}
	}
	good, err := Attach(l, 1, s.FD())
	if err != nil {
		t.Fatal(err)
	}
	good.Release()
	if unix.Ftruncate(s.FD(), 0) == nil {
		t.Error("a segment can be shrunk, which would make its readers fault")
	}
}

func TestEndOfAProcessIsSeen(t *testing.T) {
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	pidfd := func() int {
		fd, err := unix.PidfdOpen(child.Process.Pid, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fd) })
		return fd
	}
	ended := make(chan struct{})
	var stopped atomic.Bool
	fd := pidfd()
	if _, err := watchProcess(fd, func() { close(ended) }); err != nil {
		t.Fatal(err)
	}
	if _, err := watchProcess(fd, func() {}); err == nil {
		t.Error("a descriptor is watched twice")
	}
	w, err := watchProcess(pidfd(), func() { stopped.Store(true) })
	if err != nil {
		t.Fatal(err)
	}
	w.stop()
	select {
	case <-ended:
		t.Fatal("the end was seen before it came")
	default:
	}
	in.Close()
	child.Wait()
	<-ended
	if stopped.Load() {
		t.Error("a watch that was stopped has fired")
	}
}
