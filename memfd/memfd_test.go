package memfd

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestSizeIsFixed(t *testing.T) {
	fd, err := Create("test", 12345)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if n, err := Size(fd); n != 12345 || err != nil {
		t.Errorf("Size gives %d, %v", n, err)
	}
	for _, n := range []int64{0, 12344, 12346} {
		if unix.Ftruncate(fd, n) == nil {
			t.Errorf("the size could be changed to %d", n)
		}
	}
	if flags, _ := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); flags&unix.FD_CLOEXEC == 0 {
		t.Error("a program that is executed inherits the descriptor")
	}
}

func TestSizeOfWhatIsNoMemfd(t *testing.T) {
	f, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := Size(int(f.Fd())); err == nil {
		t.Error("a file is taken for sealed memory")
	}
	if _, err := Size(-1); err == nil {
		t.Error("no descriptor is taken for sealed memory")
	}
}

// TestLimit runs in a process that may not have files of any size: it gets an error, and is not killed by SIGXFSZ.
func TestLimit(t *testing.T) {
	if os.Getenv("MEMFD_TEST_CHILD") == "" {
		c := exec.Command("sh", "-c", "ulimit -f 0; exec \"$0\" -test.run=^TestLimit$", os.Args[0])
		c.Env = append(os.Environ(), "MEMFD_TEST_CHILD=1")
		if out, err := c.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if _, err := Create("test", 4096); err == nil || !strings.Contains(err.Error(), "ulimit -f") {
		t.Errorf("error %v", err)
	}
}
