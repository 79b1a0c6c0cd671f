package engine

import (
	"math/bits"
	"os"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"hcomm/processors"
)

const maxCPUs = 1024

// host is what a rank knows of the processors that it may use.
type host struct {
	name  string
	quota uint32 // of its control group, in hundredths of a processor; 0 when there is none
	cpus  [maxCPUs / 8]byte
}

// ownQuota reads it once: that takes 0.2 ms.
var ownQuota = sync.OnceValue(func() uint32 { return hundredths(processors.Quota(os.DirFS("/"))) })

func thisHost() host {
	h := host{name: hostName(), quota: ownQuota()}
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

// usable is how many processors the ranks of one host may use together: the union of their affinity masks, and no more than the
// smallest quota. Ranks that a launcher has bound to a processor each thus have one each.
func usable(ranks []host) int {
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

// hundredths is a quota as a card carries it.
func hundredths(quota float64) uint32 {
	if quota > maxCPUs {
		return 0
	}
	return uint32(max(1, 100*quota))
}
