package meet

import (
	"strings"
	"testing"
	"time"
)

func TestRoster(t *testing.T) {
	r := newRoster(3, 100)
	h := func(rank, size int) hello { return hello{version: protocolVersion, rank: rank, size: size} }
	wantError(t, r.admit(h(0, 3), 7), ErrDisagree, "two processes say that they are rank 0 (pid 100 and pid 7)")
	wantError(t, r.admit(h(0, 1), 7), ErrDisagree, "rank 0 says that the job has 1 rank, rank 0 says 3")
	wantError(t, r.admit(h(3, 4), 7), ErrDisagree, "rank 3 says that the job has 4 ranks, rank 0 says 3")
	if err := r.admit(h(2, 3), 0); err != nil || r.complete() {
		t.Fatal(err)
	}
	wantError(t, r.admit(h(2, 3), 7), ErrDisagree, "two processes say that they are rank 2 (pid unknown: another pid namespace and pid 7)")
	wantError(t, r.late(2*time.Minute), ErrTimeout, "2 of 3 ranks came within 2m0s (HCOMM_INIT_TIMEOUT); missing: rank 1")
	r.refused = 3
	wantError(t, r.late(2*time.Minute), ErrTimeout, "own?; 3 attempts by strangers refused")
	if err := r.admit(h(1, 3), 8); err != nil || !r.complete() {
		t.Fatal(err)
	}
}

func TestMissing(t *testing.T) {
	for here, want := range map[string]string{
		"x.xxx...":               "1, 5-7",
		"x.":                     "1",
		"x":                      "",
		"x..x":                   "1-2",
		strings.Repeat("x.", 20): "1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31 and 4 more ranges",
	} {
		var b []bool
		for _, c := range here {
			b = append(b, c == 'x')
		}
		if got := missing(b); got != want {
			t.Errorf("%s: %q, want %q", here, got, want)
		}
	}
}
