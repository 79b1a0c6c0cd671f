package engine

import (
	"encoding/binary"
	"errors"
	"testing"
)

func TestQuota(t *testing.T) {
	for name, x := range map[string]struct {
		files map[string]string
		want  uint32
	}{
		"none":              {nil, 0},
		"v2, no limit":      {map[string]string{"/sys/fs/cgroup/cpu.max": "max 100000\n"}, 0},
		"v2, root":          {map[string]string{"/sys/fs/cgroup/cpu.max": "150000 100000\n"}, 150},
		"v2, own group":     {map[string]string{"/proc/self/cgroup": "0::/job/7\n", "/sys/fs/cgroup/job/7/cpu.max": "200000 100000\n"}, 200},
		"v1":                {map[string]string{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 50},
		"v1, no limit":      {map[string]string{"/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, 0},
		"less than one per": {map[string]string{"/sys/fs/cgroup/cpu.max": "1 1000000\n"}, 1},
		"nonsense":          {map[string]string{"/sys/fs/cgroup/cpu.max": "a b c\n"}, 0},
	} {
		got := quota(func(path string) ([]byte, error) {
			if text, ok := x.files[path]; ok {
				return []byte(text), nil
			}
			return nil, errors.New("no such file")
		})
		if got != x.want {
			t.Errorf("%s: %d hundredths, want %d", name, got, x.want)
		}
	}
}

func TestProcessors(t *testing.T) {
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
		if got := processors(x.ranks); got != x.want {
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
