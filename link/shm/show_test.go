package shm

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What a peer reads is one of the lines that were shown, never parts of two.
func TestShow(t *testing.T) {
	p := ports(t, NewLayout(2, 1, page, 2), false)
	if got := p[1].Shown(0); got != "" {
		t.Errorf("at first %q is shown", got)
	}
	long := strings.Repeat("x", maxShown)
	for text, want := range map[string]string{"a\x1bb": "a?b", long + "y": long, "waits": "waits"} {
		if p[0].Show(text); p[1].Shown(0) != want || p[1].Shown(1) != "" {
			t.Errorf("%.20q is shown as %q, and by the other %q", text, p[1].Shown(0), p[1].Shown(1))
		}
	}
	p[0].Show("")
	lines := []string{"", "short", strings.Repeat("a", 100), strings.Repeat("b", 200), "waits"}
	var wg sync.WaitGroup
	var stop atomic.Bool
	wg.Go(func() {
		for i := 0; !stop.Load(); i++ {
			p[0].Show(lines[i%len(lines)])
		}
		p[0].Show("")
	})
	seen := map[string]bool{}
	last, changes := "", 0
	for start := time.Now(); changes < 5000 && time.Since(start) < time.Second; {
		if now := p[1].Shown(0); now != last {
			last, changes = now, changes+1
			seen[now] = true
		}
	}
	stop.Store(true)
	wg.Wait()
	for _, line := range lines {
		delete(seen, line)
	}
	if len(seen) > 0 {
		t.Errorf("never shown, but seen: %v", seen)
	}
	if got := p[1].Shown(0); got != "" {
		t.Errorf("at last %q is shown", got)
	}
}

// A peer that stops while it writes shows nothing, and one that writes nonsense no more than there is.
func TestShownByAnEnemy(t *testing.T) {
	p := ports(t, NewLayout(2, 1, page, 2), false)
	p[0].Show("text")
	p[0].own.shown.length = 1 << 60
	if got := p[1].Shown(0); !strings.HasPrefix(got, "text?") || len(got) > maxShown {
		t.Errorf("%q", got)
	}
	p[0].own.shown.version++
	if got := p[1].Shown(0); got != "" {
		t.Errorf("%q while it is written", got)
	}
}
