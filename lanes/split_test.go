package lanes

import (
	"testing"

	"pgregory.net/rapid"
)

// drawShares draws shares that add up to One.
func drawShares(t *rapid.T) []uint32 {
	weights := rapid.SliceOfN(rapid.Uint32Range(1, 1000), 1, 16).Draw(t, "weights")
	sum := uint64(0)
	for _, w := range weights {
		sum += uint64(w)
	}
	shares, before, given := make([]uint32, len(weights)), uint64(0), uint64(0)
	for i, w := range weights {
		before += uint64(w)
		to := before * One / sum
		shares[i], given = uint32(to-given), to
	}
	return shares
}

// The ranges follow each other from the first element to the last, and all but the last end on a cache line; each is as
// long as its share says, but for a line.
func TestRangesCoverTheBlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shares := drawShares(t)
		size := rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "size")
		most := uint64(1<<63-1) / uint64(size)
		counts := rapid.OneOf(rapid.Uint64Range(0, most), rapid.Uint64Range(0, 5000), rapid.Uint64Range(most-5000, most))
		count := counts.Draw(t, "count")
		next := uint64(0)
		for i, r := range Split(shares, count, size, 0) {
			if r.First != next || r.Count > count-r.First {
				t.Fatalf("range %d is %+v, want it to begin at %d of %d", i, r, next, count)
			}
			if next += r.Count; next != count && next*uint64(size)%64 != 0 {
				t.Fatalf("range %d ends at byte %d", i, next*uint64(size))
			}
			want, line := scale(count, uint64(shares[i]), One), uint64(64/size)
			if r.Count > want+2*line || r.Count+2*line < want {
				t.Fatalf("range %d has %d elements, its share is %d", i, r.Count, want)
			}
		}
		if next != count {
			t.Fatalf("the ranges end at %d of %d", next, count)
		}
	})
}

func TestSplitExamples(t *testing.T) {
	half := []uint32{One / 4, One / 2, One / 4}
	for _, c := range []struct {
		count, whole uint64
		size         int
		want         [3]Range
	}{
		{0, 0, 4, [3]Range{}},
		{1, 0, 4, [3]Range{{0, 0}, {0, 0}, {0, 1}}},
		{64, 0, 4, [3]Range{{0, 16}, {16, 32}, {48, 16}}},
		{63, 0, 4, [3]Range{{0, 16}, {16, 32}, {48, 15}}},
		{64, 256, 4, [3]Range{{0, 16}, {16, 32}, {48, 16}}},
		{64, 257, 4, [3]Range{{}, {0, 64}, {}}},
		{1 << 62, 1 << 60, 16, [3]Range{{0, 1 << 60}, {1 << 60, 1 << 61}, {3 << 60, 1 << 60}}},
	} {
		if got := Split(half, c.count, c.size, c.whole); [3]Range(got) != c.want {
			t.Errorf("%d elements of %d bytes, whole below %d: %v, want %v", c.count, c.size, c.whole, got, c.want)
		}
	}
}
