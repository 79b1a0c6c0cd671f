package processors

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Unlimited is the quota of a control group that has none.
var Unlimited = math.Inf(1)

// Quota gives how many CPUs' time this process's control groups may use; what cannot be read sets no limit. root is the
// file system's root.
func Quota(root fs.FS) float64 {
	groups, err := fs.ReadFile(root, "proc/self/cgroup")
	if err != nil {
		return Unlimited
	}
	quota := Unlimited
	for line := range strings.Lines(string(groups)) {
		// hierarchy:controllers:path; hierarchy 0 with no controllers is version 2.
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(part) < 3:
		case part[0] == "0" && part[1] == "":
			quota = min(quota, lowest(root, "sys/fs/cgroup", part[2], quotaV2), lowest(root, "sys/fs/cgroup/unified", part[2], quotaV2))
		case hasController(part[1], "cpu"):
			quota = min(quota, lowest(root, "sys/fs/cgroup/cpu", part[2], quotaV1))
		}
	}
	return quota
}

func hasController(list, name string) bool {
	for c := range strings.SplitSeq(list, ",") {
		if c == name {
			return true
		}
	}
	return false
}

// lowest gives the smallest quota from group up to the mount point: each of them limits the process. In a container
// the path may be the host's, of which only the mount point is to be seen.
func lowest(root fs.FS, mount, group string, read func(fs.FS, string) float64) float64 {
	quota := Unlimited
	for g := path.Clean("/" + group); ; g = path.Dir(g) {
		quota = min(quota, read(root, path.Join(mount, g)))
		if g == "/" {
			return quota
		}
	}
}

// quotaV2 reads "200000 100000" or "max 100000": microseconds per period of microseconds.
func quotaV2(root fs.FS, dir string) float64 {
	text, _ := fs.ReadFile(root, path.Join(dir, "cpu.max"))
	part := strings.Fields(string(text))
	if len(part) != 2 {
		return Unlimited
	}
	return share(part[0], part[1])
}

func quotaV1(root fs.FS, dir string) float64 {
	quota, _ := fs.ReadFile(root, path.Join(dir, "cpu.cfs_quota_us"))
	period, _ := fs.ReadFile(root, path.Join(dir, "cpu.cfs_period_us"))
	return share(string(quota), string(period))
}

func share(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(strings.TrimSpace(quota), 64)
	p, err2 := strconv.ParseFloat(strings.TrimSpace(period), 64)
	if err1 != nil || err2 != nil || q <= 0 || p <= 0 {
		return Unlimited
	}
	return q / p
}
