package observe

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode"

	"golang.org/x/sys/unix"

	"hcomm/forked"
)

// sink is a descriptor that takes lines.
type sink struct {
	fd   int
	host string // of a file: lines there have the time, host and process
	pid  int    // whose lines they are; a forked child writes none
}

// longest is PIPE_BUF: a pipe takes what is no longer in one piece.
const longest = 4096

func (s *sink) write(kind, text string) {
	if os.Getpid() != s.pid {
		return
	}
	line := "hcomm: " + kind + ": " + plain(text)
	if s.host != "" {
		line = fmt.Sprintf("%s %s %d %s", time.Now().UTC().Format("2006-01-02T15:04:05.000000Z"), s.host, s.pid, line)
	}
	if len(line) >= longest {
		line = strings.ToValidUTF8(line[:longest-len("…\n")], "") + "…"
	}
	put(s.fd, []byte(line+"\n"))
}

// plain keeps a text to one line without anything that a terminal would act on: peers have a say in some.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

func (s *sink) close() {
	if s.fd != 2 {
		forked.Untrack(s.fd)
		unix.Close(s.fd)
	}
	s.host = ""
}

// expand makes a file's name of a pattern.
func expand(pattern, host string, pid int) string {
	return strings.NewReplacer("%%", "%", "%h", host, "%p", strconv.Itoa(pid)).Replace(pattern)
}

// openLog opens a file to add to. A program that runs with more rights than its user has must not use them for a file that
// this user names.
func openLog(path string) (fd int, err error) {
	if os.Getuid() != os.Geteuid() || os.Getgid() != os.Getegid() {
		return -1, errors.New("not for a program with the set-user-ID or set-group-ID bit")
	}
	return unix.Open(path, unix.O_WRONLY|unix.O_APPEND|unix.O_CREAT|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0o666)
}
