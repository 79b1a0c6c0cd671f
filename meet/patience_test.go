package meet

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The wait ends by the earliest end, and a margin before the other rank's.
func TestShorten(t *testing.T) {
	p := newPatience(time.Hour, nil)
	p.shorten(wait{time.Minute, 2 * time.Hour})
	if p.limit != time.Hour {
		t.Errorf("a more patient rank made it %v", p.limit)
	}
	p.shorten(wait{time.Minute, 10 * time.Second})
	if left := time.Until(p.deadline); p.limit != time.Minute || left > 9900*time.Millisecond {
		t.Errorf("limit %v, left %v", p.limit, left)
	}
	p.shorten(wait{time.Second, 0})
	if !p.over() || p.total != time.Hour {
		t.Errorf("%+v", p)
	}
}

func TestExplain(t *testing.T) {
	for err, want := range map[error]string{
		unix.EMFILE:       "raise `ulimit -n`",
		errCut:            "descriptors were cut off; this process may have ",
		unix.ETOOMANYREFS: "than `ulimit -n` allows: raise it",
		unix.EACCES:       "permission denied",
	} {
		if got := explain(err); !strings.Contains(got, want) {
			t.Errorf("%v: %q", err, got)
		}
	}
}
