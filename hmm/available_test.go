package hmm

import (
	"math"
	"testing"
)

func TestAvailable(t *testing.T) {
	const meminfo = "MemTotal: 100 kB\nMemFree: 5 kB\nMemAvailable:   80 kB\n"
	for name, x := range map[string]struct {
		files map[string]string
		want  uint64
	}{
		"nothing known": {nil, math.MaxUint64},
		"no group":      {map[string]string{"/proc/meminfo": meminfo}, 80 << 10},
		"version 2": {map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "0::/a/b\n",
			"/sys/fs/cgroup/a/b/memory.max": "max\n", "/sys/fs/cgroup/a/b/memory.current": "5\n",
			"/sys/fs/cgroup/a/memory.max": "1000\n", "/sys/fs/cgroup/a/memory.current": "400\n"}, 600},
		"over the limit": {map[string]string{"/proc/self/cgroup": "0::/a\n",
			"/sys/fs/cgroup/a/memory.max": "1000\n", "/sys/fs/cgroup/a/memory.current": "1400\n"}, 0},
		"version 1": {map[string]string{"/proc/meminfo": meminfo, "/proc/self/cgroup": "4:memory:/j\n0::/\n",
			"/sys/fs/cgroup/memory/j/memory.limit_in_bytes": "900\n", "/sys/fs/cgroup/memory/j/memory.usage_in_bytes": "100\n"}, 800},
	} {
		if got := availableFrom(func(name string) string { return x.files[name] }); got != x.want {
			t.Errorf("%s: %d, want %d", name, got, x.want)
		}
	}
	if n := available(); n < 1<<20 || n == math.MaxUint64 {
		t.Errorf("on this machine %d bytes are free", n)
	}
}

func TestMoreThanThereIs(t *testing.T) {
	if p, err := Alloc(available() + 1<<30); err == nil {
		Free(p)
		t.Error("more memory was given than there is")
	}
}
