package meet

import (
	"fmt"
	"strings"
	"time"
)

// roster is what rank 0 knows about who has come. It is pure: the clock and the sockets are the caller's.
type roster struct {
	size    int
	pids    []int // by rank
	here    []bool
	came    int
	refused int
}

func newRoster(size, rootPID int) *roster {
	r := &roster{size: size, pids: make([]int, size), here: make([]bool, size), came: 1}
	r.pids[0], r.here[0] = rootPID, true
	return r
}

// admit takes in a rank that has proven that it belongs, or says what it and rank 0 disagree about.
func (r *roster) admit(h hello, pid int) error {
	switch {
	case h.version != protocolVersion:
		return failf(ErrDisagree, "rank %d (%s) speaks version %d of the meeting protocol, rank 0 version %d: all ranks must load the same libhcomm",
			h.rank, pidText(pid), h.version, protocolVersion)
	case h.size != r.size:
		return failf(ErrDisagree, "rank %d says that the job has %s, rank 0 says %d", h.rank, counted(h.size, "rank"), r.size)
	case r.here[h.rank]:
		return failf(ErrDisagree, "two processes say that they are rank %d (%s and %s)", h.rank, pidText(r.pids[h.rank]), pidText(pid))
	}
	r.here[h.rank], r.pids[h.rank] = true, pid
	r.came++
	return nil
}

func (r *roster) complete() bool { return r.came == r.size }

// late is the error when the time is over; limit is the whole time.
func (r *roster) late(limit time.Duration) error {
	strangers := ""
	if r.refused > 0 {
		strangers = fmt.Sprintf("; %s by strangers refused (is HCOMM_SECRET the same for all ranks?)", counted(r.refused, "attempt"))
	}
	return failf(ErrTimeout, "%d of %s came within %v (HCOMM_INIT_TIMEOUT); missing: rank %s: started at all, or ended by an error of its own?%s",
		r.came, counted(r.size, "rank"), limit, missing(r.here), strangers)
}

// missing lists the ranks that are not here as ranges, no more than fit into a line.
func missing(here []bool) string {
	const most = 16
	var parts []string
	ranges := 0
	for i := 0; i < len(here); i++ {
		if here[i] {
			continue
		}
		first := i
		for i+1 < len(here) && !here[i+1] {
			i++
		}
		if ranges++; ranges > most {
			continue
		}
		if i == first {
			parts = append(parts, fmt.Sprint(first))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", first, i))
		}
	}
	text := strings.Join(parts, ", ")
	if ranges > most {
		text += fmt.Sprintf(" and %d more ranges", ranges-most)
	}
	return text
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// pidText names a process; 0 is one of a pid namespace that we cannot see.
func pidText(pid int) string {
	if pid == 0 {
		return "pid unknown: another pid namespace"
	}
	return fmt.Sprintf("pid %d", pid)
}
