package ring

import "math/bits"

// fewNodes is how many nodes a ring has at most for the best one to be looked for among all.
const fewNodes = 12

// cheapest is the cheapest ring, of 3 to fewNodes nodes, with what hop lets each cost: dynamic programming over sets of nodes
// (Held, Karp: A dynamic programming approach to sequencing problems, 1962).
func cheapest(n int, hop func(a, b int32) int64) (order []int32, total int64) {
	last := n - 1 // the ring begins and ends here
	cost := make([]int64, (1<<last)*last)
	from := make([]int8, len(cost))
	for set := 1; set < 1<<last; set++ {
		for end := range last {
			if set>>end&1 == 0 {
				continue
			}
			at, rest := set*last+end, set&^(1<<end)
			if rest == 0 {
				cost[at] = hop(int32(last), int32(end))
				continue
			}
			cost[at] = none
			for left := rest; left != 0; left &= left - 1 {
				before := bits.TrailingZeros(uint(left))
				if d := cost[rest*last+before] + hop(int32(before), int32(end)); d < cost[at] {
					cost[at], from[at] = d, int8(before)
				}
			}
		}
	}
	set, end := 1<<last-1, 0
	total = none
	for e := range last {
		if d := cost[set*last+e] + hop(int32(e), int32(last)); d < total {
			total, end = d, e
		}
	}
	order = append(order, int32(last))
	for set != 0 {
		order = append(order, int32(end))
		set, end = set&^(1<<end), int(from[set*last+end])
	}
	return order, total
}
