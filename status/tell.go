package status

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/forked"
)

const (
	atOnce       = 4                // answers under way
	answerWithin = time.Second      // or whoever asks does not read
	backlog      = 64               // who waits to be let in
	strangerRest = time.Millisecond // after a stranger, so that a crowd of them costs little
	troubleRest  = 100 * time.Millisecond
	restAfter    = 4 // times as long as it took to find out what there is to tell
)

// Teller answers whoever asks.
type Teller struct {
	name     string
	listener *os.File
	tell     func() Process
	room     chan struct{}
	ended    chan struct{}

	looking sync.Mutex // one at a time finds out what there is to tell
	rested  time.Time  // not before this

	mu     sync.Mutex
	closed bool
	open   map[*os.File]bool // connections
}

// Name is the socket of a process, without the NUL that stands before it.
func Name(uid, pid int) string { return fmt.Sprintf("hcomm-status-%d-%d", uid, pid) }

// Tell has what tell returns told to whoever asks, until [Teller.Close]. tell is called from other goroutines, by several
// at once.
func Tell(tell func() Process) (*Teller, error) {
	t := &Teller{name: Name(os.Geteuid(), os.Getpid()), tell: tell, room: make(chan struct{}, atOnce), ended: make(chan struct{}), open: map[*os.File]bool{}}
	fd, err := listen(t.name)
	if err == unix.EADDRINUSE { // by a process of the same number elsewhere, or by somebody who would be us
		var b [8]byte
		rand.Read(b[:])
		t.name += "-" + hex.EncodeToString(b[:])
		fd, err = listen(t.name)
	}
	if err != nil {
		return nil, fmt.Errorf("the socket @%s: %w", t.name, err)
	}
	forked.Track(fd)
	t.listener = os.NewFile(uintptr(fd), t.name)
	go t.run()
	return t, nil
}

func listen(name string) (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err = unix.Bind(fd, &unix.SockaddrUnix{Name: "@" + name}); err == nil {
		err = unix.Listen(fd, backlog)
	}
	if err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// Close ends it; nobody hears anything more. It does not wait for who is being answered.
func (t *Teller) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		return
	}
	t.closed = true
	release(t.listener)
	for f := range t.open {
		release(f)
	}
	t.open = nil
}

// release closes a socket.
func release(f *os.File) {
	control(f, func(fd int) { forked.Untrack(fd) })
	f.Close()
}

// control does something with the descriptor of a file that is open.
func control(f *os.File, do func(fd int)) {
	if raw, err := f.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { do(int(fd)) })
	}
}

// run lets people in.
func (t *Teller) run() {
	defer close(t.ended)
	raw, err := t.listener.SyscallConn()
	if err != nil {
		return
	}
	for {
		t.room <- struct{}{}
		fd, failed := -1, error(nil)
		err := raw.Read(func(listener uintptr) bool {
			fd, _, failed = unix.Accept4(int(listener), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
			return failed != unix.EAGAIN
		})
		switch {
		case err != nil: // it was closed
			return
		case failed != nil:
			time.Sleep(troubleRest)
		case !mayAsk(fd):
			unix.Close(fd)
			time.Sleep(strangerRest)
		default:
			if t.admit(fd) {
				continue // who gives back the room when he is done
			}
		}
		<-t.room
	}
}

// mayAsk says whether the process at the other end may be told.
func mayAsk(fd int) bool {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	return err == nil && (cred.Uid == 0 || int(cred.Uid) == os.Geteuid())
}

// admit answers a connection on a goroutine of its own.
func (t *Teller) admit(fd int) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed {
		unix.Close(fd)
		return false
	}
	forked.Track(fd)
	f := os.NewFile(uintptr(fd), t.name)
	t.open[f] = true
	go func() {
		defer func() { <-t.room }()
		defer t.dismiss(f)
		if text := t.text(f); text != nil {
			answer(f, text)
		}
	}()
	return true
}

// text is what there is to tell; nil if nobody listens. However many ask, that takes a fifth of a processor at most.
// A panic of tell is not the program's end.
func (t *Teller) text(f *os.File) (text []byte) {
	t.looking.Lock()
	defer t.looking.Unlock()
	defer func() {
		if recover() != nil {
			text = nil
		}
	}()
	time.Sleep(time.Until(t.rested))
	if hasHungUp(f) {
		return nil
	}
	start := time.Now()
	text, err := json.Marshal(t.tell())
	if err != nil {
		return nil
	}
	t.rested = time.Now().Add(restAfter * time.Since(start))
	return text
}

func hasHungUp(f *os.File) (yes bool) {
	control(f, func(fd int) {
		p := []unix.PollFd{{Fd: int32(fd)}}
		n, err := unix.Poll(p, 0)
		yes = err == nil && n > 0
	})
	return yes
}

func (t *Teller) dismiss(f *os.File) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[f] {
		delete(t.open, f)
		release(f)
	}
}

// answer writes a text. A peer that has gone is no signal here, as os.File.Write would make it: the process's handlers
// are not ours.
func answer(f *os.File, text []byte) {
	raw, err := f.SyscallConn()
	if err != nil || f.SetWriteDeadline(time.Now().Add(answerWithin)) != nil {
		return
	}
	for len(text) > 0 {
		n, failed := 0, error(nil)
		err := raw.Write(func(fd uintptr) bool {
			n, failed = unix.SendmsgN(int(fd), text, nil, nil, unix.MSG_NOSIGNAL|unix.MSG_DONTWAIT)
			return failed != unix.EAGAIN
		})
		if err != nil || failed != nil && failed != unix.EINTR {
			return
		}
		text = text[max(n, 0):]
	}
}
