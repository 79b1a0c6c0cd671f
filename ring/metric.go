package ring

import (
	"cmp"
	"slices"
	"sort"
)

// slack is by how much a way must be cheaper than a link to be taken: two numbers rounded down may be 1 less than a third one.
const slack = 1

// block is how many nodes are looked at together, while a row of the matrix is in the cache.
const block = 16

// metric says whether no way over another node is cheaper than a link. Of such a way from i over m to j, one half costs less
// than half the link, and may be the one at i: so for each i and m only those j count that are more than twice as far from i.
func metric(cost []int64, k int) bool {
	var around [block]neighbourhood
	for first := 0; first < k; first += block {
		some := around[:min(block, k-first)]
		for i := range some {
			some[i].sort(cost[(first+i)*k:(first+i+1)*k], first+i)
		}
		for m := range k {
			row := cost[m*k : (m+1)*k]
			for i := range some {
				if i+first != m && some[i].shorter(row[i+first], row) {
					return false
				}
			}
		}
	}
	return true
}

// neighbourhood is all other nodes, the nearest first, and what they cost from one.
type neighbourhood struct {
	near []int32
	far  []int64
}

func (h *neighbourhood) sort(row []int64, node int) {
	h.near, h.far = h.near[:0], h.far[:0]
	for j := range row {
		if j != node {
			h.near = append(h.near, int32(j))
		}
	}
	slices.SortFunc(h.near, func(a, b int32) int { return cmp.Compare(row[a], row[b]) })
	for _, j := range h.near {
		h.far = append(h.far, row[j])
	}
}

// shorter says whether a way over another node is, to which it is so far, and from which the others are as a row says.
func (h *neighbourhood) shorter(half int64, row []int64) bool {
	if half == none {
		return false
	}
	from := sort.Search(len(h.far), func(at int) bool { return h.far[at] > 2*half })
	far := h.far[from:]
	for at, j := range h.near[from:] {
		if uint64(half)+uint64(row[j])+slack < uint64(far[at]) {
			return true
		}
	}
	return false
}
