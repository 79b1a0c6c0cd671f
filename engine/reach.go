package engine

import (
	"crypto/rand"
	"fmt"
	"strings"
	"sync"

	"hcomm/link/shm"
	"hcomm/settings"
)

// reach is what of each other's memory all ranks can read.
type reach struct {
	windows   bool   // all arenas
	noRemotes string // why not all ordinary memory; "": all of it
}

// What one rank says of it, in front of why it cannot read a memory.
const allWindows, noWindows = "\x00", "\x01"

func (r reach) word() string {
	if r.windows {
		return allWindows + r.noRemotes
	}
	return noWindows + r.noRemotes
}

// limit takes away what a rank has said that it cannot reach; false if it has said something else.
func (r *reach) limit(word string) bool {
	why, all := strings.CutPrefix(word, allWindows)
	if !all {
		var ok bool
		if why, ok = strings.CutPrefix(word, noWindows); !ok {
			return false
		}
		r.windows = false
	}
	if r.noRemotes == "" {
		r.noRemotes = why
	}
	return true
}

// memory is where in a process its peers can try whether they can read its memory, and what they must find.
type memory struct {
	At    uint64
	Nonce shm.Nonce
}

// nonce is this process's, which stays where it is.
var nonce = sync.OnceValue(func() *shm.Nonce {
	n := new(shm.Nonce)
	if _, err := rand.Read(n[:]); err != nil {
		panic(err)
	}
	return n
})

func ownMemory() memory { return memory{nonce().Address(), *nonce()} }

// refused is why this process cannot, or must not, read the memory of another; "" if it can.
func (m *memory) refused(v settings.Values, process int) string {
	if !v.CMA {
		return "HCOMM_CMA is off"
	}
	if err := shm.CanFetch(process, m.At, &m.Nonce); err != nil {
		return err.Error()
	}
	return ""
}

// tryMemories tries whether this rank can read the memory of all others, and says why not.
func (a *arrival) tryMemories() string {
	for q := range a.peers {
		if q == a.rank {
			continue
		}
		p := &a.peers[q]
		if p.Process = shm.ProcessOf(p.PIDFD); p.Process == 0 {
			p.Process = int(a.cards[q].PID) // right where both see the same numbers, and tried below
		}
		if why := a.cards[q].Memory.refused(a.values, p.Process); !a.values.CMA {
			return why
		} else if why != "" {
			return fmt.Sprintf("rank %d cannot read the memory of rank %d: %s", a.rank, q, why)
		}
	}
	return ""
}

// newLayout is that of a communicator's segments.
func newLayout(v settings.Values, size int, crowded bool) shm.Layout {
	l := shm.NewLayout(size, channels, v.SlotBytes, v.Slots)
	switch {
	case crowded && size >= manyRanks:
		l = l.WithLarge(largeBytes * 3 / 4)
	case crowded:
		l = l.WithLarge(largeBytes)
	}
	return l
}

// largeBytes is what a large slice has; see cuts. Among many ranks it is less, so that the library adds no more than 16 MiB
// to the resident memory of each of 8: each has touched all its peers' pools in the end.
const largeBytes = 256 << 10
