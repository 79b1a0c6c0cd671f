package observe

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"hcomm/forked"
)

// Level says how much is written: its lines and those of the levels before it.
type Level int32

const (
	Warnings Level = iota
	Infos
	Traces
)

// words are the levels as HCOMM_DEBUG has them.
var words = []string{"warn", "info", "trace"}

// kinds are what lines of a level begin with.
var kinds = []string{"warning", "info", "trace"}

// level is read without a lock, wherever a line might be written.
var level atomic.Int32

// Shows says whether lines of a level are written, for those that take work to make.
func Shows(l Level) bool { return Level(level.Load()) >= l }

// Warn writes what a user should know though nothing has failed.
func Warn(format string, args ...any) { write(Warnings, format, args) }

// Info writes what was decided, and why.
func Info(format string, args ...any) { write(Infos, format, args) }

// Trace writes what is being done. Ask [Shows] first where that is often.
func Trace(format string, args ...any) { write(Traces, format, args) }

func write(l Level, format string, args []any) {
	if !Shows(l) {
		return
	}
	text := fmt.Sprintf(format, args...)
	current.Lock()
	defer current.Unlock()
	current.sink.write(kinds[l], text)
}

// current is where lines go.
var current = struct {
	sync.Mutex
	file string // as Configure was told
	sink sink
}{sink: sink{fd: 2, pid: os.Getpid()}}

// Configure sets the level, a word of HCOMM_DEBUG, and the file that lines are added to, "" for standard error. In the
// file's name %h is the host's name and %p the process's number. A file that cannot be opened is a warning.
func Configure(word, file string) {
	l := max(0, slices.Index(words, word))
	current.Lock()
	defer current.Unlock()
	level.Store(int32(l))
	if file == current.file {
		return
	}
	current.file = file
	current.sink.close()
	current.sink.fd = 2
	if file == "" {
		return
	}
	path := expand(file, hostName(), current.sink.pid)
	fd, err := openLog(path)
	if err != nil {
		current.sink.write(kinds[Warnings], fmt.Sprintf("HCOMM_DEBUG_FILE=%s: %s: %v; lines go to standard error", file, path, err))
		return
	}
	forked.Track(fd)
	current.sink.fd, current.sink.host = fd, hostName()
}

func hostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return name
}
