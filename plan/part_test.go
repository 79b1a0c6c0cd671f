package plan

import (
	"testing"

	"pgregory.net/rapid"
)

// cuts draws how a buffer is cut, its length in bytes below 2^63.
func cuts(t *rapid.T) (parts int, count uint64, size int) {
	size = rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(t, "size")
	most := uint64(1<<63-1) / uint64(size)
	count = rapid.OneOf(rapid.Uint64Range(0, most), rapid.Uint64Range(0, 5000), rapid.Uint64Range(most-5000, most)).Draw(t, "count")
	return rapid.IntRange(1, 3000).Draw(t, "parts"), count, size
}

// The parts follow each other from the first element to the last, and all but the last end on a cache line.
func TestPartsCoverTheBuffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, count, size := cuts(t)
		next := uint64(0)
		for i := range parts {
			first, n := Part(i, parts, count, size)
			if first != next {
				t.Fatalf("part %d begins at %d, want %d", i, first, next)
			}
			if next = first + n; next < first || next > count {
				t.Fatalf("part %d of %d elements from %d; the buffer has %d", i, n, first, count)
			}
			if next != count && next*uint64(size)%64 != 0 {
				t.Fatalf("part %d ends at byte %d", i, next*uint64(size))
			}
		}
		if next != count {
			t.Fatalf("the parts end at %d of %d", next, count)
		}
	})
}

// No part is longer than another by more than one line and what the last line lacks.
func TestPartsAreEven(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, count, size := cuts(t)
		line := uint64(64 / size)
		share := count / uint64(parts)
		for i := range parts {
			if _, n := Part(i, parts, count, size); n > share+2*line || n+2*line < share {
				t.Fatalf("part %d has %d elements, an equal share is %d", i, n, share)
			}
		}
	})
}

// Scratch of the size that Largest says is enough for each part, and less than a line too much.
func TestLargestCoversEachPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts, count, size := cuts(t)
		longest := uint64(0)
		for i := range parts {
			_, n := Part(i, parts, count, size)
			longest = max(longest, n)
		}
		if got := Largest(parts, count, size); got < longest || got >= longest+uint64(64/size) {
			t.Fatalf("%d parts of %d elements: the longest has %d, Largest says %d", parts, count, longest, got)
		}
	})
}

func TestPartExamples(t *testing.T) {
	for _, c := range []struct {
		i, parts int
		count    uint64
		size     int
		first, n uint64
	}{
		{0, 1, 0, 4, 0, 0},
		{0, 2, 1, 8, 0, 0},
		{1, 2, 1, 8, 0, 1},
		{0, 2, 100, 4, 0, 48},
		{1, 2, 100, 4, 48, 52},
		{2, 3, 1<<63 - 1, 1, 6148914691236517184, 3074457345618258623},
	} {
		if first, n := Part(c.i, c.parts, c.count, c.size); first != c.first || n != c.n {
			t.Errorf("Part(%d, %d, %d, %d) = %d, %d; want %d, %d", c.i, c.parts, c.count, c.size, first, n, c.first, c.n)
		}
	}
}
