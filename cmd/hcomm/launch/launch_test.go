package launch

import (
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hcomm/processors"
)

func TestPlace(t *testing.T) {
	for _, c := range []struct {
		how   Binding
		ranks int
		quota float64
		want  []int
		err   string
	}{
		{BindAuto, 1, processors.Unlimited, []int{2}, ""},
		{BindAuto, 3, processors.Unlimited, []int{2, 3, 7}, ""},
		{BindAuto, 4, processors.Unlimited, nil, ""},
		{BindAuto, 2, 1.5, nil, ""},
		{BindAuto, 2, 2, []int{2, 3}, ""},
		{BindCore, 3, processors.Unlimited, []int{2, 3, 7}, ""},
		{BindCore, 4, processors.Unlimited, nil, "each of the 4 ranks, and this process may use 3"},
		{BindCore, 2, 1.5, nil, "each of the 2 ranks, and this process's control group may use the time of 1.5"},
	} {
		got, err := place(c.how, c.ranks, []int{2, 3, 7}, c.quota)
		if !slices.Equal(got, c.want) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%v: got %v, %v", c, got, err)
		}
	}
}

func TestDestination(t *testing.T) {
	type piece struct {
		rank int
		text string
	}
	for _, c := range []struct {
		name   string
		pieces []piece
		plain  string
		tagged string
	}{
		{"whole lines", []piece{{0, "a\nb\n"}, {1, "c\n"}}, "a\nb\nc\n", "[0] a\n[0] b\n[1] c\n"},
		{"an unfinished line goes on", []piece{{0, "a"}, {0, "b\nc"}}, "ab\nc", "[0] ab\n[0] c"},
		{"an unfinished line is left", []piece{{0, "a"}, {1, "b\n"}, {0, "c\n"}}, "a\nb\nc\n", "[0] a\n[1] b\n[0] c\n"},
		{"the launcher speaks", []piece{{0, "a"}, {launcher, "b\n"}, {0, "c"}}, "a\nb\nc", "[0] a\nb\n[0] c"},
		{"a progress bar", []piece{{0, "1%\r"}, {0, "2%\r"}, {1, "b\n"}, {0, "3%\r\n"}}, "1%\r2%\r\nb\n3%\r\n", "[0] 1%\r[0] 2%\r\n[1] b\n[0] 3%\r\n"},
		{"nothing", []piece{{0, ""}}, "", ""},
	} {
		for _, tag := range []bool{false, true} {
			r, w, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			d := newDestination(w)
			for _, p := range c.pieces {
				if err := d.write(p.rank, []byte(p.text), tag); err != nil {
					t.Fatal(err)
				}
			}
			w.Close()
			got, _ := io.ReadAll(r)
			r.Close()
			if want := map[bool]string{false: c.plain, true: c.tagged}[tag]; string(got) != want {
				t.Errorf("%s, tag %v: got %q, want %q", c.name, tag, got, want)
			}
		}
	}
}

// resources counts what a job could leave in this process.
func resources(t *testing.T) (goroutines, files int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return runtime.NumGoroutine(), len(entries)
}

func TestNothingIsLeft(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	run := func(text string, want int) {
		t.Helper()
		j := Job{Name: "test", Args: []string{"sh", "-c", text}, Ranks: 3, Grace: 10 * time.Millisecond, Timeout: time.Minute, Stdin: null, Stdout: null, Stderr: null}
		if got := j.Run(); got != want {
			t.Errorf("%s: status %d, want %d", text, got, want)
		}
		if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
			t.Errorf("%s: a child is left: %d, %v", text, pid, err)
		}
	}
	run("echo", 0) // what is started once stays: signal.Notify's goroutine, the poller's descriptors
	goroutines, files := resources(t)
	for range 3 {
		run("echo hello; echo world >&2", 0)
		run(`[ $HCOMM_RANK != 1 ] || exit 5; sleep 1000`, 5)
		run(`sleep 0.05 & exit 0`, 0)
	}
	deadline := time.Now().Add(5 * time.Second) // a goroutine that has said that it is over is still seen for a moment
	for {
		g, f := resources(t)
		if g <= goroutines && f <= files {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, %d before; %d files, %d before", g, goroutines, f, files)
		}
		runtime.Gosched()
	}
}
