package observe

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// configured logs to a file for the time of a test.
func configured(t *testing.T, word, file string) {
	t.Helper()
	Configure(word, file)
	t.Cleanup(func() { Configure("warn", "") })
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestLevels(t *testing.T) {
	for word, want := range map[string][]string{
		"warn": {"warning: a 1"}, "info": {"warning: a 1", "info: b 2"}, "trace": {"warning: a 1", "info: b 2", "trace: c 3"},
	} {
		file := filepath.Join(t.TempDir(), "log")
		configured(t, word, file)
		Warn("a %d", 1)
		Info("b %d", 2)
		Trace("c %d", 3)
		lines := strings.Split(strings.TrimSuffix(read(t, file), "\n"), "\n")
		if len(lines) != len(want) || Shows(Traces) != (word == "trace") || Shows(Infos) != (word != "warn") {
			t.Errorf("HCOMM_DEBUG=%s: %q", word, lines)
			continue
		}
		for i, w := range want {
			if !strings.HasSuffix(lines[i], " hcomm: "+w) {
				t.Errorf("HCOMM_DEBUG=%s: %q, want %q", word, lines[i], w)
			}
		}
	}
}

// A line in a file says when, where and who; the file's name can, too; and what was in the file stays.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "a%"+host+"."+strconv.Itoa(os.Getpid()))
	if err := os.WriteFile(path, []byte("before\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	configured(t, "warn", filepath.Join(dir, "a%%%h.%p"))
	Warn("x")
	want := regexp.MustCompile(`^before\n\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z ` + regexp.QuoteMeta(host) + ` ` + strconv.Itoa(os.Getpid()) + ` hcomm: warning: x\n$`)
	if got := read(t, path); !want.MatchString(got) {
		t.Errorf("got %q", got)
	}
	fd := current.sink.fd
	Configure("warn", "")
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err != unix.EBADF {
		t.Errorf("the file is still open: %v", err)
	}
}

// piped gives a sink that is a pipe, and its other end.
func piped(t *testing.T) (s sink, reader *os.File, fill func()) {
	t.Helper()
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	reader = os.NewFile(uintptr(fds[0]), "pipe")
	t.Cleanup(func() { reader.Close(); unix.Close(fds[1]) })
	return sink{fd: fds[1], pid: os.Getpid()}, reader, func() {
		unix.SetNonblock(fds[1], true)
		page := bytes.Repeat([]byte("\n"), 4096)
		for {
			if _, err := unix.Write(fds[1], page); err != nil {
				break
			}
		}
		unix.SetNonblock(fds[1], false)
	}
}

func TestLine(t *testing.T) {
	s, r, _ := piped(t)
	for text, want := range map[string]string{
		"x":                            "hcomm: warning: x\n",
		"a\nb\x1b[31m\xff":             "hcomm: warning: a b [31m?\n",
		strings.Repeat("ä", 2*longest): "hcomm: warning: " + strings.Repeat("ä", 2038) + "…\n",
		strings.Repeat("a", longest-len("hcomm: warning: \n")): "hcomm: warning: " + strings.Repeat("a", longest-len("hcomm: warning: \n")) + "\n",
	} {
		s.write("warning", text)
		got := make([]byte, longest+1)
		n, err := r.Read(got)
		if err != nil || string(got[:n]) != want {
			t.Errorf("%.20q: %d bytes, %.40q…, %v; want %d bytes, %.40q…", text, n, got[:n], err, len(want), want)
		}
	}
}

// within fails if f waits.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { f(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Fatal("it waits")
	}
}

// What a full pipe, or a full socket, does not take is lost, and so is what nobody would read; what comes after is not.
func TestNeverWaits(t *testing.T) {
	s, r, fill := piped(t)
	fill()
	within(t, func() { s.write("warning", "lost") })
	if _, err := r.Read(make([]byte, 1<<20)); err != nil {
		t.Fatal(err)
	}
	s.write("warning", "kept")
	rest := make([]byte, 1<<20)
	if n, err := r.Read(rest); err != nil || string(rest[:n]) != "hcomm: warning: kept\n" {
		t.Errorf("%d bytes, %.100q, %v", n, rest[:n], err)
	}
	r.Close()
	within(t, func() { s.write("warning", "to nobody") }) // a write would be SIGPIPE

	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(pair[0])
	s.fd = pair[0]
	within(t, func() {
		for range 10000 {
			s.write("warning", strings.Repeat("x", 1000))
		}
	})
	unix.Close(pair[1])
	within(t, func() { s.write("warning", "to nobody") })
}

// Two ranks ask whether there is room for one line, and both are told so: put must not wait all the same.
func TestRoomTakenMeanwhile(t *testing.T) {
	s, r, fill := piped(t)
	fill()
	if _, err := r.Read(make([]byte, 4096)); err != nil {
		t.Fatal(err)
	}
	if !room(s.fd) {
		t.Skip("this kernel's pipe says that it has no room when a page is free")
	}
	fill()
	_, err := unix.Pwritev2(s.fd, [][]byte{[]byte("x")}, -1, unix.RWF_NOWAIT)
	if err == unix.EOPNOTSUPP {
		t.Skip("this kernel's pipes do not know RWF_NOWAIT")
	}
	if !errors.Is(err, unix.EAGAIN) {
		t.Errorf("a write without waiting to a full pipe: %v", err)
	}
}

func TestForkedChildIsSilent(t *testing.T) {
	s, r, _ := piped(t)
	s.pid++ // as if this were another process
	s.write("warning", "x")
	unix.Close(s.fd)
	s.fd = -1
	if n, err := r.Read(make([]byte, 10)); n != 0 {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Lines of several writers to one file do not mix.
func TestLinesDoNotMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	var all sync.WaitGroup
	for range 8 {
		fd, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer unix.Close(fd)
			s := sink{fd: fd, pid: os.Getpid()}
			for range 500 {
				s.write("trace", strings.Repeat("x", 300))
			}
		})
	}
	all.Wait()
	lines := strings.Split(strings.TrimSuffix(read(t, path), "\n"), "\n")
	if len(lines) != 8*500 {
		t.Errorf("%d lines", len(lines))
	}
	for _, l := range lines {
		if l != "hcomm: trace: "+strings.Repeat("x", 300) {
			t.Fatalf("a line is %q", l)
		}
	}
}

// A file that cannot be opened is one warning, and lines go to standard error.
func TestNoSuchFolder(t *testing.T) {
	s, r, _ := piped(t)
	old, err := unix.Dup(2)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(old)
	unix.Dup3(s.fd, 2, 0)
	defer unix.Dup3(old, 2, 0)
	for range 3 {
		configured(t, "info", "/nonexistent/%p")
	}
	Info("x")
	got := make([]byte, 10000)
	n, _ := r.Read(got)
	want := regexp.MustCompile(`^hcomm: warning: HCOMM_DEBUG_FILE=/nonexistent/%p: /nonexistent/\d+: no such file or directory; lines go to standard error\nhcomm: info: x\n$`)
	if !want.Match(got[:n]) {
		t.Errorf("got %q", got[:n])
	}
}

func BenchmarkOff(b *testing.B) {
	for b.Loop() {
		if Shows(Traces) {
			Trace("never")
		}
	}
}
