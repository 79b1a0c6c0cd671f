package meet

import (
	"slices"
	"sync"
)

// Attendance lets other goroutines see who has come to a job while [Join] waits. The zero value is ready.
type Attendance struct {
	mu      sync.Mutex
	missing []int
	met     bool
}

// Missing are the ranks that have not come, as far as this rank knows: rank 0 knows all, the others only whether rank 0
// has let them in. met says that all ranks are there.
func (a *Attendance) Missing() (ranks []int, met bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.missing), a.met
}

// lacks says who has not come; a may be nil.
func (a *Attendance) lacks(ranks ...int) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.missing = ranks
}

// complete says that all have come.
func (a *Attendance) complete() {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.missing, a.met = nil, true
}

// absent are the ranks that have not come.
func (r *roster) absent() (ranks []int) {
	for rank, here := range r.here {
		if !here {
			ranks = append(ranks, rank)
		}
	}
	return ranks
}
