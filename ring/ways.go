package ring

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// shortest makes the costs those of the cheapest ways, and says what these pass; nil if nothing. It is Floyd's and Warshall's
// algorithm. That two twins are as far from each other as a diagonal says fits in: no way leads over a node's own twins.
//
// No cache holds the matrix of many nodes. So ways over some nodes are looked at together, and on all processors; but for
// each pair they are compared in the order of these nodes, so that the result is the same as with one after the other.
func shortest(cost []int64, k int, report func(fraction float64)) (via []int32) {
	if metric(cost, k) {
		return nil
	}
	via = make([]int32, k*k)
	for i := range via {
		via[i] = -1
	}
	changed, from := false, make([]distances, k)
	for m := 0; m < k; m += together {
		report(float64(m) / float64(k))
		measure(from, cost, m)
		shorter := forRows(k, func(i int) bool { // the matrix is symmetric: the half below the diagonal, and that, are enough
			return relax(cost[i*k:i*k+i+1], via[i*k:i*k+i+1], from, int32(m))
		})
		changed = changed || shorter
	}
	if !changed {
		return nil
	}
	for i := range k {
		for j := range i {
			cost[j*k+i], via[j*k+i] = cost[i*k+j], via[i*k+j]
		}
	}
	return via
}

// together is over how many nodes ways are looked at in one pass: a node's distances to them fill a line of a cache.
const together = 8

// distances is how far it is to some nodes; none if there is no way, or no such node.
type distances [together]int64

// measure finds, for each node, how far it is to those from m on; to each of them by ways over those before it, too.
func measure(from []distances, cost []int64, m int) {
	k := len(from)
	for i := range from {
		for q := range from[i] {
			from[i][q] = none
			if m+q < k {
				from[i][q] = cost[max(i, m+q)*k+min(i, m+q)]
			}
		}
	}
	for q := 1; q < together && m+q < k; q++ {
		to := from[m+q]
		for i := range from {
			d := &from[i]
			for over := range q {
				if way := uint64(d[over]) + uint64(to[over]); way+slack < uint64(d[q]) {
					d[q] = int64(way)
				}
			}
		}
	}
}

// relax lets the ways from the last node of a row go over those from m on, where that is cheaper, and says whether it is.
func relax(row []int64, via []int32, from []distances, m int32) (shorter bool) {
	var to [together]uint64
	for q, d := range from[len(row)-1] {
		to[q] = uint64(d) + slack
	}
	for j, old := range row {
		d, old := &from[j], uint64(old)
		if to[0]+uint64(d[0]) >= old && to[1]+uint64(d[1]) >= old && to[2]+uint64(d[2]) >= old && to[3]+uint64(d[3]) >= old &&
			to[4]+uint64(d[4]) >= old && to[5]+uint64(d[5]) >= old && to[6]+uint64(d[6]) >= old && to[7]+uint64(d[7]) >= old {
			continue
		}
		for q := range d {
			if way := to[q] + uint64(d[q]); way < uint64(row[j]) {
				row[j], via[j], shorter = int64(way-slack), m+int32(q), true
			}
		}
	}
	return shorter
}

// forRows calls f for each row of a matrix, on all processors, and says whether any call did something.
func forRows(n int, f func(i int) bool) bool {
	var did atomic.Bool
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		all.Go(func() {
			for {
				last := int(next.Add(rowsAtOnce))
				if last-rowsAtOnce >= n {
					return
				}
				for i := last - rowsAtOnce; i < min(last, n); i++ {
					if f(i) {
						did.Store(true)
					}
				}
			}
		})
	}
	all.Wait()
	return did.Load()
}

// rowsAtOnce is how many rows a processor takes.
const rowsAtOnce = 16
