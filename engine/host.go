package engine

import (
	"math/bits"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const maxCPUs = 1024

// host is what a rank knows of the processors that it may use.
type host struct {
	name  string
	quota uint32 // of its control group, in hundredths of a processor; 0 when there is none
	cpus  [maxCPUs / 8]byte
}

func thisHost() host {
	h := host{name: hostName(), quota: quota(os.ReadFile)}
	var set unix.CPUSet
	if unix.SchedGetaffinity(0, &set) == nil {
		for i := range maxCPUs {
			if set.IsSet(i) {
				h.cpus[i/8] |= 1 << (i % 8)
			}
		}
	}
	return h
}

func (k *card) host() host {
	name, _, _ := strings.Cut(string(k.Host[:]), "\x00")
	return host{name: strings.ToValidUTF8(name, "?"), quota: k.Quota, cpus: k.CPUs}
}

// processors is how many the ranks of one host may use together: the union of their affinity masks, and no more than the
// smallest quota. Ranks that a launcher has bound to a processor each thus have one each.
func processors(ranks []host) int {
	var all [maxCPUs / 8]byte
	n, limit := 0, maxCPUs
	for _, h := range ranks {
		for i, b := range h.cpus {
			all[i] |= b
		}
		if h.quota > 0 {
			limit = min(limit, int(h.quota/100))
		}
	}
	for _, b := range all {
		n += bits.OnesCount8(b)
	}
	return min(n, limit)
}

// quota reads the limit of the process's control group, version 2 or 1, in hundredths of a processor.
func quota(read func(string) ([]byte, error)) uint32 {
	line := func(path string) string {
		b, _ := read(path)
		return strings.TrimSpace(string(b))
	}
	most, period, _ := strings.Cut(line("/sys/fs/cgroup/cpu.max"), " ")
	if path, ok := strings.CutPrefix(line("/proc/self/cgroup"), "0::"); ok && path != "/" {
		if text := line("/sys/fs/cgroup" + path + "/cpu.max"); text != "" {
			most, period, _ = strings.Cut(text, " ")
		}
	}
	if most == "" {
		most, period = line("/sys/fs/cgroup/cpu/cpu.cfs_quota_us"), line("/sys/fs/cgroup/cpu/cpu.cfs_period_us")
	}
	q, err := strconv.ParseUint(most, 10, 32)
	p, err2 := strconv.ParseUint(period, 10, 32)
	if err != nil || err2 != nil || p == 0 {
		return 0 // "max", or -1, or no control group
	}
	return max(1, uint32(q*100/p))
}
