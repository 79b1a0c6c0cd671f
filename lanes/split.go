package lanes

import "math/bits"

// Range is a piece of a block: its first element, and how many there are.
type Range struct{ First, Count uint64 }

// Split cuts a block of count elements of the given size in bytes into one range for each lane, as long as its share says
// and in the lanes' order. As in plan.Part, all but the last end on a cache line, counted from the block's start; where
// there are few lines, some ranges are empty. A block of fewer bytes than whole goes to one lane, that of the largest
// share: two lanes would both take their latency, and hardly any bandwidth.
func Split(shares []uint32, count uint64, size int, whole uint64) []Range {
	ranges := make([]Range, len(shares))
	if hi, bytes := bits.Mul64(count, uint64(size)); hi == 0 && bytes < whole {
		ranges[largest(shares)].Count = count
		return ranges
	}
	line := uint64(64 / size)
	lines := (count + line - 1) / line
	first, sum := uint64(0), uint64(0)
	for i, share := range shares {
		sum += uint64(share)
		end := min(scale(lines, sum, One)*line, count)
		ranges[i] = Range{first, end - first}
		first = end
	}
	return ranges
}

// largest is the lane of the largest share, the first of them.
func largest(shares []uint32) int {
	at := 0
	for i, share := range shares {
		if share > shares[at] {
			at = i
		}
	}
	return at
}
