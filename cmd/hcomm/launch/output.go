package launch

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// maxLine is the longest line that is passed on in one piece. A longer one may be broken by another rank's line.
const maxLine = 64 << 10

const (
	toStdout = iota
	toStderr
)

// output passes on what the ranks print, line by line, so that no line contains parts of two ranks' lines. Each rank's
// stdout and stderr is read by a goroutine of its own; they meet at the lock of a destination. The launcher's own
// sentences take the same way, so that a reader who does not read holds up nothing but them.
type output struct {
	name   string
	tag    bool
	whole  bool            // hold back what is not a whole line yet
	to     [2]*destination // one and the same where stdout and stderr are the same file
	broken chan error      // the first failure to write to each destination

	pipes   []*os.File
	readers sync.WaitGroup
	words   *os.File      // what the launcher says is written here
	spoken  chan struct{} // closed when all that is passed on
}

// launcher is the rank of what the launcher says.
const launcher = -1

func newOutput(j *Job) (*output, error) {
	o := &output{name: j.Name, tag: j.TagOutput, whole: j.Ranks > 1 && !j.Interactive, broken: make(chan error, 2), spoken: make(chan struct{})}
	o.to[toStdout] = newDestination(j.Stdout)
	o.to[toStderr] = newDestination(j.Stderr)
	if sameFile(j.Stdout, j.Stderr) {
		o.to[toStderr] = o.to[toStdout]
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.words = w
	go func() {
		defer close(o.spoken)
		defer r.Close()
		o.pass(launcher, toStderr, r)
	}()
	return o, nil
}

func sameFile(a, b *os.File) bool {
	x, err1 := a.Stat()
	y, err2 := b.Stat()
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

// pipe gives the end that the rank writes to, and passes on what arrives at the other.
func (o *output) pipe(rank, to int) (*os.File, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	o.pipes = append(o.pipes, r)
	o.readers.Go(func() { o.pass(rank, to, r) })
	return w, nil
}

// finish says that the ranks are gone: what is in the pipes is still passed on, but not what somebody may write later
// who has made himself independent and kept them open. The channel is closed when that is done.
func (o *output) finish() <-chan struct{} {
	for _, p := range o.pipes {
		_ = p.SetReadDeadline(time.Now())
	}
	done := make(chan struct{})
	go func() {
		o.readers.Wait()
		close(done)
	}()
	return done
}

// hush says that the launcher has said all; spoken is closed when it is passed on.
func (o *output) hush() { o.words.Close() }

func (o *output) close() {
	for _, p := range o.pipes {
		p.Close()
	}
	o.hush()
}

// say prints a sentence of the launcher's own, without waiting for it to be read; what does not fit into a pipe is lost.
func (o *output) say(format string, args ...any) {
	sentence := fmt.Appendf(nil, o.name+": "+format+"\n", args...)
	if raw, err := o.words.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.Write(int(fd), sentence) })
	}
}

// pass reads p to its end and writes out all whole lines that each read completes at once.
func (o *output) pass(rank, to int, p *os.File) {
	buf, held := make([]byte, 4<<10), 0
	for {
		n, err := read(p, buf[held:])
		held += n
		ready := held
		if o.whole && err == nil && held < maxLine {
			ready = bytes.LastIndexAny(buf[:held], "\r\n") + 1 // a lone CR ends what a progress bar draws
		}
		if failed := o.to[to].write(rank, buf[:ready], o.tag); failed != nil {
			o.broken <- failed
		}
		held = copy(buf, buf[ready:held])
		if err != nil {
			return
		}
		if held == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// read reads from p; after finish, only what is there already.
func read(p *os.File, buf []byte) (n int, err error) {
	n, err = p.Read(buf)
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return n, err
	}
	raw, err := p.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { n, failed = unix.Read(int(fd), buf) })
	if err == nil && (failed != nil || n == 0) {
		err = os.ErrDeadlineExceeded
	}
	return max(n, 0), err
}

// destination is a file that ranks' lines go to. It remembers how far its last line is, and whose it is.
type destination struct {
	mu      sync.Mutex
	file    *os.File
	last    byte // the last byte written
	owner   int  // the rank that wrote it
	dead    bool // a write has failed: what comes is dropped
	scratch []byte
}

func newDestination(f *os.File) *destination {
	return &destination{file: f, last: '\n', owner: launcher}
}

// write writes a piece of what a rank printed. It gives the first error only.
func (d *destination) write(rank int, piece []byte, tag bool) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(piece) == 0 || d.dead {
		return nil
	}
	_, err := d.file.Write(d.compose(rank, piece, tag && rank != launcher))
	d.last, d.owner, d.dead = piece[len(piece)-1], rank, err != nil
	return err
}

// compose ends another rank's unfinished line, and puts the tag before lines that begin here.
func (d *destination) compose(rank int, piece []byte, tag bool) []byte {
	foreign := d.owner != rank && d.last != '\n'
	if !foreign && !tag {
		return piece
	}
	out := d.scratch[:0]
	if foreign {
		out = append(out, '\n')
	}
	fresh := foreign || d.last == '\n' || d.last == '\r'
	for len(piece) > 0 {
		if tag && fresh {
			out = append(append(strconv.AppendInt(append(out, '['), int64(rank), 10), ']'), ' ')
		}
		line := piece[:lineLength(piece)]
		out = append(out, line...)
		piece, fresh = piece[len(line):], true
	}
	d.scratch = out
	return out
}

// lineLength gives the length of the line at the start of piece, with its end, which is LF, CR or both.
func lineLength(piece []byte) int {
	i := bytes.IndexAny(piece, "\r\n")
	switch {
	case i < 0:
		return len(piece)
	case piece[i] == '\r' && i+1 < len(piece) && piece[i+1] == '\n':
		return i + 2
	default:
		return i + 1
	}
}
