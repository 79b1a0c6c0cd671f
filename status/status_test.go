package status

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func self() Process {
	return Process{PID: os.Getpid(), Communicators: []Communicator{{Name: "a", Size: 2}}, Joining: []Joining{}}
}

func tellOf(t *testing.T, tell func() Process) *Teller {
	t.Helper()
	x, err := Tell(tell)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(x.Close)
	return x
}

// asked is what this process answers.
func asked(t *testing.T) Process {
	t.Helper()
	all, err := One(os.Getpid())
	if err != nil || len(all) != 1 {
		t.Fatalf("asked: %+v, %v", all, err)
	}
	return all[0]
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("in 20 s not: %s", what)
		}
	}
}

// connect goes to a socket and does nothing more.
func connect(t *testing.T, name string) int {
	t.Helper()
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err == nil {
		err = unix.Connect(fd, &unix.SockaddrUnix{Name: "@" + name})
	}
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

func descriptors(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

func TestAsked(t *testing.T) {
	p := self()
	p.Communicators[0].Name = "red \x1b[31m\n\u202e" + strings.Repeat("x", 2*longestText)
	p.Communicators[0].Failure = &Failure{Text: "a\tb"}
	x := tellOf(t, func() Process { return p })
	got := asked(t)
	if got.State != Answered || got.Program == "" || got.Communicators[0].Failure.Text != "a?b" {
		t.Errorf("it answers %+v", got)
	}
	if name := got.Communicators[0].Name; !strings.HasPrefix(name, "red ?[31m??xxx") || len(name) > longestText {
		t.Errorf("a name is %.40q, of %d bytes", name, len(name))
	}
	all, err := All()
	found := 0
	for _, p := range all {
		if p.PID == os.Getpid() {
			found++
		}
	}
	if err != nil || found != 1 {
		t.Errorf("among all it is %d times: %v", found, err)
	}
	x.Close()
	x.Close()
	if all, err := One(os.Getpid()); err != nil || len(all) != 0 {
		t.Errorf("closed, it answers %+v, %v", all, err)
	}
	<-x.ended
}

func TestPanicOfTell(t *testing.T) {
	tellOf(t, func() Process { panic("as it must be") })
	if all, err := One(os.Getpid()); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestNameThatIsTaken(t *testing.T) {
	fd, err := listen(Name(os.Geteuid(), os.Getpid()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) // which answers nobody
	tellOf(t, self)
	all, err := One(os.Getpid())
	if err != nil || len(all) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	answers := 0
	for _, p := range all {
		if p.State == Answered {
			answers++
		}
	}
	if answers != 1 {
		t.Errorf("%+v", all)
	}
}

// Whoever has put up a door in the name of another process is not asked.
func TestNameOfAnother(t *testing.T) {
	for _, name := range []string{Name(os.Geteuid(), os.Getppid()), Name(os.Geteuid()+1, os.Getpid())} {
		fd, err := listen(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, pid := range []int{os.Getpid(), os.Getppid()} {
			if all, err := One(pid); err != nil || len(all) != 0 {
				t.Errorf("%s: %+v, %v", name, all, err)
			}
		}
		unix.Close(fd)
	}
}

// What a process tells may be anything.
func TestAnswersOfAnEnemy(t *testing.T) {
	other, _ := json.Marshal(Process{PID: os.Getppid()})
	for what, answer := range map[string]func(w io.Writer){
		"nonsense":        func(w io.Writer) { io.WriteString(w, "{]") },
		"another process": func(w io.Writer) { w.Write(other) },
		"cut off":         func(w io.Writer) { fmt.Fprintf(w, `{"pid": %d, "program": "x`, os.Getpid()) },
		"deep":            func(w io.Writer) { io.WriteString(w, strings.Repeat(`{"communicators":[`, 1e5)) },
		"endless": func(w io.Writer) {
			for _, err := w.Write(other); err == nil; {
				_, err = io.WriteString(w, strings.Repeat(" ", 1<<16))
			}
		},
		"silence": func(io.Writer) { time.Sleep(2 * askWithin) },
	} {
		t.Run(what, func(t *testing.T) {
			fd, err := listen(Name(os.Geteuid(), os.Getpid()))
			if err != nil {
				t.Fatal(err)
			}
			listener := os.NewFile(uintptr(fd), "enemy")
			defer listener.Close()
			go func() {
				raw, _ := listener.SyscallConn()
				got := -1
				raw.Read(func(fd uintptr) bool {
					got, _, err = unix.Accept4(int(fd), unix.SOCK_NONBLOCK|unix.SOCK_CLOEXEC)
					return err != unix.EAGAIN
				})
				f := os.NewFile(uintptr(got), "guest")
				defer f.Close()
				answer(f)
			}()
			start := time.Now()
			if p := asked(t); p.State != Silent || p.PID != os.Getpid() || len(p.Communicators) != 0 {
				t.Errorf("%+v", p)
			}
			if d := time.Since(start); d > 3*askWithin {
				t.Errorf("it took %v", d)
			}
		})
	}
}

// Clients that do not read hold up others for a second at most, and neither they nor a crowd leave anything behind.
func TestClientsThatDoNotRead(t *testing.T) {
	goroutines, files := runtime.NumGoroutine(), descriptors(t)
	big := self()
	for len(big.Communicators) < 2000 {
		big.Communicators = append(big.Communicators, Communicator{Name: strings.Repeat("y", 300)})
	}
	var calls atomic.Int32
	x := tellOf(t, func() Process { calls.Add(1); return big })
	var idlers []int
	for range 2 * atOnce {
		idlers = append(idlers, connect(t, x.name))
	}
	until(t, "all that there is room for are being answered", func() bool { return calls.Load() >= atOnce })
	until(t, "it answers again", func() bool { return asked(t).State == Answered })
	for _, fd := range idlers {
		unix.Close(fd)
	}
	for range 1000 {
		unix.Close(connect(t, x.name))
	}
	until(t, "it answers after the crowd", func() bool { return asked(t).State == Answered })
	x.Close()
	<-x.ended
	until(t, "nothing is left behind", func() bool { return runtime.NumGoroutine() <= goroutines && descriptors(t) <= files })
}

func TestDoorsIn(t *testing.T) {
	const line = "0000000000000000: 00000002 00000000 00010000 0001 01 12345 "
	table := "Num       RefCount Protocol Flags    Type St Inode Path\n"
	for _, path := range []string{
		"@hcomm-status-0-17", "@hcomm-status-1000-18-a1b2", "@hcomm-status-0-17",
		"", "@", "/run/hcomm-status-0-19", "@hcomm-status-", "@hcomm-status-0", "@hcomm-status-x-1", "@hcomm-status-0--1",
		"@hcomm-status-0-0", "@hcomm-status-0-1-2-3", "@hcomm-status-0-99999999999999999999", "@hcomm-status-0-1 more",
	} {
		table += line + path + "\n"
	}
	want := []door{{"hcomm-status-0-17", 0, 17}, {"hcomm-status-1000-18-a1b2", 1000, 18}}
	if got := doorsIn(table); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
