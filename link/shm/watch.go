package shm

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"hcomm/forked"
)

// watcher waits for the end of other processes: one goroutine of the process sleeps in epoll on all their descriptors.
type watcher struct {
	mu      sync.Mutex
	epoll   int              // -1 until somebody needs it
	watches map[int32]*watch // by number; numbers are not used again, as descriptors are
	last    int32
}

var theWatcher = &watcher{epoll: -1, watches: map[int32]*watch{}}

// start makes the epoll set and its goroutine, if they are not there.
func (w *watcher) start() error {
	if w.epoll >= 0 {
		return nil
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return err
	}
	forked.Track(epoll)
	w.epoll = epoll
	go w.run()
	return nil
}

// watch is one process that a port wants to hear of.
type watch struct {
	number int32
	fd     int
	ended  func()
}

// watchProcess calls ended, once, when the process behind pidfd has ended, unless the watch is stopped first. A
// descriptor can be watched once.
func watchProcess(pidfd int, ended func()) (*watch, error) {
	w := theWatcher
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.start()
	w.last++
	x := &watch{number: w.last, fd: pidfd, ended: ended}
	if err == nil {
		w.watches[x.number] = x
		err = unix.EpollCtl(w.epoll, unix.EPOLL_CTL_ADD, pidfd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: x.number})
	}
	if err != nil {
		delete(w.watches, x.number)
		return nil, fmt.Errorf("cannot watch for a peer's end: %w", err)
	}
	forked.Track(pidfd)
	return x, nil
}

// stop ends the watch; ended does not run after it.
func (x *watch) stop() {
	w := theWatcher
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(x)
}

func (w *watcher) forget(x *watch) {
	if w.watches[x.number] == x {
		delete(w.watches, x.number)
		unix.EpollCtl(w.epoll, unix.EPOLL_CTL_DEL, x.fd, nil)
	}
}

func (w *watcher) run() {
	events := make([]unix.EpollEvent, 64)
	for {
		n, err := unix.EpollWait(w.epoll, events, -1)
		if err != nil && err != unix.EINTR {
			return
		}
		for _, e := range events[:max(n, 0)] {
			w.mu.Lock()
			if x := w.watches[e.Fd]; x != nil {
				w.forget(x)
				x.ended()
			}
			w.mu.Unlock()
		}
	}
}

// Process is the number of a peer's process as this one sees it; 0 for a rank of this process, or if it cannot be told.
func (p *Port) Process(peer int) int { return ProcessOf(p.peers[peer].PIDFD) }

// ProcessOf is the number of the process behind a pidfd; 0 if it cannot be told.
func ProcessOf(pidfd int) int {
	if pidfd < 0 {
		return 0
	}
	info, err := os.ReadFile(fmt.Sprintf("/proc/self/fdinfo/%d", pidfd))
	if err != nil {
		return 0
	}
	_, rest, ok := strings.Cut(string(info), "\nPid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if !ok || err != nil {
		return 0
	}
	return max(pid, 0)
}
