package engine

import (
	"testing"
)

func TestUsableProcessors(t *testing.T) {
	on := func(quota uint32, cpus ...int) (h host) {
		h.quota = quota
		for _, c := range cpus {
			h.cpus[c/8] |= 1 << (c % 8)
		}
		return h
	}
	for name, x := range map[string]struct {
		ranks []host
		want  int
	}{
		"bound to one each":     {[]host{on(0, 0), on(0, 1), on(0, 900)}, 3},
		"bound to the same":     {[]host{on(0, 5), on(0, 5)}, 1},
		"free on four":          {[]host{on(0, 0, 1, 2, 3), on(0, 0, 1, 2, 3)}, 4},
		"a quota":               {[]host{on(250, 0, 1, 2, 3), on(0, 0, 1, 2, 3)}, 2},
		"less than one's worth": {[]host{on(50, 0, 1)}, 0},
	} {
		if got := usable(x.ranks); got != x.want {
			t.Errorf("%s: %d processors, want %d", name, got, x.want)
		}
	}
}
