package engine

import (
	"encoding/binary"
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

// FuzzCard gives a rank cards that no honest peer sends: what is accepted can be used.
func FuzzCard(f *testing.F) {
	good, _ := binary.Append(nil, binary.LittleEndian, &card{Protocol: protocol, SlotBytes: 32768, Slots: 4})
	f.Add(good)
	f.Add(good[:len(good)-1])
	f.Add(append(good, 0))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		k, err := decodeCard(b)
		if err != nil {
			return
		}
		if k.SlotBytes > 1<<20 || k.SlotBytes < 4096 || k.Slots == 0 || k.Slots > 64 || len(b) != len(good) {
			t.Errorf("accepted: %+v", k)
		}
		k.host()
	})
}
