package meet

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// child is what a child process of a test does: its name and arguments are in MEET_TEST_CHILD. It says one line and then waits for
// its standard input to close.
func child(what string) int {
	f := strings.Fields(what)
	rank, _ := strconv.Atoi(f[1])
	size, _ := strconv.Atoi(f[2])
	job := Job{Rank: rank, Size: size, At: Point{Socket: f[3]}}
	switch f[0] {
	case "join":
		limit, _ := time.ParseDuration(f[4])
		s, err := Join(job, limit, nil)
		if err != nil {
			fmt.Println(err)
			return 0
		}
		defer s.Close()
		fmt.Println("joined")
	case "crowd":
		fmt.Println(crowd(job))
	}
	io.Copy(io.Discard, os.Stdin)
	return 0
}

// spawned is a child process.
type spawned struct {
	cmd *exec.Cmd
	in  io.Closer
	out *bufio.Reader
}

// spawn starts a child, as another user if uid is not -1.
func spawn(t *testing.T, uid int, what string) *spawned {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	if uid >= 0 {
		if os.Geteuid() != 0 {
			t.Skip("only root can start a process of another user")
		}
		cmd.Path = publicCopy(t, exe)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	}
	cmd.Env = []string{"MEET_TEST_CHILD=" + what}
	cmd.Dir = "/"
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &spawned{cmd, in, bufio.NewReader(out)}
	t.Cleanup(c.end)
	return c
}

// publicCopy is the test program where other users may run it.
func publicCopy(t *testing.T, exe string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "meet-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	b, err := os.ReadFile(exe)
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "meet.test")
	if err := errors.Join(os.Chmod(dir, 0o755), os.WriteFile(to, b, 0o755), os.Chmod(to, 0o755)); err != nil {
		t.Fatal(err)
	}
	return to
}

// says reads the child's line.
func (c *spawned) says(t *testing.T) string {
	t.Helper()
	line, err := c.out.ReadString('\n')
	if err != nil {
		t.Fatalf("the child says %q, %v", line, err)
	}
	return strings.TrimSuffix(line, "\n")
}

func (c *spawned) end() {
	c.in.Close()
	c.cmd.Process.Kill()
	c.cmd.Wait()
}

// Ranks in processes of their own; one is killed in an exchange.
func TestProcesses(t *testing.T) {
	at := socketPoint(t)
	at.Secret = nil
	r := ranks(at, 3)[0]
	zero := r.start()
	var pids []int
	var children []*spawned
	for i := 1; i < 3; i++ {
		c := spawn(t, -1, fmt.Sprintf("join %d 3 %s 20s", i, at.Socket))
		children, pids = append(children, c), append(pids, c.cmd.Process.Pid)
	}
	j := <-zero
	if j.err != nil {
		t.Fatal(j.err)
	}
	defer j.s.Close()
	for _, c := range children {
		if line := c.says(t); line != "joined" {
			t.Fatal(line)
		}
	}
	if m := j.s.members[2]; m.pid != pids[1] {
		t.Errorf("rank 2 has pid %d, its process %d", m.pid, pids[1])
	}
	children[1].cmd.Process.Kill()
	_, err := j.s.Exchange(nil, nil)
	wantError(t, err, ErrGone, fmt.Sprintf("rank 2 (pid %d) died or was cut off before exchange 1 was complete", pids[1]))
}

const nobodyUID = 65534

// A rank of another user is refused, whatever it knows, and does not stop the job.
func TestOtherUser(t *testing.T) {
	at := socketPoint(t)
	at.Secret = nil
	rs := ranks(at, 2)
	zero := rs[0].startOpen()
	c := spawn(t, nobodyUID, "join 1 2 "+at.Socket+" 100ms")
	want := fmt.Sprintf("the meeting point is held by pid %d of uid 0, which is not rank 0 of this job or does not take us for a rank of it: all ranks must run as one user, this one is uid %d", os.Getpid(), nobodyUID)
	if line := c.says(t); !strings.Contains(line, want) {
		t.Errorf("the child says %q, not %q", line, want)
	}
	// To go by the client's own check is not enough: a hostile one leaves it out. Here it is a thread of ours with another uid.
	refusedThread(t, at.Socket)
	one := <-rs[1].start()
	if one.err != nil {
		t.Fatal(one.err)
	}
	one.s.Close()
	(<-zero).s.Close()
}

// refusedThread connects as another user and must be hung up on without a word.
func refusedThread(t *testing.T, name string) {
	t.Helper()
	connected := make(chan int)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		if _, _, e := unix.RawSyscall(unix.SYS_SETRESUID, ^uintptr(0), nobodyUID, ^uintptr(0)); e != 0 {
			t.Errorf("setresuid: %v", e)
		}
		connected <- knock(t, name)
	}()
	fd := <-connected
	defer unix.Close(fd)
	if b, err := read(t, fd); err != io.EOF {
		t.Errorf("another user reads %q, %v", b, err)
	}
}

// The meeting point is taken by another user before rank 0 comes.
func TestPointOfOtherUser(t *testing.T) {
	at := socketPoint(t)
	c := spawn(t, nobodyUID, "join 0 2 "+at.Socket+" 20s")
	for { // until the child listens
		fd, err := newSocket(unix.AF_UNIX, unix.SOCK_SEQPACKET)
		if err != nil {
			t.Fatal(err)
		}
		err = unix.Connect(fd, unixAddress(at.Socket))
		unix.Close(fd)
		if err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	_, err := Join(ranks(at, 2)[0].job, long, nil)
	wantError(t, err, ErrRefused, fmt.Sprintf("the meeting point %s is held by pid %d of uid %d, which is not rank 0 of this job: all ranks must run as one user", at, c.cmd.Process.Pid, nobodyUID))
}

// The kernel limits the descriptors under way between the processes of a user who is not root: cards wait until there is room.
func TestCrowd(t *testing.T) {
	c := spawn(t, nobodyUID, "crowd 0 2 "+socketPoint(t).Socket)
	if line := c.says(t); line != "ok" {
		t.Error(line)
	}
}

// crowd fills the kernel's limit, tries an exchange, and lets it go on after a while.
func crowd(job Job) string {
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 300, Max: 300}); err != nil {
		return err.Error()
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
	if err != nil {
		return err.Error()
	}
	for full := 0; ; full++ {
		if err := send(pair[0], []byte{1}, make([]int, 250)); err == unix.ETOOMANYREFS {
			break
		} else if err != nil || full > 10 {
			return fmt.Sprintf("after %d: %v", full, err)
		}
	}
	var cs []<-chan joined
	for r := range 2 {
		job.Rank = r
		cs = append(cs, rank{job, long, nil}.start())
	}
	var ss []*Session
	for _, c := range cs {
		j := <-c
		if j.err != nil {
			return j.err.Error()
		}
		ss = append(ss, j.s)
	}
	calls := 0
	ss[1].stop = func() error {
		if calls++; calls == 3 { // it waits: let it go on
			unix.Close(pair[1])
			unix.Close(pair[0])
		}
		return nil
	}
	for _, err := range exchangeAll(ss, func(_ int, s *Session) error {
		cards, err := s.Exchange(nil, []int{0})
		if err == nil && (len(cards) != 2 || len(cards[1].FDs) != 1) {
			err = fmt.Errorf("cards %v", cards)
		}
		return err
	}) {
		if err != nil {
			return err.Error()
		}
	}
	if calls < 3 {
		return "the exchange did not wait"
	}
	return "ok"
}
