package processors

import (
	"testing"
	"testing/fstest"
)

func TestQuota(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  float64
	}{
		{"nothing known", nil, Unlimited},
		{"no limit", map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/cpu.max": "max 100000\n"}, Unlimited},
		{"version 2", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/b/cpu.max": "150000 100000\n"}, 1.5},
		{"an outer group", map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/cpu.max": "50000 100000\n",
			"sys/fs/cgroup/a/b/cpu.max": "max 100000\n"}, 0.5},
		{"in a container", map[string]string{"proc/self/cgroup": "0::/../x\n", "sys/fs/cgroup/cpu.max": "200000 100000\n"}, 2},
		{"version 1", map[string]string{"proc/self/cgroup": "4:cpu,cpuacct:/j\n3:cpuset:/\n0::/\n",
			"sys/fs/cgroup/cpu/j/cpu.cfs_quota_us": "300000\n", "sys/fs/cgroup/cpu/j/cpu.cfs_period_us": "100000\n"}, 3},
		{"version 1, no limit", map[string]string{"proc/self/cgroup": "4:cpu:/\n",
			"sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n", "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n"}, Unlimited},
		{"nonsense", map[string]string{"proc/self/cgroup": "0\n:\n0::\n", "sys/fs/cgroup/cpu.max": "1 0\n"}, Unlimited},
	} {
		root := fstest.MapFS{}
		for name, text := range c.files {
			root[name] = &fstest.MapFile{Data: []byte(text)}
		}
		if got := Quota(root); got != c.want {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
}
